// Robust statistics of repeated and paired measurements.
//
// Units: whatever the caller measures; log-ratios are natural logarithms.
// Errors: too few values give an interval of nullopt, never a made-up one.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace fsadvise::models {

struct Interval {
    double low = 0, high = 0;
    double level = 0.95;  // confidence actually reached (order statistics are discrete)
};

double mean(std::span<const double> values);
double standard_deviation(std::span<const double> values);  // n-1
double median(std::span<const double> values);
double quantile(std::span<const double> values, double probability);  // type 7
// Median absolute deviation times 1.4826.
double robust_deviation(std::span<const double> values);

// Distribution-free interval of the median from order statistics; nullopt if n cannot reach `level` (n < 6
// for 0.95). Source: binomial order-statistic interval, e.g. Conover, Practical Nonparametric Statistics,
// ch. 3.
std::optional<Interval> median_interval(std::span<const double> values, double level = 0.95);
// Student t interval of the mean; nullopt for n < 2.
std::optional<Interval> mean_interval(std::span<const double> values, double level = 0.95);

struct RatioEstimate {
    double ratio = 1, low = 1, high = 1;
    double level = 0.95;
    std::size_t pairs = 0;
};
// Mean of paired ln(a/b) with a t interval, back-transformed; nullopt if fewer than two usable pairs
// (non-positive values are not usable).
std::optional<RatioEstimate> paired_ratio(std::span<const double> a, std::span<const double> b,
                                          double level = 0.95);
// The same from log-ratios (one a replicate).
std::optional<RatioEstimate> ratio_from_logs(std::span<const double> log_ratios, double level = 0.95);

// The same for log-ratios taken under two conditions that swap a systematic bias (candidate on area 0, on
// area 1): the bias cancels in the mean of the two group means, and its size does not widen the interval,
// which rests on the spread within the groups. nullopt unless each group has a value and together they have
// at least three. Source: two-way layout without interaction, e.g. Box, Hunter, Hunter, Statistics for
// Experimenters, ch. 4.
std::optional<RatioEstimate> ratio_from_swapped_logs(std::span<const double> one,
                                                     std::span<const double> other, double level = 0.95);

}  // namespace fsadvise::models
