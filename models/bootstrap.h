// Bootstrap interval of any statistic: percentile, or bias-corrected and accelerated (BCa).
//
// Units: of the statistic.
// Errors: fewer than 2 values, no resamples, a value or a statistic that is not finite gives nullopt.
// Threads: any; the same seed gives the same interval.
// Bounds: resamples + n calls of the statistic. Below about 10 values either interval is too short; prefer
// median_interval() or a t interval there.
// Source: Efron, Tibshirani, An Introduction to the Bootstrap (1993), ch. 13 and 14.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "models/statistics.h"

namespace fsadvise::models {

enum class BootstrapMethod { kPercentile, kBca };

struct BootstrapOptions {
    double level = 0.95;
    int resamples = 2000;
    std::uint64_t seed = 1;
    BootstrapMethod method = BootstrapMethod::kBca;
};

using Statistic = std::function<double(std::span<const double>)>;
std::optional<Interval> bootstrap_interval(std::span<const double> values, const Statistic& statistic,
                                           const BootstrapOptions& options = {});

// The same for values that belong together (pairs of a correlation): the statistic gets the drawn indices.
using IndexStatistic = std::function<double(std::span<const std::size_t>)>;
std::optional<Interval> bootstrap_index_interval(std::size_t count, const IndexStatistic& statistic,
                                                 const BootstrapOptions& options = {});

}  // namespace fsadvise::models
