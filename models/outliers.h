// Values that stand far from the others. They are pointed out, never removed.
//
// Units: z has none. Errors: fewer than 3 finite values flag nothing but what is not finite.
// Source: Iglewicz, Hoaglin, How to Detect and Handle Outliers, ASQC (1993): modified z-score
// 0.6745 (x - median) / MAD above 3.5; where more than half of the values are equal (MAD = 0), the mean
// absolute deviation takes its place: (x - median) / (1.2533 MeanAD), as in IBM SPSS Statistics Algorithms.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace fsadvise::models {

inline constexpr double kOutlierLimit = 3.5;

// Modified z-score of every value, in order; NaN for a value that is not finite, 0 if all finite ones are
// equal.
std::vector<double> robust_z(std::span<const double> values);

// Indices with |z| above the limit, and of values that are not finite.
std::vector<std::size_t> outliers(std::span<const double> values, double limit = kOutlierLimit);

}  // namespace fsadvise::models
