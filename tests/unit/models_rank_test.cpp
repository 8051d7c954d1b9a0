// Mann-Whitney, Hodges-Lehmann, Spearman and Kendall: textbook values, ties, odd input, coverage, false
// positives, power.
#include <limits>

#include "models/rank_correlation.h"
#include "models/rank_tests.h"
#include "models/ranks.h"

#include "models_simulation.h"

using namespace fsadvise::models;
using namespace fsadvise::test;
using doctest::Approx;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr int kStudies = 2000;

}  // namespace

TEST_CASE("ranks share the mean place among ties") {
    const Ranks ranks = ranks_of(std::vector<double>{3, 1, 3, 2, 3});
    CHECK(ranks.of == std::vector<double>{4, 1, 4, 2, 4});
    CHECK(ranks.tie_term == 24);
    CHECK(ranks_of({}).of.empty());
}

TEST_CASE("the exact distribution of U agrees with counting by hand") {
    // 3 against 3: 20 orders with 1 1 2 3 3 3 3 2 1 1 of them at U = 0 .. 9.
    const std::vector<double> expected = {1, 2, 4, 7, 10, 13, 16, 18, 19, 20};
    const auto distribution = mann_whitney_distribution(3, 3);
    REQUIRE(distribution.size() == expected.size());
    for (std::size_t u = 0; u < expected.size(); ++u) CHECK(distribution[u] == Approx(expected[u] / 20));
    CHECK(mann_whitney_distribution(2, 5)[1] == Approx(2.0 / 21));
    CHECK(mann_whitney_distribution(5, 2)[1] == Approx(2.0 / 21));
}

TEST_CASE("the exact distribution agrees with the printed tables of critical values") {
    // Two-sided 5 % points of U: largest u with P(U <= u) <= 0.025.
    struct Row {
        std::size_t n, m, u;
    };
    for (const Row& row :
         {Row{4, 4, 0}, Row{5, 5, 2}, Row{5, 8, 6}, Row{8, 8, 13}, Row{10, 10, 23}, Row{20, 20, 127}}) {
        const auto distribution = mann_whitney_distribution(row.n, row.m);
        CAPTURE(row.n);
        CHECK(distribution[row.u] <= 0.025);
        CHECK(distribution[row.u + 1] > 0.025);
    }
}

TEST_CASE("Mann-Whitney on the membrane data of Hollander and Wolfe, example 4.1") {
    const std::vector<double> term = {0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46};
    const std::vector<double> early = {1.15, 0.88, 0.90, 0.74, 1.21};
    const auto test = mann_whitney(term, early);
    REQUIRE(test.has_value());
    CHECK(test->exact);
    CHECK(test->u == 35);
    CHECK(test->p_two_sided == Approx(2 * 0.1272).epsilon(0.001));
    CHECK(test->superiority == Approx(0.7));
    CHECK(test->cliffs_delta == Approx(0.4));
    const auto shift = hodges_lehmann_shift(term, early);
    REQUIRE(shift.has_value());
    CHECK(shift->shift == Approx(0.305));
    const auto mirrored = mann_whitney(early, term);
    CHECK(mirrored->u == 15);
    CHECK(mirrored->p_two_sided == Approx(test->p_two_sided));
}

TEST_CASE("ties take the corrected normal approximation") {
    // By hand: U = 1, variance 3 * 3 / 12 * (7 - 24 / 30) = 4.65, z = (3.5 - 0.5) / sqrt(4.65) = 1.3912.
    const auto test = mann_whitney(std::vector<double>{1, 2, 2}, std::vector<double>{2, 3, 4});
    REQUIRE(test.has_value());
    CHECK_FALSE(test->exact);
    CHECK(test->u == 1);
    CHECK(test->p_two_sided == Approx(0.1642).epsilon(0.001));
    const auto equal = mann_whitney(std::vector<double>{5, 5, 5}, std::vector<double>{5, 5});
    CHECK(equal->p_two_sided == 1);
    CHECK(equal->superiority == 0.5);
}

