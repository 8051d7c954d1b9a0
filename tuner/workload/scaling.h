// How `scale` acts on a file set, and how many files a load keeps of what it creates. Shared by layout and
// engine.
//
// Sets of many files lose files and keep their sizes; sets of few files keep the files and shrink them. So
// the shape that matters (many small files, or large files) survives scaling.
#pragma once

#include <cstdint>

#include "tuner/workload/workload.h"

namespace fsadvise::tuner {

inline constexpr std::uint64_t kFewFiles = 64;
// More files than this are opened by path at each use: descriptors are a limited resource.
inline constexpr std::uint64_t kMostSharedHandles = 1024;
inline constexpr std::uint64_t kSizeGrain = 4096;

struct ScaledSet {
    std::uint64_t files = 0;
    std::uint64_t size_bytes = 0, size_min_bytes = 0, size_max_bytes = 0;
    std::vector<SizeShare> sizes;
    std::uint64_t size_median_bytes = 0;
    double size_sigma = 0;
    [[nodiscard]] bool varies() const {
        return size_max_bytes > size_min_bytes || !sizes.empty() || size_median_bytes > 0;
    }
};
ScaledSet scaled(const FileSet& set, double scale);

// Names one actor keeps of those it created: files with hard links, symbolic links, and directories, each on
// its own. `keep`: unlink and rmdir steps leave that many, so that data lives long enough to reach the disk.
// `most`: above it a create step removes the oldest first.
struct CreatedFiles {
    std::uint64_t actors = 0;       // actors of all streams that add names to the set; 0 = none
    std::uint64_t file_actors = 0;  // those that create files
    std::uint64_t keep = 0, most = 0;
};
CreatedFiles created_files(const Load& load, const FileSet& set, double scale);

bool has_append(const Load& load, const FileSet& set);

}  // namespace fsadvise::tuner
