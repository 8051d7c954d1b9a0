// What a format and a mount really gave, read from the tools' own dumps and compared with the request.
//
// Source: dumpe2fs -h, xfs_info, btrfs inspect-internal dump-super, dump.f2fs, /proc/self/mountinfo,
// /proc/fs/ext4.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/file_reader.h"
#include "base/process.h"
#include "space/configuration.h"
#include "space/knowledge.h"

namespace fsadvise {

struct ReadBackResult {
    std::map<std::string, Value> effective;         // every parameter that could be read
    std::vector<std::string> mismatches;            // "xfs.mkfs.agcount: asked 8, got 4"
    std::string mount_options;                      // as the kernel lists them
    std::uint64_t total_bytes = 0, free_bytes = 0;  // statvfs, for space overhead
};

// Pure part, for tests: dumps by source name -> effective values.
std::map<std::string, Value> parse_dumps(const Knowledge& knowledge, const std::string& filesystem,
                                         const std::map<std::string, std::string>& dumps);

// Runs the dump tool on `device` and reads mountinfo for `directory` (may be empty: not mounted).
Result<ReadBackResult> read_back(const Knowledge& knowledge, const Configuration& asked,
                                 const std::string& device, const std::string& directory,
                                 ProcessRunner& runner, const FileReader& files);

}  // namespace fsadvise
