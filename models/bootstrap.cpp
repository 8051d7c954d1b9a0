#include "models/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include <boost/math/distributions/normal.hpp>

#include "models/ranks.h"

namespace fsadvise::models {
namespace {

// How skewed the statistic is, from leaving out one value at a time; 0 if that moves nothing.
double acceleration_of(std::size_t count, const IndexStatistic& statistic) {
    std::vector<double> without(count);
    std::vector<std::size_t> indices(count - 1);
    for (std::size_t left_out = 0; left_out < count; ++left_out) {
        for (std::size_t i = 0; i + 1 < count; ++i) indices[i] = i < left_out ? i : i + 1;
        without[left_out] = statistic(indices);
    }
    if (!all_finite(without)) return 0;
    const double center = mean(without);
    double squares = 0, cubes = 0;
    for (const double value : without) {
        const double distance = center - value;
        squares += distance * distance;
        cubes += distance * distance * distance;
    }
    return squares > 0 ? cubes / (6 * std::pow(squares, 1.5)) : 0;
}

// Probabilities at which the resampled statistics are read.
struct Tails {
    double low = 0, high = 0;
};

Tails corrected_tails(const std::vector<double>& resampled, double observed, double acceleration,
                      double level) {
    // Equal values count half: a median takes few distinct values.
    const auto [first, last] = std::equal_range(resampled.begin(), resampled.end(), observed);
    const auto count = static_cast<double>(resampled.size());
    const double below =
        static_cast<double>(first - resampled.begin()) + static_cast<double>(last - first) / 2;
    const double share = std::clamp(below / count, 0.5 / count, 1 - 0.5 / count);
    const boost::math::normal standard;
    const double bias = boost::math::quantile(standard, share);
    const auto tail = [&](double probability) {
        const double z = bias + boost::math::quantile(standard, probability);
        const double shrink = 1 - acceleration * z;
        // Beyond this pole the correction turns round; the outermost resample is all that can be said.
        if (shrink <= 0) return z > 0 ? 1.0 : 0.0;
        return boost::math::cdf(standard, bias + z / shrink);
    };
    return {tail((1 - level) / 2), tail((1 + level) / 2)};
}

}  // namespace

std::optional<Interval> bootstrap_index_interval(std::size_t count, const IndexStatistic& statistic,
                                                 const BootstrapOptions& options) {
    if (count < 2 || options.resamples < 1 || !(options.level > 0 && options.level < 1)) return std::nullopt;
    std::vector<std::size_t> indices(count);
    std::iota(indices.begin(), indices.end(), std::size_t{0});
    const double observed = statistic(indices);
    if (!std::isfinite(observed)) return std::nullopt;
    std::mt19937_64 random(options.seed);
    std::uniform_int_distribution<std::size_t> pick(0, count - 1);
    std::vector<double> resampled;
    resampled.reserve(static_cast<std::size_t>(options.resamples));
    for (int i = 0; i < options.resamples; ++i) {
        for (std::size_t& index : indices) index = pick(random);
        // A resample of one value over and over has no correlation; it is left out, as it says nothing.
        if (const double value = statistic(indices); std::isfinite(value)) resampled.push_back(value);
    }
    if (resampled.size() < static_cast<std::size_t>(options.resamples) / 2 + 1) return std::nullopt;
    std::sort(resampled.begin(), resampled.end());
    Tails tails{(1 - options.level) / 2, (1 + options.level) / 2};
    if (options.method == BootstrapMethod::kBca) {
        tails = corrected_tails(resampled, observed, acceleration_of(count, statistic), options.level);
    }
    return Interval{quantile(resampled, tails.low), quantile(resampled, tails.high), options.level};
}

std::optional<Interval> bootstrap_interval(std::span<const double> values, const Statistic& statistic,
                                           const BootstrapOptions& options) {
    if (!all_finite(values)) return std::nullopt;
    std::vector<double> drawn;
    const auto of_indices = [&](std::span<const std::size_t> indices) {
        drawn.clear();
        for (const std::size_t index : indices) drawn.push_back(values[index]);
        return statistic(drawn);
    };
    return bootstrap_index_interval(values.size(), of_indices, options);
}

}  // namespace fsadvise::models
