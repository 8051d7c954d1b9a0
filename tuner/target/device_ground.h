// An erased device as the ground for two areas: partitions in the kernel, or loop devices where it makes
// none.
#pragma once

#include "base/file_reader.h"
#include "tuner/target/area_target.h"

namespace fsadvise::tuner {

// All checks of a device in the order of their weight; reads only. Errors: see target.h.
Result<void> check_device(const TargetRequest& request, const FileReader& files);

// Repeats the checks, claims the device, and only then writes.
Result<Ground> open_device(const TargetRequest& request, const FileReader& files);

}  // namespace fsadvise::tuner
