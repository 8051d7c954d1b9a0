#include "tuner/drivers/driver.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <thread>

#include <fmt/format.h>

#include "base/text.h"
#include "base/units.h"
#include "tuner/drivers/workplace.h"

namespace fsadvise::tuner {
namespace {

constexpr double kSmallestFactor = 1e-4;

bool is_number(const DriverOption& option) {
    return option.choices.empty() && option.most > 0;
}

Result<void> check_value(const DriverOption& option, const std::string& value) {
    const std::string name = "--driver-option " + option.name;
    if (!option.choices.empty()) {
        if (std::find(option.choices.begin(), option.choices.end(), value) != option.choices.end()) return {};
        return fail(ErrorCode::kUsage,
                    fmt::format("'{}' is not one of {}{}", printable(value), join(option.choices, ", "),
                                did_you_mean(value, option.choices)),
                    name);
    }
    if (!is_number(option)) return {};
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error == std::errc{} && end == value.data() + value.size() && number >= option.least &&
        number <= option.most)
        return {};
    return fail(
        ErrorCode::kUsage,
        fmt::format("'{}' is not a whole number from {} to {}", printable(value), option.least, option.most),
        name);
}

Result<void> stopped(const DriverTask& task) {
    if (task.stopped()) return fail(ErrorCode::kInterrupted, "stopped");
    return {};
}

}  // namespace

std::int64_t DriverTask::number(const std::string& option) const {
    const std::string& value = text(option);
    std::int64_t number = 0;
    std::from_chars(value.data(), value.data() + value.size(), number);
    return number;
}

std::int64_t DriverTask::scaled(const std::string& option, std::int64_t least) const {
    const double value = static_cast<double>(number(option)) * size_factor;
    return std::max(least, static_cast<std::int64_t>(value));
}

int DriverTask::threads() const {
    return cores > 0 ? cores : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

DriverSession::DriverSession(std::unique_ptr<Workplace> workplace) : workplace_(std::move(workplace)) {}
DriverSession::~DriverSession() = default;

Result<const Driver*> find_driver(const std::string& id) {
    std::vector<std::string> ids;
    for (const Driver* driver : drivers()) {
        if (driver->id() == id) return driver;
        ids.push_back(driver->id());
    }
    const std::string known = join(ids, ", ");
    for (const DriverSetting& setting : driver_settings()) ids.push_back(setting.id);
    return fail(ErrorCode::kUsage, fmt::format("unknown driver '{}'{}", printable(id), did_you_mean(id, ids)),
                "--driver", "known drivers: " + known);
}

Result<DriverTask> resolve_task(const std::string& id, const std::map<std::string, std::string>& options) {
    DriverTask task;
    task.driver = id;
    std::map<std::string, std::string> given;
    for (const DriverSetting& setting : driver_settings()) {
        if (setting.id != id) continue;
        task.driver = setting.driver;
        given = setting.options;
    }
    FSADVISE_ASSIGN(const Driver* driver, find_driver(task.driver));
    for (const auto& [name, value] : options) given[name] = value;
    std::vector<std::string> names;
    for (const DriverOption& option : driver->options()) {
        names.push_back(option.name);
        const auto found = given.find(option.name);
        const std::string& value = found != given.end() ? found->second : option.fallback;
        FSADVISE_TRY(check_value(option, value));
        task.options[option.name] = value;
    }
    for (const auto& [name, value] : given) {
        if (task.options.contains(name)) continue;
        return fail(ErrorCode::kUsage,
                    fmt::format("the driver {} has no option '{}'{}", task.driver, printable(name),
                                did_you_mean(name, names)),
                    "--driver-option", "it has: " + join(names, ", "));
    }
    FSADVISE_TRY(driver->check(task));
    return task;
}

Result<void> check_programs(const Driver& driver) {
    std::vector<std::string> missing;
    std::vector<std::string> packages;
    for (const Program& program : driver.programs()) {
        if (!program_path(program.name).empty()) continue;
        missing.push_back(program.name);
        if (std::find(packages.begin(), packages.end(), program.package) == packages.end())
            packages.push_back(program.package);
    }
    if (missing.empty()) return {};
    return fail(ErrorCode::kUnavailable, "program not found: " + join(missing, ", "), "driver " + driver.id(),
                "apt-get install " + join(packages, " "));
}

Result<double> fitting_size_factor(const Driver& driver, const DriverTask& task, std::uint64_t area_bytes,
                                   double share) {
    const Footprint footprint = driver.footprint(task);
    const double room = static_cast<double>(area_bytes) * share - static_cast<double>(footprint.fixed_bytes);
    if (footprint.scaled_bytes == 0 && room >= 0) return 1.0;
    const double factor = room / static_cast<double>(std::max<std::uint64_t>(1, footprint.scaled_bytes));
    if (factor >= kSmallestFactor) return std::min(1.0, factor);
    return fail(ErrorCode::kUnavailable,
                fmt::format("an area of {} is too small for {}: without data it takes {} already",
                            human_size(static_cast<double>(area_bytes)), driver.title(),
                            human_size(static_cast<double>(footprint.fixed_bytes))),
                "--size",
                fmt::format("give areas of at least {}",
                            human_size(static_cast<double>(footprint.fixed_bytes) / share * 1.1)));
}

Result<void> initialise(const DriverTask& task, const std::string& directory) {
    FSADVISE_ASSIGN(const Driver* driver, find_driver(task.driver));
    FSADVISE_TRY(check_programs(*driver));
    FSADVISE_ASSIGN(const auto workplace, Workplace::open(directory, task, true));
    FSADVISE_TRY(driver->initialise(*workplace, task));
    FSADVISE_TRY(stopped(task));
    FSADVISE_TRY(workplace->flush());
    workplace->keep();
    return {};
}

bool is_initialised(const DriverTask& task, const std::string& directory) {
    return Workplace::is_filled(directory, task);
}

Result<std::unique_ptr<DriverSession>> start(const DriverTask& task, const std::string& directory) {
    FSADVISE_ASSIGN(const Driver* driver, find_driver(task.driver));
    FSADVISE_ASSIGN(auto workplace, Workplace::open(directory, task, false));
    return driver->start(std::move(workplace), task);
}

Result<std::unique_ptr<DriverSession>> prepare(const DriverTask& task, const std::string& directory) {
    FSADVISE_TRY(initialise(task, directory));
    return start(task, directory);
}

}  // namespace fsadvise::tuner
