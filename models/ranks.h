// Ranks with ties averaged, the ground of all rank methods here.
//
// Bounds: O(n log n).
#pragma once

#include <span>
#include <vector>

namespace fsadvise::models {

struct Ranks {
    std::vector<double> of;  // from 1, in the order of the values; equal values share their mean rank
    double tie_term = 0;     // sum of t^3 - t over the groups of t equal values; 0 without ties
};
// `values` must not hold NaN, which has no place in an order.
Ranks ranks_of(std::span<const double> values);

// Whether every value is finite: NaN and infinity are no measurements.
bool all_finite(std::span<const double> values);

}  // namespace fsadvise::models
