// Points that no other point is at least as good as in every coordinate and better in one.
//
// Bounds: quadratic in the number of points. Threads: any.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace fsadvise::models {

// Whether `a` is at least as good as `b` everywhere and better somewhere; more is better.
bool dominates(std::span<const double> a, std::span<const double> b);

// Places of the points that none dominates, in order. Points with a coordinate that is no number are left
// out; equal points do not dominate each other.
std::vector<std::size_t> pareto_front(std::span<const std::vector<double>> points);

}  // namespace fsadvise::models
