// Whether the level of a series changed once, where, and by how much: Pettitt's test.
//
// Units: the shift has the unit of the values.
// Errors: fewer than 4 values or a value that is not finite gives nullopt.
// Bounds: O(n^2 + permutations * n); the p-value is by permutation with a fixed seed, so it is the same every
// time. Source: Pettitt, Applied Statistics 28 (1979) 126-135; permutation p (count + 1) / (permutations + 1)
// after Phipson, Smyth, Statistical Applications in Genetics and Molecular Biology 9 (2010) article 39.
// Permutation takes the values as exchangeable: average serially correlated ones over rounds first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace fsadvise::models {

struct ChangePoint {
    std::size_t index = 0;         // first value of the new level
    double before = 0, after = 0;  // medians
    double statistic = 0;          // Pettitt's K
    double p = 1;
    [[nodiscard]] double shift() const { return after - before; }
};

std::optional<ChangePoint> pettitt(std::span<const double> series, int permutations = 1999,
                                   std::uint64_t seed = 1);

// The p-value that Pettitt gives for large n: 2 exp(-6 K^2 / (n^3 + n^2)); conservative for small n.
double pettitt_limit_p(double statistic, std::size_t n);

}  // namespace fsadvise::models
