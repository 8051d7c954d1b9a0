// Two independent samples compared by ranks: Mann-Whitney U, effect size, Hodges-Lehmann shift.
//
// Units: the shift has the unit of the values; probabilities and Cliff's delta have none.
// Errors: an empty sample or a value that is not finite gives nullopt.
// Bounds: the exact distribution costs O((n m)^2) up to kExactLimit a side; the shift keeps n*m differences.
// Source: Mann, Whitney, Annals of Mathematical Statistics 18 (1947) 50-60; Cliff, Psychological Bulletin 114
// (1993) 494-509; Hodges, Lehmann, Annals of Mathematical Statistics 34 (1963) 598-611; Hollander, Wolfe,
// Chicken, Nonparametric Statistical Methods, 3rd ed., ch. 4 (tie correction, interval of the shift).
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace fsadvise::models {

inline constexpr std::size_t kExactLimit = 20;

struct RankTest {
    double u = 0;              // pairs with a > b, ties count half
    double p_two_sided = 1;    // of "both come from one distribution"
    bool exact = false;        // false: normal approximation with tie and continuity correction
    double superiority = 0.5;  // P(a > b) + P(a = b) / 2
    double cliffs_delta = 0;   // P(a > b) - P(a < b), from -1 to 1
};
std::optional<RankTest> mann_whitney(std::span<const double> a, std::span<const double> b);

struct ShiftEstimate {
    double shift = 0;           // median of all differences a - b
    bool has_interval = false;  // false: so few values support no interval (3 against 3 at 95 %)
    double low = 0, high = 0;
    double level =
        0;  // reached, at least what was asked for; the exact count assumes no ties, else it is a bound
};
std::optional<ShiftEstimate> hodges_lehmann_shift(std::span<const double> a, std::span<const double> b,
                                                  double level = 0.95);

// P(U <= u) for every u from 0 to n*m, without ties.
std::vector<double> mann_whitney_distribution(std::size_t n, std::size_t m);

}  // namespace fsadvise::models
