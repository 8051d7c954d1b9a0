// Signatures on a block device: filesystems, RAID and LVM members, swap, partition tables. Found and erased
// by libblkid.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace fsadvise::tuner {

struct Signature {
    std::string type;   // "ext4", "LVM2_member", "gpt"
    std::string label;  // of a filesystem, may be empty
    bool is_partition_table = false;
    std::string uuid{};  // of a filesystem, in lower case
};

// "a signature (ext4, label 'data')", "a partition table (gpt)"
std::string to_text(const Signature& signature);

// All signatures, also of nested and leftover kinds. The descriptor is not closed. Errors: kUnavailable if
// unreadable.
Result<std::vector<Signature>> find_signatures(int fd, const std::string& path);

// Erases the magic bytes of all signatures, backup copies included. Only after every safety check.
Result<void> erase_signatures(int fd, const std::string& path);

}  // namespace fsadvise::tuner
