// Options that choose a real application as the load: --driver, --driver-option, --command and its metric.
//
// Errors: kUsage.
#pragma once

#include <string>
#include <vector>

#include "tuner/drivers/driver.h"

namespace CLI {
class App;
}

namespace fsadvise::cli {

struct DriverOptions {
    std::string driver;                // id of a driver or of a named setting
    std::vector<std::string> options;  // NAME=VALUE
    std::string command, metric_regex, metric_json_pointer;
    bool higher_is_better = false, lower_is_better = false;
    // Whether any of them was used.
    [[nodiscard]] bool given() const {
        return !driver.empty() || !options.empty() || !command.empty() || !metric_regex.empty() ||
               !metric_json_pointer.empty() || higher_is_better || lower_is_better;
    }
};

void add_driver_options(CLI::App& command, DriverOptions& options);
Result<tuner::DriverTask> driver_task(const DriverOptions& options);

}  // namespace fsadvise::cli
