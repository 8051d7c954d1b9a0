// How well two series agree in order: Spearman's rho and Kendall's tau-b, each with an interval.
//
// Units: none, from -1 to 1.
// Errors: series of unequal length, fewer than 2 pairs, a value that is not finite, or a constant series
// gives nullopt; too few pairs for the interval (4 for rho, 5 for tau) leave it out. Bounds: O(n log n) for
// rho, O(n^2) for tau. Source: Bonett, Wright, Psychometrika 65 (2000) 23-28 (standard error of rho on
// Fisher's scale); Fieller, Hartley, Pearson, Biometrika 44 (1957) 470-481 (of tau); Kendall, Biometrika 33
// (1945) 239-251 (ties).
#pragma once

#include <optional>
#include <span>

#include "models/bootstrap.h"

namespace fsadvise::models {

struct Correlation {
    double value = 0;
    std::optional<Interval> interval;
};

std::optional<Correlation> spearman(std::span<const double> x, std::span<const double> y,
                                    double level = 0.95);
std::optional<Correlation> kendall(std::span<const double> x, std::span<const double> y, double level = 0.95);

// Spearman's rho with a bootstrap interval in place of Fisher's, for many ties or a rho near 1.
std::optional<Correlation> spearman_bootstrap(std::span<const double> x, std::span<const double> y,
                                              const BootstrapOptions& options = {});

}  // namespace fsadvise::models
