// The load alone on one directory, in long windows so that starting and ending them costs nothing that shows.
#include <algorithm>

#include "tuner/engine/session.h"

namespace fsadvise::tuner {
namespace {

constexpr double kFewestWindows = 5;
constexpr double kLongestWindowSeconds = 1.0;

}  // namespace

Result<SideResult> run_single(const Load& load, const std::string& directory, const EngineOptions& options) {
    FSADVISE_ASSIGN(const auto session, Session::start(load, {directory}, options));
    if (options.warmup_seconds > 0) FSADVISE_TRY(session->run_window(0, options.warmup_seconds));
    session->reset();
    const double window_seconds = options.window_seconds > 0
                                      ? options.window_seconds
                                      : std::min(options.seconds / kFewestWindows, kLongestWindowSeconds);
    double seconds = 0, cpu_seconds = 0;
    std::vector<double> rates;
    while (seconds < options.seconds - window_seconds * 0.01 && !session->stopped()) {
        FSADVISE_ASSIGN(const Window window, session->run_window(0, window_seconds));
        if (window.seconds <= 0) break;
        seconds += window.seconds;
        cpu_seconds += window.cpu_seconds;
        rates.push_back(static_cast<double>(window.operations) / window.seconds);
    }
    session->clean_up();
    SideResult result = session->totals(0);
    result.seconds = seconds;
    result.cpu_seconds = cpu_seconds;
    result.window_rates = std::move(rates);
    return result;
}

}  // namespace fsadvise::tuner
