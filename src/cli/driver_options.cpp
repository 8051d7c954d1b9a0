#include "cli/driver_options.h"

#include <CLI/CLI.hpp>

#include "base/text.h"

namespace fsadvise::cli {
namespace {

std::string known_drivers() {
    std::vector<std::string> ids;
    for (const tuner::Driver* driver : tuner::drivers()) {
        if (driver->id() != "command") ids.push_back(driver->id());
    }
    return join(ids, ", ");
}

}  // namespace

void add_driver_options(CLI::App& command, DriverOptions& options) {
    const std::string group = "Load by a real application";
    command
        .add_option("--driver", options.driver,
                    "load by a real application instead of the workload's own: " + known_drivers())
        ->type_name("ID")
        ->group(group);
    command
        .add_option("--driver-option", options.options, "option of the driver, e.g. clients=50; repeatable")
        ->type_name("NAME=VALUE")
        ->group(group);
    command
        .add_option("--command", options.command,
                    "load by a program of yours, run on the directory {dir}; no shell takes part")
        ->type_name("'PROGRAM {dir}'")
        ->group(group);
    command
        .add_option("--metric-regex", options.metric_regex,
                    "its metric: first group of this expression in what it prints")
        ->type_name("REGEX")
        ->group(group);
    command
        .add_option("--metric-json-pointer", options.metric_json_pointer,
                    "its metric: this place in the JSON it prints")
        ->type_name("/POINTER")
        ->group(group);
    auto* higher =
        command.add_flag("--higher-is-better", options.higher_is_better, "of the metric (the default)")
            ->group(group);
    command.add_flag("--lower-is-better,--lower", options.lower_is_better, "of the metric")
        ->excludes(higher)
        ->group(group);
}

Result<tuner::DriverTask> driver_task(const DriverOptions& options) {
    const bool metric = !options.metric_regex.empty() || !options.metric_json_pointer.empty() ||
                        options.higher_is_better || options.lower_is_better;
    if (options.command.empty() && metric && options.driver != "command") {
        return fail(ErrorCode::kUsage, "a metric is read from a command of yours only", "--metric-regex",
                    "add --command 'PROGRAM {dir}'");
    }
    if (!options.command.empty() && !options.driver.empty() && options.driver != "command") {
        return fail(ErrorCode::kUsage, "two loads named", "--command", "give --driver or --command");
    }
    if (options.command.empty() && options.driver.empty()) {
        return fail(ErrorCode::kUsage, "no driver named", "--driver-option", "add --driver ID");
    }
    std::map<std::string, std::string> values;
    for (const std::string& option : options.options) {
        const std::size_t equals = option.find('=');
        if (equals == std::string::npos || equals == 0)
            return fail(ErrorCode::kUsage, "'" + printable(option) + "' has no value", "--driver-option",
                        "write NAME=VALUE, e.g. clients=50");
        values[option.substr(0, equals)] = option.substr(equals + 1);
    }
    if (!options.command.empty()) values["command"] = options.command;
    if (!options.metric_regex.empty()) values["metric-regex"] = options.metric_regex;
    if (!options.metric_json_pointer.empty()) values["metric-json-pointer"] = options.metric_json_pointer;
    if (options.lower_is_better) values["better"] = "lower";
    return tuner::resolve_task(options.command.empty() ? options.driver : "command", values);
}

}  // namespace fsadvise::cli
