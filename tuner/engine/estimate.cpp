#include "tuner/engine/estimate.h"

#include <numeric>

#include "models/serial_correlation.h"
#include "models/statistics.h"
#include "models/steady_state.h"

namespace fsadvise::tuner {
namespace {

constexpr std::size_t kSteadyRounds = 5;

// The rule is about rounds of a test, not about windows of milliseconds: five rounds of equally many windows.
bool steady_rounds(const std::vector<double>& rates) {
    if (rates.size() < kSteadyRounds) return true;
    std::vector<double> rounds;
    for (std::size_t i = 0; i < kSteadyRounds; ++i) {
        const auto first = rates.begin() + static_cast<std::ptrdiff_t>(rates.size() * i / kSteadyRounds);
        const auto last = rates.begin() + static_cast<std::ptrdiff_t>(rates.size() * (i + 1) / kSteadyRounds);
        rounds.push_back(std::accumulate(first, last, 0.0) / static_cast<double>(last - first));
    }
    return models::is_steady(rounds);
}

}  // namespace

void estimate(DuetResult& result) {
    if (!result.log_ratios.empty()) result.log_ratio = models::mean(result.log_ratios);
    // Neighbouring pairs share what the page cache, the journal and the machine are busy with.
    if (const auto serial = models::serial_mean(result.log_ratios)) {
        result.log_ratio_deviation = serial->deviation;
        result.effective_pairs = serial->effective_size;
    }
    result.steady = steady_rounds(result.anchor.window_rates);
}

}  // namespace fsadvise::tuner
