#include "models/statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/students_t.hpp>

namespace fsadvise::models {
namespace {

std::vector<double> sorted(std::span<const double> values) {
    std::vector<double> result(values.begin(), values.end());
    std::sort(result.begin(), result.end());
    return result;
}

double quantile_of_sorted(const std::vector<double>& values, double probability) {
    if (values.empty()) return std::nan("");
    const double position = probability * static_cast<double>(values.size() - 1);
    const auto below = static_cast<std::size_t>(std::floor(position));
    const std::size_t above = std::min(below + 1, values.size() - 1);
    const double fraction = position - static_cast<double>(below);
    return values[below] * (1 - fraction) + values[above] * fraction;
}

}  // namespace

double mean(std::span<const double> values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double standard_deviation(std::span<const double> values) {
    if (values.size() < 2) return std::nan("");
    const double center = mean(values);
    double sum = 0;
    for (const double value : values) sum += (value - center) * (value - center);
    return std::sqrt(sum / static_cast<double>(values.size() - 1));
}

double median(std::span<const double> values) {
    return quantile(values, 0.5);
}

double quantile(std::span<const double> values, double probability) {
    return quantile_of_sorted(sorted(values), probability);
}

double robust_deviation(std::span<const double> values) {
    const double center = median(values);
    std::vector<double> distances;
    distances.reserve(values.size());
    for (const double value : values) distances.push_back(std::abs(value - center));
    return 1.4826 * median(distances);  // makes it the standard deviation for normal data
}

std::optional<Interval> median_interval(std::span<const double> values, double level) {
    const std::vector<double> ordered = sorted(values);
    const std::size_t n = ordered.size();
    if (n < 2) return std::nullopt;
    // P(x_(k) < median < x_(n+1-k)) = 1 - 2 P(B <= k-1), B ~ Binomial(n, 1/2): the largest k that keeps the
    // level.
    const boost::math::binomial_distribution<> half(static_cast<double>(n), 0.5);
    std::optional<Interval> best;
    for (std::size_t k = 1; k <= n / 2; ++k) {
        const double reached = 1 - 2 * boost::math::cdf(half, static_cast<double>(k - 1));
        if (reached < level) break;
        best = Interval{ordered[k - 1], ordered[n - k], reached};
    }
    return best;
}

std::optional<Interval> mean_interval(std::span<const double> values, double level) {
    const std::size_t n = values.size();
    if (n < 2) return std::nullopt;
    const boost::math::students_t distribution(static_cast<double>(n - 1));
    const double t = boost::math::quantile(distribution, 0.5 + level / 2);
    const double half = t * standard_deviation(values) / std::sqrt(static_cast<double>(n));
    const double center = mean(values);
    return Interval{center - half, center + half, level};
}

std::optional<RatioEstimate> ratio_from_logs(std::span<const double> log_ratios, double level) {
    const auto interval = mean_interval(log_ratios, level);
    if (!interval) return std::nullopt;
    return RatioEstimate{std::exp(mean(log_ratios)), std::exp(interval->low), std::exp(interval->high), level,
                         log_ratios.size()};
}

std::optional<RatioEstimate> ratio_from_swapped_logs(std::span<const double> one,
                                                     std::span<const double> other, double level) {
    if (one.empty() || other.empty() || one.size() + other.size() < 3) return std::nullopt;
    const double first = mean(one), second = mean(other);
    double squares = 0;
    for (const double value : one) squares += (value - first) * (value - first);
    for (const double value : other) squares += (value - second) * (value - second);
    const auto freedom = static_cast<double>(one.size() + other.size() - 2);
    const double spread =
        std::sqrt(squares / freedom *
                  (1.0 / static_cast<double>(one.size()) + 1.0 / static_cast<double>(other.size()))) /
        2;
    const double half = boost::math::quantile(boost::math::students_t(freedom), 0.5 + level / 2) * spread;
    const double center = (first + second) / 2;
    return RatioEstimate{std::exp(center), std::exp(center - half), std::exp(center + half), level,
                         one.size() + other.size()};
}

std::optional<RatioEstimate> paired_ratio(std::span<const double> a, std::span<const double> b,
                                          double level) {
    std::vector<double> logs;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
        if (a[i] > 0 && b[i] > 0) logs.push_back(std::log(a[i] / b[i]));
    }
    return ratio_from_logs(logs, level);
}

}  // namespace fsadvise::models
