// Who uses a block device: mounts, swap, holders (RAID, LVM, encryption), loop devices. Pure reads of procfs
// and sysfs.
#pragma once

#include <string>
#include <vector>

#include "base/fd.h"
#include "base/file_reader.h"
#include "base/result.h"

namespace fsadvise::tuner {

// Kernel name from a device number: 7:3 -> "loop3"; empty if the kernel has none.
std::string block_name_of_number(const FileReader& files, unsigned major_number, unsigned minor_number);

// Kernel name of a block device's path. Errors: kUnavailable for anything that is no block device.
Result<std::string> kernel_name_of(const FileReader& files, const std::string& path);

// Opens for this process alone. Errors: kUnavailable if anybody holds it, in whatever mount namespace.
Result<Fd> open_claimed(const std::string& path, int flags);

// Errors: kUnavailable with the user named, for the device, its partitions, and the disk it is a partition
// of. `given` is the path the user wrote.
Result<void> check_device_unused(const FileReader& files, const std::string& name, const std::string& given);

}  // namespace fsadvise::tuner
