#include "models/serial_correlation.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <boost/math/distributions/students_t.hpp>

#include "models/ranks.h"

namespace fsadvise::models {
namespace {

// Ten batches of ten: shorter ones are as alike as their values.
constexpr std::size_t kFewestForBatches = 100;

bool usable(std::span<const double> values) {
    return values.size() >= 2 && all_finite(values);
}

double autocovariance(std::span<const double> values, double center, std::size_t lag) {
    double sum = 0;
    for (std::size_t i = lag; i < values.size(); ++i)
        sum += (values[i] - center) * (values[i - lag] - center);
    return sum / static_cast<double>(values.size());
}

// A short series is pulled to its own mean, which makes its neighbours look less alike than they are: the
// expected lag-one correlation is r - (1 + 3 r) / n. Memory longer than half of the series cannot be told
// from a trend, so r stays below 1 - 2 / n.
double corrected_lag_one(std::span<const double> values) {
    const double raw = autocorrelation(values, 1);
    const auto n = static_cast<double>(values.size());
    const double largest = 1 - 2 / n;
    return std::clamp(n > 4 ? (raw * n + 1) / (n - 3) : raw + 1 / n, -largest, largest);
}

SerialMean with_variance(std::span<const double> values, double variance_of_mean) {
    SerialMean result;
    const auto n = static_cast<double>(values.size());
    result.mean = mean(values);
    result.deviation = std::sqrt(std::max(0.0, variance_of_mean));
    result.lag_one = corrected_lag_one(values);
    const double independent = std::pow(standard_deviation(values), 2) / n;
    result.effective_size = variance_of_mean > 0 ? std::clamp(n * independent / variance_of_mean, 1.0, n) : n;
    return result;
}

}  // namespace

double autocorrelation(std::span<const double> values, std::size_t lag) {
    if (lag >= values.size() || !all_finite(values)) return 0;
    const double center = mean(values);
    const double variance = autocovariance(values, center, 0);
    return variance > 0 ? autocovariance(values, center, lag) / variance : 0;
}

std::optional<SerialMean> first_order_mean(std::span<const double> values) {
    if (!usable(values)) return std::nullopt;
    const auto n = static_cast<double>(values.size());
    const double r = std::max(0.0, corrected_lag_one(values));
    // n times the variance of the mean, in variances of a value.
    double inflation = 1, power = 1;
    for (std::size_t lag = 1; lag < values.size(); ++lag) {
        power *= r;
        inflation += 2 * (1 - static_cast<double>(lag) / n) * power;
    }
    const double squares = std::pow(standard_deviation(values), 2) * (n - 1);
    // The squares around the series' own mean miss what the mean itself takes along.
    SerialMean result = with_variance(values, squares / std::max(n / 3, n - inflation) * inflation / n);
    result.effective_size = std::clamp(n / inflation, 1.0, n);
    return result;
}

std::optional<SerialMean> newey_west_mean(std::span<const double> values) {
    if (!usable(values)) return std::nullopt;
    const auto n = static_cast<double>(values.size());
    const double center = mean(values), r = corrected_lag_one(values);
    const double alpha = 4 * r * r / std::pow((1 - r) * (1 + r), 2);
    const auto lags =
        static_cast<std::size_t>(std::min(std::floor(1.1447 * std::cbrt(alpha * n)), std::floor(n / 2)));
    double sum = autocovariance(values, center, 0);
    for (std::size_t lag = 1; lag <= lags; ++lag) {
        const double weight = 1 - static_cast<double>(lag) / static_cast<double>(lags + 1);
        sum += 2 * weight * autocovariance(values, center, lag);
    }
    return with_variance(values, sum / (n - 1));
}

std::optional<SerialMean> batch_mean(std::span<const double> values, std::size_t batches) {
    if (!usable(values) || batches < 2 || values.size() < 2 * batches) return std::nullopt;
    const std::size_t length = values.size() / batches;
    const auto used = values.last(length * batches);
    std::vector<double> means;
    for (std::size_t i = 0; i < batches; ++i) means.push_back(mean(used.subspan(i * length, length)));
    return with_variance(values, std::pow(standard_deviation(means), 2) / static_cast<double>(batches));
}

std::optional<SerialMean> serial_mean(std::span<const double> values) {
    if (!usable(values)) return std::nullopt;
    const auto n = static_cast<double>(values.size());
    SerialMean result = with_variance(values, std::pow(standard_deviation(values), 2) / n);
    const auto batches = values.size() >= kFewestForBatches ? batch_mean(values) : std::nullopt;
    for (const auto& other : {first_order_mean(values), newey_west_mean(values), batches}) {
        if (!other) continue;
        result.deviation = std::max(result.deviation, other->deviation);
        result.effective_size = std::min(result.effective_size, other->effective_size);
    }
    return result;
}

std::optional<Interval> serial_mean_interval(std::span<const double> values, double level) {
    const auto estimate = serial_mean(values);
    if (!estimate || !(level > 0 && level < 1)) return std::nullopt;
    const boost::math::students_t distribution(std::max(1.0, estimate->effective_size - 1));
    const double half = boost::math::quantile(distribution, 0.5 + level / 2) * estimate->deviation;
    return Interval{estimate->mean - half, estimate->mean + half, level};
}

}  // namespace fsadvise::models
