// Checks of simulated shares: how often an interval covers, a test rejects.
#pragma once

#include <cmath>
#include <random>
#include <vector>

#include <doctest/doctest.h>

namespace fsadvise::test {

// Binomial standard deviations that a right method stays within in all but one of 2,000 checks.
inline constexpr double kMonteCarloLimit = 3.5;

inline double monte_carlo_error(double share, int total) {
    return kMonteCarloLimit * std::sqrt(share * (1 - share) / total);
}

inline void check_share(int hits, int total, double expected) {
    const double share = static_cast<double>(hits) / total;
    CAPTURE(share);
    CHECK(std::abs(share - expected) <= monte_carlo_error(expected, total));
}

inline void check_at_most(int hits, int total, double expected) {
    const double share = static_cast<double>(hits) / total;
    CAPTURE(share);
    CHECK(share <= expected + monte_carlo_error(expected, total));
}

inline void check_at_least(int hits, int total, double expected) {
    const double share = static_cast<double>(hits) / total;
    CAPTURE(share);
    CHECK(share >= expected - monte_carlo_error(expected, total));
}

inline std::vector<double> normal_values(std::mt19937_64& random, std::size_t count, double mean = 0,
                                         double deviation = 1) {
    std::normal_distribution<double> normal(mean, deviation);
    std::vector<double> values(count);
    for (double& value : values) value = normal(random);
    return values;
}

// First-order autoregression of variance 1, in its steady distribution from the first value on.
inline std::vector<double> autoregression(std::mt19937_64& random, std::size_t count, double correlation) {
    std::normal_distribution<double> normal;
    std::vector<double> values(count);
    double last = normal(random);
    for (double& value : values)
        value = last = correlation * last + std::sqrt(1 - correlation * correlation) * normal(random);
    return values;
}

}  // namespace fsadvise::test
