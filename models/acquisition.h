// What a further trial is worth: expected improvement for maximisation, and when nothing is left to gain.
//
// Units: of the surrogate's targets (natural logarithms); probabilities have none.
// Errors: none; an empty set is worth nothing.
// Threads: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "models/surrogate.h"

namespace fsadvise::models {

// E[max(0, X - best)] for X ~ N(mean, deviation^2). Source: Jones, Schonlau, Welch 1998.
double expected_improvement(double mean, double deviation, double best);

// Its natural logarithm, right to rounding also where the improvement itself is 0 in a double, so that
// hopeless candidates still have an order; -infinity for a certain loss.
// Source: Ament, Daulton, Eriksson, Balandat, Bakshy, NeurIPS 2023 (LogEI).
double log_expected_improvement(double mean, double deviation, double best);

// The tried point with the best expected value. The best single measurement would be a lucky one.
struct Incumbent {
    std::size_t index = 0;
    Prediction prediction;
};
std::optional<Incumbent> best_expected(const Surrogate& surrogate, std::span<const Point> tried);

// What the untried points may still bring over the best tried one, from joint draws.
struct RemainingImprovement {
    // E[max(0, max over untried f - f(incumbent))]: not above the best of all, as one point cannot bring
    // more.
    double expected = 0;
    double q95 = 0;          // exceeded with 5 % probability
    double probability = 0;  // that any untried point is better at all
};
RemainingImprovement remaining_improvement(const Surrogate& surrogate, std::span<const Point> tried,
                                           std::span<const Point> untried, std::size_t draws = 512,
                                           std::uint64_t seed = 1);

// Probability of each point of being the best of the set.
std::vector<double> probability_of_best(const Surrogate& surrogate, std::span<const Point> points,
                                        std::size_t draws = 2048, std::uint64_t seed = 1);

}  // namespace fsadvise::models
