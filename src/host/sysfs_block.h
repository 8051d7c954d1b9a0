// Names and attributes of block devices in sysfs, shared by the host probe and the scratch targets' safety
// checks.
//
// Source: Documentation/ABI/stable/sysfs-block of the Linux kernel.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/file_reader.h"

namespace fsadvise {

// Kernel name of a device path: "/dev/mapper/vg-data" -> "dm-0", "/dev/sda1" -> "sda1". Follows symbolic
// links.
std::string block_name(const FileReader& files, const std::string& path);
// True if the kernel has a block device of this name.
bool is_block_name(const FileReader& files, const std::string& name);
// Whole disk of a partition ("nvme0n1p2" -> "nvme0n1"); the name itself for everything else.
std::string whole_disk(const FileReader& files, const std::string& name);
// Partitions the kernel knows of a whole disk, by name.
std::vector<std::string> partitions_of(const FileReader& files, const std::string& disk);

// /sys/class/block/NAME/ATTRIBUTE without surrounding blanks; nullopt if absent or empty.
std::optional<std::string> block_text(const FileReader& files, const std::string& name,
                                      const std::string& attribute);
std::optional<std::uint64_t> block_number(const FileReader& files, const std::string& name,
                                          const std::string& attribute);

}  // namespace fsadvise