TEST_CASE("rank tests refuse what has no order, and say little about very little") {
    const std::vector<double> none, one = {1}, two = {2, 3};
    CHECK_FALSE(mann_whitney(none, two).has_value());
    CHECK_FALSE(mann_whitney(one, std::vector<double>{kNan, 1}).has_value());
    CHECK_FALSE(hodges_lehmann_shift(two, std::vector<double>{1, INFINITY}).has_value());
    CHECK(mann_whitney(one, two)->p_two_sided == Approx(2.0 / 3));
    CHECK(mann_whitney(one, one)->p_two_sided == 1);
    const auto shift = hodges_lehmann_shift(two, one);
    CHECK(shift->shift == 1.5);
    CHECK_FALSE(shift->has_interval);
    CHECK_FALSE(
        hodges_lehmann_shift(std::vector<double>{1, 2, 3}, std::vector<double>{4, 5, 6})->has_interval);
    CHECK(
        hodges_lehmann_shift(std::vector<double>{1, 2, 3, 4}, std::vector<double>{4, 5, 6, 7})->has_interval);
}

TEST_CASE("Mann-Whitney keeps its level on equal skewed samples, exact and approximate, and finds a shift") {
    std::mt19937_64 random(1);
    std::lognormal_distribution<double> skewed;
    for (const std::size_t count : {std::size_t{7}, std::size_t{25}}) {
        int equal = 0, shifted = 0;
        for (int i = 0; i < kStudies; ++i) {
            std::vector<double> a(count), b(count);
            for (double& value : a) value = skewed(random);
            for (double& value : b) value = skewed(random);
            equal += mann_whitney(a, b)->p_two_sided <= 0.05 ? 1 : 0;
            for (double& value : b) value += 3;
            shifted += mann_whitney(a, b)->p_two_sided <= 0.05 ? 1 : 0;
        }
        check_at_most(equal, kStudies, 0.05);
        check_at_least(equal, kStudies, 0.03);  // discrete, but not asleep
        check_at_least(shifted, kStudies, 0.80);
    }
}

TEST_CASE("the approximation is close to the exact p where both can be had") {
    std::mt19937_64 random(2);
    for (int i = 0; i < 50; ++i) {
        const auto a = normal_values(random, 20), b = normal_values(random, 20, 0.5);
        auto longer = b;
        longer.push_back(b.front() + 1e-9);  // 21 values: beyond the exact limit
        CHECK(mann_whitney(a, longer)->p_two_sided ==
              Approx(mann_whitney(a, b)->p_two_sided).epsilon(0.12).scale(1));
        CHECK_FALSE(mann_whitney(a, longer)->exact);
    }
}

TEST_CASE("the Hodges-Lehmann interval covers the shift as often as it says") {
    std::mt19937_64 random(3);
    std::student_t_distribution<double> heavy(2);
    for (const std::size_t count : {std::size_t{6}, std::size_t{24}}) {
        int covered = 0;
        double level = 0;
        for (int i = 0; i < kStudies; ++i) {
            std::vector<double> a(count), b(count);
            for (double& value : a) value = 4 + heavy(random);
            for (double& value : b) value = heavy(random);
            const auto shift = hodges_lehmann_shift(a, b);
            REQUIRE(shift->has_interval);
            level = shift->level;
            covered += shift->low <= 4 && 4 <= shift->high ? 1 : 0;
        }
        CHECK(level >= 0.95);
        CHECK(level < 0.975);
        check_share(covered, kStudies, level);
    }
}

