// A scratch file as the ground for two loop devices: checks first, then made, attached and unlinked.
#pragma once

#include <string>
#include <string_view>

#include "base/file_reader.h"
#include "tuner/target/area_target.h"

namespace fsadvise::tuner {

// At offset 0 of every scratch file, below the first area: a file with it may be overwritten, any other may
// not.
inline constexpr std::string_view kScratchMarker = "fsadvise scratch file, safe to delete\n";
inline constexpr std::size_t kMarkerSearchBytes = 4096;

// Filesystem that holds a path.
struct BackingPlace {
    std::string filesystem;  // "ext4"; empty = unknown
    std::string mount_point;
    [[nodiscard]] bool in_memory() const { return filesystem == "tmpfs" || filesystem == "ramfs"; }
};

BackingPlace backing_place(const FileReader& files, const std::string& path);

// Errors: kUsage for a size that is missing or too small; kUnavailable for a file that is not ours, a folder
// that is not writable, and too little free space or memory.
Result<void> check_scratch_file(const TargetRequest& request, const FileReader& files);

// After check_scratch_file(). The file has no name any more when this returns.
Result<Ground> open_scratch_file(const TargetRequest& request, const FileReader& files);

}  // namespace fsadvise::tuner
