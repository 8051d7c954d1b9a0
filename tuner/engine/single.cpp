// The load alone on one directory, in long windows so that starting and ending them costs nothing that shows.
#include <algorithm>

#include "tuner/engine/phase_run.h"

namespace fsadvise::tuner {
namespace {

constexpr double kFewestWindows = 5;
constexpr double kLongestWindowSeconds = 1.0;
// Of a phase that ends after a number of operations: it ends with a window.
constexpr double kShortWindowSeconds = 0.05;

double window_length(const PhaseLimit& limit, const EngineOptions& options) {
    if (options.window_seconds > 0) return options.window_seconds;
    if (limit.operations > 0) return kShortWindowSeconds;
    return std::min(limit.seconds / kFewestWindows, kLongestWindowSeconds);
}

Result<SideResult> run_phase(Session& session, std::size_t phase, const EngineOptions& options) {
    const LoadPlan& plan = session.plan();
    const bool counting = phase == plan.counting_phase;
    session.set_phase(phase);
    if (counting && options.warmup_seconds > 0) FSADVISE_TRY(session.run_window(0, options.warmup_seconds));
    session.reset();
    const PhaseLimit limit = phase_limit(plan, phase, options.seconds);
    const double window_seconds = window_length(limit, options);
    double seconds = 0, cpu_seconds = 0;
    std::uint64_t done = 0;
    std::vector<double> rates;
    // The last window is not worth a hundredth of its length.
    while (!limit.reached(seconds + window_seconds * 0.01, done) && !session.stopped()) {
        FSADVISE_ASSIGN(const Window window, session.run_window(0, window_seconds));
        if (window.seconds <= 0) break;
        seconds += window.seconds;
        cpu_seconds += window.cpu_seconds;
        done += window.operations;
        if (counting) rates.push_back(static_cast<double>(window.operations) / window.seconds);
        FSADVISE_TRY(check_progress(plan.phases[phase], limit.seconds > 0 ? 0 : seconds, done));
    }
    SideResult result = session.totals(0);
    result.seconds = seconds;
    result.cpu_seconds = cpu_seconds;
    result.window_rates = std::move(rates);
    return result;
}

}  // namespace

Result<SideResult> run_single(const Load& load, const std::string& directory, const EngineOptions& options) {
    FSADVISE_ASSIGN(const auto session, Session::start(load, {directory}, options));
    SideResult result;
    std::vector<PhaseResult> phases;
    for (std::size_t phase = 0; phase < session->plan().phases.size() && !session->stopped(); ++phase) {
        FSADVISE_ASSIGN(SideResult measured, run_phase(*session, phase, options));
        if (!load.phases.empty()) {
            phases.push_back(phase_result(session->plan().phases[phase], measured, measured.seconds,
                                          measured.cpu_seconds));
        }
        if (phase == session->plan().counting_phase) result = std::move(measured);
    }
    session->clean_up();
    result.phases = std::move(phases);
    return result;
}

}  // namespace fsadvise::tuner
