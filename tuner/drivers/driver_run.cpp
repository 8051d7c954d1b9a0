#include "tuner/drivers/driver_run.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

#include "tuner/drivers/workplace.h"
#include "tuner/engine/estimate.h"

namespace fsadvise::tuner {
namespace {

using Clock = std::chrono::steady_clock;

// A slice with fewer operations measures chance: one operation more or less is 5 % of it.
constexpr double kFewestOperations = 20;
constexpr double kLongestSliceSeconds = 2.0;
constexpr std::size_t kFewestPairs = 2;
constexpr double kFewestSlices = 5;

// A session and what it has done.
struct Runner {
    const Driver* driver = nullptr;
    std::unique_ptr<DriverSession> session;
    SideResult result;
    double operations = 0;

    Result<Slice> slice(double seconds) {
        session->resume();
        FSADVISE_ASSIGN(Slice slice, session->run_slice(seconds));
        const auto begin = Clock::now();
        FSADVISE_TRY(session->workplace().flush());
        if (driver->flush_counts())
            slice.seconds += std::chrono::duration<double>(Clock::now() - begin).count();
        FSADVISE_TRY(session->pause());
        if (static_cast<double>(slice.errors) >= std::max(1.0, slice.operations)) {
            return fail(ErrorCode::kRunFailed, "all operations of a slice failed", driver->title(),
                        "look at the application's log");
        }
        return slice;
    }
    void add(const Slice& slice) {
        operations += slice.operations;
        result.seconds += slice.seconds;
        result.errors += slice.errors;
        result.latency.merge(slice.latency);
        result.window_rates.push_back(slice.operations_per_s());
    }
    SideResult finish() {
        result.operations = static_cast<std::uint64_t>(std::llround(operations));
        return std::move(result);
    }
};

Result<Runner> make_runner(const DriverTask& task, const std::string& directory) {
    Runner runner;
    FSADVISE_ASSIGN(runner.driver, find_driver(task.driver));
    if (!is_initialised(task, directory)) FSADVISE_TRY(initialise(task, directory));
    FSADVISE_ASSIGN(runner.session, start(task, directory));
    FSADVISE_TRY(runner.session->pause());
    return runner;
}

using Pair = std::array<Slice, 2>;

struct Pairs {
    std::vector<Pair> pairs;
    double seconds = 0;
    [[nodiscard]] bool too_short() const {
        double counts[2] = {0, 0};
        for (const Pair& pair : pairs) {
            for (std::size_t side = 0; side < 2; ++side) counts[side] += pair[side].operations;
        }
        return std::min(counts[0], counts[1]) < kFewestOperations * static_cast<double>(pairs.size());
    }
};

// A pair that was stopped is left out.
Result<Pairs> run_pairs(std::array<Runner, 2>& sides, double slice_seconds, double seconds,
                        std::size_t fewest, bool may_grow, const EngineOptions& options) {
    Pairs result;
    while (result.seconds < seconds || result.pairs.size() < fewest) {
        Pair pair;
        const std::size_t first = result.pairs.size() % 2;
        for (const std::size_t side : {first, 1 - first}) {
            FSADVISE_ASSIGN(pair[side], sides[side].slice(slice_seconds));
            if (options.stop && options.stop()) return result;
        }
        result.pairs.push_back(pair);
        result.seconds += pair[0].seconds + pair[1].seconds;
        if (may_grow && result.too_short()) break;
    }
    return result;
}

DriverTask with_stop(DriverTask task, const EngineOptions& options) {
    if (!task.stop) task.stop = options.stop;
    return task;
}

double first_slice_seconds(const Driver& driver, const EngineOptions& options) {
    return options.window_seconds > 0 ? options.window_seconds : driver.slice_seconds();
}

}  // namespace

Result<SideResult> run_driver_single(const DriverTask& given, const std::string& directory,
                                     const EngineOptions& options) {
    const DriverTask task = with_stop(given, options);
    FSADVISE_ASSIGN(Runner runner, make_runner(task, directory));
    const double slice_seconds = std::max(first_slice_seconds(*runner.driver, options),
                                          std::min(options.seconds / kFewestSlices, kLongestSliceSeconds));
    double warm = 0;
    do {
        FSADVISE_ASSIGN(const Slice slice, runner.slice(slice_seconds));
        warm += slice.seconds;
    } while (warm < options.warmup_seconds && !task.stopped());
    while (!task.stopped() && runner.result.seconds < options.seconds - slice_seconds * 0.1) {
        FSADVISE_ASSIGN(const Slice slice, runner.slice(slice_seconds));
        if (!task.stopped()) runner.add(slice);
    }
    return runner.finish();
}

Result<DuetResult> run_driver_duet(const DriverTask& given, const std::string& candidate_directory,
                                   const std::string& anchor_directory, const EngineOptions& options) {
    const DriverTask task = with_stop(given, options);
    FSADVISE_ASSIGN(Runner candidate, make_runner(task, candidate_directory));
    FSADVISE_ASSIGN(Runner anchor, make_runner(task, anchor_directory));
    std::array<Runner, 2> sides = {std::move(candidate), std::move(anchor)};
    const Driver& driver = *sides[0].driver;

    double slice_seconds = first_slice_seconds(driver, options);
    const double longest =
        std::max(slice_seconds,
                 std::min(kLongestSliceSeconds, options.seconds / (2 * static_cast<double>(kFewestPairs))));
    Pairs measured;
    for (;;) {
        const bool may_grow = !driver.whole_runs() && slice_seconds < longest;
        FSADVISE_ASSIGN(const Pairs warm,
                        run_pairs(sides, slice_seconds, options.warmup_seconds, 1, may_grow, options));
        bool grow = may_grow && warm.too_short();
        if (!grow && !task.stopped()) {
            FSADVISE_ASSIGN(
                measured, run_pairs(sides, slice_seconds, options.seconds, kFewestPairs, may_grow, options));
            grow = may_grow && measured.too_short();
        }
        if (!grow || task.stopped()) break;
        slice_seconds = std::min(slice_seconds * 2, longest);
    }

    DuetResult result;
    for (const Pair& pair : measured.pairs) {
        for (std::size_t side = 0; side < 2; ++side) sides[side].add(pair[side]);
        const double rates[2] = {pair[0].operations_per_s(), pair[1].operations_per_s()};
        if (rates[0] > 0 && rates[1] > 0) result.log_ratios.push_back(std::log(rates[0] / rates[1]));
    }
    result.stopped = task.stopped();
    result.window_seconds = slice_seconds;
    result.candidate = sides[0].finish();
    result.anchor = sides[1].finish();
    if (result.log_ratios.empty() && !result.stopped) {
        return fail(ErrorCode::kRunFailed, "no operation ended on both sides within the measuring time",
                    driver.title(), "measure for a longer time");
    }
    estimate(result);
    return result;
}

}  // namespace fsadvise::tuner
