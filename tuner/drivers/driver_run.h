// Runs a driver on one directory, or as a duet on two: what run_single and run_duet of the engine are for
// loads.
//
// Duet: an application on each directory at the same time; work is sent to one at a time, in slices A B B A
// ... of the driver's length or in whole runs, the other application standing still. After each slice its
// filesystem is written back, within the slice's time where the driver says that this belongs to it.
// Directories that initialise() has not filled are filled first. Of the options, seconds, warmup_seconds,
// window_seconds and stop are used; seed, cores and size come from the task.
// Errors: as driver.h; kRunFailed if the application reports that all its operations failed.
#pragma once

#include <string>

#include "tuner/drivers/driver.h"
#include "tuner/engine/engine.h"

namespace fsadvise::tuner {

Result<SideResult> run_driver_single(const DriverTask& task, const std::string& directory,
                                     const EngineOptions& options);
Result<DuetResult> run_driver_duet(const DriverTask& task, const std::string& candidate_directory,
                                   const std::string& anchor_directory, const EngineOptions& options);

}  // namespace fsadvise::tuner
