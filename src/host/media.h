// What kind of storage a kernel block device is, from its name, model and the machine's vendor.
#pragma once

#include <string>

#include "base/file_reader.h"

namespace fsadvise {

// A value of BlockDevice::media for a device without slaves; empty where the machine does not tell.
std::string media_of(const FileReader& files, const std::string& disk);

// True if an absolute path lies on tmpfs or ramfs.
bool is_in_memory(const FileReader& files, const std::string& path);

// Backing file of a loop device without the kernel's " (deleted)"; empty if `disk` is none or is free.
std::string loop_backing_file(const FileReader& files, const std::string& disk);

}  // namespace fsadvise
