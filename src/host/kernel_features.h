// What the running kernel was built with.
//
// Source: /boot/config-RELEASE or /proc/config.gz, else what /sys/fs and /proc/sys/fs show.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/file_reader.h"

namespace fsadvise {

// By the names of kKernelFeatures; what nothing tells is missing.
std::map<std::string, bool> probe_kernel_features(const FileReader& files, const std::string& release);

// The same from the text of a kernel configuration.
std::map<std::string, bool> features_of_config(std::string_view text);

}  // namespace fsadvise
