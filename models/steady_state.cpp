#include "models/steady_state.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "models/ranks.h"
#include "models/statistics.h"

namespace fsadvise::models {
namespace {

std::string failure_of(const SteadyCheck& check, const SteadyRule& rule) {
    if (check.steady()) return {};
    if (!check.usable) return "the rounds hold a value that is not finite, or their mean is not above 0";
    std::string text;
    if (!check.range_ok) {
        text = fmt::format("range {:.1f} % of the mean, limit {:.0f} %", 100 * check.range,
                           100 * rule.range_limit);
    }
    if (!check.slope_ok) {
        text += fmt::format("{}slope moves {:+.1f} % of the mean, limit {:.0f} %", text.empty() ? "" : "; ",
                            100 * check.slope, 100 * rule.slope_limit);
    }
    return text;
}

}  // namespace

SteadyCheck check_steady(std::span<const double> window, const SteadyRule& rule) {
    SteadyCheck result;
    if (window.size() < 2 || !all_finite(window)) return result;
    result.mean = mean(window);
    if (!(result.mean > 0)) return result;
    result.usable = true;
    const auto [low, high] = std::minmax_element(window.begin(), window.end());
    result.range = (*high - *low) / result.mean;
    const auto n = static_cast<double>(window.size());
    const double middle = (n - 1) / 2;
    double covariance = 0, variance = 0;
    for (std::size_t i = 0; i < window.size(); ++i) {
        const double x = static_cast<double>(i) - middle;
        covariance += x * (window[i] - result.mean);
        variance += x * x;
    }
    result.slope = covariance / variance * (n - 1) / result.mean;
    result.range_ok = result.range <= rule.range_limit;
    result.slope_ok = std::abs(result.slope) <= rule.slope_limit;
    return result;
}

bool is_steady(std::span<const double> window) {
    return check_steady(window).steady();
}

SteadySearch find_steady(std::span<const double> series, const SteadyRule& rule) {
    SteadySearch result;
    if (rule.rounds < 2 || series.size() < rule.rounds) {
        result.failed = fmt::format("{} rounds, the rule needs {}", series.size(), rule.rounds);
        return result;
    }
    for (std::size_t first = 0; first + rule.rounds <= series.size(); ++first) {
        result.check = check_steady(series.subspan(first, rule.rounds), rule);
        if (result.check.steady()) {
            result.first = first;
            return result;
        }
    }
    result.failed = failure_of(result.check, rule);
    return result;
}

}  // namespace fsadvise::models
