// tune --record-grid: measures a replay table instead of searching.
#pragma once

#include <string>

#include "cli/command.h"
#include "tuner/record/record.h"

namespace fsadvise::cli {

struct RecordGridOptions {
    std::string grid_file, data;  // --grid, --data
    tuner::RecordOptions record;
    [[nodiscard]] bool given() const { return !record.table_path.empty(); }
};
void add_record_options(CLI::App& command, RecordGridOptions& options);
// `options.record` has target, budget, seed and load already.
Outcome record_grid_command(RecordGridOptions& options, const Knowledge& knowledge, const Request& request,
                            ProcessRunner& runner, const Common& common);

}  // namespace fsadvise::cli
