// The mount table as libmount reads it: which filesystem holds a path, where a device is mounted.
//
// Errors: a malformed table gives the entries before the damage; an unreadable one is empty.
// Source: proc(5), /proc/pid/mountinfo.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fsadvise {

struct MountEntry {
    std::string directory;            // mount point, unescaped
    std::string source;               // "/dev/vda", "tmpfs"
    std::string filesystem;           // "ext4"
    std::string options;              // as the kernel lists them, per mount and per filesystem joined
    std::uint64_t device_number = 0;  // dev_t; anonymous for btrfs and friends
};

// Parses the text of /proc/self/mountinfo.
std::vector<MountEntry> parse_mountinfo(const std::string& text);

// The entry that holds an absolute path: longest mount point that is a prefix of it, the topmost if stacked.
const MountEntry* mount_of(const std::vector<MountEntry>& entries, std::string_view path);

}  // namespace fsadvise