TEST_CASE("rank correlations agree with values worked out by hand") {
    const std::vector<double> x = {1, 2, 3, 4, 5}, y = {2, 1, 4, 3, 5};
    CHECK(spearman(x, y)->value == Approx(0.8));  // 1 - 6 * 4 / (5 * 24)
    CHECK(kendall(x, y)->value == Approx(0.6));   // 8 pairs agree, 2 do not
    const std::vector<double> tied = {1, 2, 2, 3}, order = {1, 2, 3, 4};
    CHECK(kendall(tied, order)->value == Approx(5 / std::sqrt(30.0)));
    CHECK(spearman(tied, order)->value == Approx(4.5 / std::sqrt(4.5 * 5)));
    const std::vector<double> iq = {106, 100, 86, 101, 99, 103, 97, 113, 112, 110};
    const std::vector<double> hours = {7, 27, 2, 50, 28, 29, 20, 12, 6, 17};
    CHECK(spearman(iq, hours)->value == Approx(-29.0 / 165));
    // Fisher's scale: atanh(0.8) +- 1.96 sqrt((1 + 0.32) / 2).
    CHECK(spearman(x, y)->interval->low == Approx(std::tanh(std::atanh(0.8) - 1.959964 * std::sqrt(0.66))));
}

TEST_CASE("rank correlations refuse what has no order and leave out what they cannot know") {
    const std::vector<double> two = {1, 2}, up = {1, 2, 3, 4, 5, 6};
    CHECK_FALSE(spearman({}, {}).has_value());
    CHECK_FALSE(spearman(std::vector<double>{1}, std::vector<double>{1}).has_value());
    CHECK_FALSE(spearman(two, up).has_value());
    CHECK_FALSE(kendall(two, std::vector<double>{1, kNan}).has_value());
    CHECK_FALSE(kendall(up, std::vector<double>(6, 3.0)).has_value());
    CHECK_FALSE(spearman(up, std::vector<double>(6, 3.0)).has_value());
    CHECK(spearman(two, two)->value == 1);
    CHECK_FALSE(spearman(two, two)->interval.has_value());
    CHECK(kendall(up, up)->value == 1);
    CHECK_FALSE(kendall(up, up)->interval.has_value());  // no spread to judge by
}

TEST_CASE("the intervals of rank correlations cover the truth") {
    // Bivariate normal of correlation r: rho = 6 / pi asin(r / 2), tau = 2 / pi asin(r).
    std::mt19937_64 random(4);
    constexpr double kPi = 3.14159265358979;
    for (const double r : {0.0, 0.6}) {
        const double rho = 6 / kPi * std::asin(r / 2), tau = 2 / kPi * std::asin(r);
        int by_rho = 0, by_tau = 0, false_claims = 0;
        for (int i = 0; i < kStudies; ++i) {
            const auto x = normal_values(random, 30);
            auto y = normal_values(random, 30);
            for (std::size_t j = 0; j < y.size(); ++j) y[j] = r * x[j] + std::sqrt(1 - r * r) * y[j];
            const auto a = spearman(x, y)->interval, b = kendall(x, y)->interval;
            by_rho += a->low <= rho && rho <= a->high ? 1 : 0;
            by_tau += b->low <= tau && tau <= b->high ? 1 : 0;
            false_claims += a->low > 0 || a->high < 0 ? 1 : 0;
        }
        // Both are approximations; 1 % beyond Monte-Carlo error is what Bonett and Wright report at this
        // size.
        check_at_least(by_rho, kStudies, 0.94);
        check_at_most(by_rho, kStudies, 0.96);
        check_at_least(by_tau, kStudies, 0.94);
        check_at_most(by_tau, kStudies, 0.97);
        if (r > 0)
            check_at_least(false_claims, kStudies, 0.85);  // then it is no false claim but power
        else
            check_at_most(false_claims, kStudies, 0.06);
    }
}

TEST_CASE("the bootstrap interval of rho is repeatable and of the same size as Fisher's") {
    std::mt19937_64 random(5);
    const auto x = normal_values(random, 60);
    auto y = normal_values(random, 60);
    for (std::size_t i = 0; i < y.size(); ++i) y[i] += x[i];
    const auto one = spearman_bootstrap(x, y), again = spearman_bootstrap(x, y), fisher = spearman(x, y);
    REQUIRE(one->interval.has_value());
    CHECK(one->interval->low == again->interval->low);
    CHECK(one->value == fisher->value);
    CHECK(one->interval->high - one->interval->low ==
          Approx(fisher->interval->high - fisher->interval->low).epsilon(0.35));
}
