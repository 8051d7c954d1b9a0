// Records a replay table: every configuration of a grid is measured as a duet with the default, repeat by
// repeat.
//
// A repeat starts at mkfs for every configuration and for the default beside it; the order within a repeat is
// random, and the areas change places between repeats. A configuration that fails is a row too, with the
// reason. Errors: kInterrupted after a signal, what was recorded is kept; kRunFailed if the default itself
// cannot be measured.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/file_reader.h"
#include "space/context.h"
#include "tuner/target/target.h"

namespace fsadvise::tuner {

struct RecordOptions {
    TargetRequest target;
    std::string table_path;
    std::string grid_text, grid_name;  // configurations as given, instead of a design
    std::size_t configurations = 0;    // 0 = as design_grid() chooses
    int repeats = 3;
    double seconds = 1.2;               // of one duet, both sides together
    std::uint64_t area_data_bytes = 0;  // most data a side holds; 0 = what fits
    std::int64_t budget_ns = 0;         // of this sitting; 0 = until all is measured
    double window_seconds = 0;          // 0 = the load's
    std::uint64_t seed = 1;
    int cores = 0;
    std::string load;  // JSON of another source of load than the workload's
};

struct RecordProgress {
    std::size_t done = 0, all = 0, failed = 0;  // measurements; failed in this sitting
    std::string now;
    std::int64_t left_ns = 0;
};

struct RecordOutcome {
    std::size_t configurations = 0, measurements = 0;  // of the grid; in the table
    std::size_t recorded = 0, failed = 0;              // in this sitting
    bool complete = false;                             // false: the budget ended before
};

Result<RecordOutcome> record_grid(const Knowledge& knowledge, const Request& request,
                                  const RecordOptions& options, ProcessRunner& runner,
                                  const FileReader& files,
                                  const std::function<void(const RecordProgress&)>& progress);

}  // namespace fsadvise::tuner
