// Real applications as loads: a Driver knows how to lay out an application's data in a directory, start it
// there and send it work in short slices.
//
// Servers listen on a private unix socket (nginx: in a private network), run as an unprivileged user when
// fsadvise is root, and keep the durability that the application has by default. Nothing outlives the session
// or fsadvise. Errors: kUnavailable names the missing Debian package; kUsage an unknown option; kRunFailed
// carries the last lines of
//         the application's log. Threads: one thread a session. How to add one: docs/drivers.md.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "tuner/engine/histogram.h"

namespace fsadvise::tuner {

class Workplace;

struct DriverOption {
    std::string name, fallback, meaning;
    std::vector<std::string> choices;  // empty: a whole number from least to most, or free text if most is 0
    std::int64_t least = 0, most = 0;
};

// A program and the Debian package that has it.
struct Program {
    std::string name, package;
};

// Space that the data of given options take: the first part whatever the size factor, the second in
// proportion to it.
struct Footprint {
    std::uint64_t fixed_bytes = 0, scaled_bytes = 0;
};

// A driver and what it is asked to do; all options have a value once resolved.
struct DriverTask {
    std::string driver;
    std::map<std::string, std::string> options;
    double size_factor = 1;  // of the working set, chosen so that it fits the area
    std::uint64_t seed = 1;
    int cores = 0;               // 0 = online processors
    std::function<bool()> stop;  // polled at least every 100 ms

    [[nodiscard]] std::int64_t number(const std::string& option) const;
    [[nodiscard]] const std::string& text(const std::string& option) const { return options.at(option); }
    // A number times the size factor, at least `least`.
    [[nodiscard]] std::int64_t scaled(const std::string& option, std::int64_t least = 1) const;
    [[nodiscard]] int threads() const;  // cores, resolved
    [[nodiscard]] bool stopped() const { return stop && stop(); }
};

struct Slice {
    double operations = 0;  // transactions, requests, whole runs
    double seconds = 0;
    std::uint64_t errors = 0;  // operations that the application reports as failed
    Histogram latency;         // empty where the program reports none
    double rate = 0;           // 0 = operations / seconds; else the metric that the program reported itself
    [[nodiscard]] double operations_per_s() const {
        return rate > 0 ? rate : seconds > 0 ? operations / seconds : 0;
    }
};

// A running application on one directory. The destructor stops it and removes its data.
class DriverSession {
  public:
    explicit DriverSession(std::unique_ptr<Workplace> workplace);
    virtual ~DriverSession();
    DriverSession(const DriverSession&) = delete;
    DriverSession& operator=(const DriverSession&) = delete;

    // Sends work for about `seconds`, or one whole run for drivers that cannot be cut.
    virtual Result<Slice> run_slice(double seconds) = 0;
    // Between slices, so that background work of this side does not disturb the other.
    virtual Result<void> pause() { return {}; }
    virtual void resume() {}
    // Process of the server, 0 if there is none.
    [[nodiscard]] virtual int server_process() const { return 0; }

    [[nodiscard]] Workplace& workplace() { return *workplace_; }

  private:
    std::unique_ptr<Workplace> workplace_;
};

class Driver {
  public:
    virtual ~Driver() = default;
    [[nodiscard]] virtual std::string id() const = 0;
    [[nodiscard]] virtual std::string title() const = 0;
    [[nodiscard]] virtual std::string about() const = 0;      // what it does, one sentence
    [[nodiscard]] virtual std::string operation() const = 0;  // what is counted: "transaction"
    [[nodiscard]] virtual std::vector<Program> programs() const = 0;
    [[nodiscard]] virtual std::vector<DriverOption> options() const = 0;
    [[nodiscard]] virtual Footprint footprint(const DriverTask& task) const = 0;
    // For the first guess of how long a trial takes, before one has been timed: initialise() with next to no
    // data, and how fast it makes more.
    [[nodiscard]] virtual double starting_seconds() const { return 0; }
    [[nodiscard]] virtual double filling_bytes_per_s() const { return 200.0 * (1 << 20); }
    // Shortest slice that starting and ending does not spoil.
    [[nodiscard]] virtual double slice_seconds() const = 0;
    // A slice is a whole run, however long that takes.
    [[nodiscard]] virtual bool whole_runs() const { return false; }
    // Whether writing back what a slice has left in memory belongs to it. A database that syncs its own log
    // does not owe that; a build does.
    [[nodiscard]] virtual bool flush_counts() const { return false; }
    // Contradictions between options.
    [[nodiscard]] virtual Result<void> check(const DriverTask&) const { return {}; }

    // Makes the data in the empty directory of the workplace; nothing is left running.
    virtual Result<void> initialise(Workplace& workplace, const DriverTask& task) const = 0;
    virtual Result<std::unique_ptr<DriverSession>> start(std::unique_ptr<Workplace> workplace,
                                                         const DriverTask& task) const = 0;
};

// All drivers, in the order they are listed to people.
const std::vector<const Driver*>& drivers();
// Errors: kUsage with the nearest id.
Result<const Driver*> find_driver(const std::string& id);

// A named choice of options, for tests known from elsewhere.
struct DriverSetting {
    std::string id, driver, title;
    std::map<std::string, std::string> options;
};
const std::vector<DriverSetting>& driver_settings();

// A task from the id of a driver or of a setting, and options over its own; every option gets its value.
// Errors: kUsage for unknown ids, options and values outside their range.
Result<DriverTask> resolve_task(const std::string& id, const std::map<std::string, std::string>& options);

// kUnavailable with the package to install, if a program is missing.
Result<void> check_programs(const Driver& driver);
// Largest size factor (at most 1) whose data fill no more than `share` of the area.
// Errors: kUnavailable if the application does not fit however small its data are.
Result<double> fitting_size_factor(const Driver& driver, const DriverTask& task, std::uint64_t area_bytes,
                                   double share = 0.45);

// Data in `directory`, which must be absent or empty; removed again on failure.
Result<void> initialise(const DriverTask& task, const std::string& directory);
// Whether initialise() has filled the directory for the task's driver.
bool is_initialised(const DriverTask& task, const std::string& directory);
// Starts on what initialise() left there.
Result<std::unique_ptr<DriverSession>> start(const DriverTask& task, const std::string& directory);
// Both.
Result<std::unique_ptr<DriverSession>> prepare(const DriverTask& task, const std::string& directory);

}  // namespace fsadvise::tuner
