// Series in time order: steady state, change point, honest standard errors of correlated values.
#include <algorithm>
#include <limits>

#include "models/change_point.h"
#include "models/serial_correlation.h"
#include "models/steady_state.h"

#include "models_simulation.h"

using namespace fsadvise::models;
using namespace fsadvise::test;
using doctest::Approx;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr int kStudies = 2000;

}  // namespace

TEST_CASE("steady state follows the SNIA limits and says which one failed") {
    CHECK(is_steady(std::vector<double>{100, 105, 95, 102, 98}));
    const auto range = find_steady(std::vector<double>{100, 95, 125, 98, 102});
    CHECK_FALSE(range.first.has_value());
    CHECK(range.failed == "range 28.8 % of the mean, limit 20 %");  // 30 of 104
    const auto slope = find_steady(std::vector<double>{93, 97, 100, 104, 108});
    CHECK(slope.failed ==
          "slope moves +14.7 % of the mean, limit 10 %");  // 3.7 a round over 4 rounds, of 100.4
    CHECK(find_steady(std::vector<double>{50, 80, 110, 130, 150}).failed.find("; slope") !=
          std::string::npos);
}

TEST_CASE("the limits themselves are still steady") {
    const auto at_range = check_steady(std::vector<double>{90, 110, 100, 110, 90});
    CHECK(at_range.range == Approx(0.20));
    CHECK(at_range.steady());
    CHECK_FALSE(check_steady(std::vector<double>{89.9, 110, 100, 110, 90}).range_ok);
    // A line from 95 to 105 climbs by 10 % of 100.
    CHECK(check_steady(std::vector<double>{95, 97.5, 100, 102.5, 105}).slope == Approx(0.10));
    CHECK_FALSE(check_steady(std::vector<double>{94.9, 97.5, 100, 102.5, 105.2}).slope_ok);
}

TEST_CASE("the first steady window comes after the fresh rounds of a device") {
    const std::vector<double> series = {400, 300, 220, 150, 120, 105, 100, 98, 101, 99, 100};
    const auto found = find_steady(series);
    REQUIRE(found.first.has_value());
    CHECK(*found.first == 5);
    CHECK(found.check.mean == Approx(100.6));
    CHECK(found.failed.empty());
}

TEST_CASE("steady state refuses what is no series of rates") {
    CHECK(find_steady({}).failed == "0 rounds, the rule needs 5");
    CHECK(find_steady(std::vector<double>(4, 1.0)).failed == "4 rounds, the rule needs 5");
    CHECK_FALSE(is_steady(std::vector<double>{1}));
    CHECK_FALSE(is_steady(std::vector<double>{0, 0, 0, 0, 0}));
    CHECK_FALSE(is_steady(std::vector<double>{1, 1, kNan, 1, 1}));
    CHECK_FALSE(find_steady(std::vector<double>{1, 1, kNan, 1, 1}).failed.empty());
    CHECK(is_steady(std::vector<double>(5, 3.0)));
}

TEST_CASE("a change point by hand: two levels of four") {
    const auto change = pettitt(std::vector<double>{1, 1, 1, 1, 5, 5, 5, 5}, 20000);
    REQUIRE(change.has_value());
    CHECK(change->index == 4);
    CHECK(change->statistic == 16);
    CHECK(change->shift() == 4);
    CHECK(pettitt_limit_p(16, 8) == Approx(2 * std::exp(-1536.0 / 576)));
    // Only 2 of the 70 orders are as clean.
    CHECK(change->p == Approx(2.0 / 70).epsilon(0.12));
}

TEST_CASE("the change point of odd series") {
    CHECK_FALSE(pettitt({}).has_value());
    CHECK_FALSE(pettitt(std::vector<double>{1, 2, 3}).has_value());
    CHECK_FALSE(pettitt(std::vector<double>{1, 2, kNan, 4, 5}).has_value());
    CHECK(pettitt(std::vector<double>(10, 2.0))->p == 1);
    CHECK(pettitt(std::vector<double>(10, 2.0))->shift() == 0);
}

TEST_CASE("the change point test keeps its level, finds a shift and its place") {
    std::mt19937_64 random(6);
    int false_alarms = 0, found = 0, placed = 0;
    for (int i = 0; i < kStudies; ++i) {
        auto series = normal_values(random, 24);
        false_alarms += pettitt(series, 199, static_cast<std::uint64_t>(i))->p <= 0.05 ? 1 : 0;
        for (std::size_t j = 10; j < series.size(); ++j) series[j] += 2;
        const auto change = pettitt(series, 199, static_cast<std::uint64_t>(i));
        found += change->p <= 0.05 ? 1 : 0;
        placed += change->index >= 8 && change->index <= 12 ? 1 : 0;
    }
    check_at_most(false_alarms, kStudies, 0.05);
    check_at_least(false_alarms, kStudies, 0.035);
    check_at_least(found, kStudies, 0.95);
    check_at_least(placed, kStudies, 0.85);
}

TEST_CASE("autocorrelation by hand") {
    const std::vector<double> values = {1, 2, 3, 4};
    CHECK(autocorrelation(values, 0) == Approx(1));
    CHECK(autocorrelation(values, 1) == Approx((0.75 - 0.25 + 0.75) / 5));
    CHECK(autocorrelation(values, 4) == 0);
    CHECK(autocorrelation(std::vector<double>(5, 2.0), 1) == 0);
}

TEST_CASE("the error of a mean of odd series") {
    CHECK_FALSE(serial_mean({}).has_value());
    CHECK_FALSE(serial_mean(std::vector<double>{1}).has_value());
    CHECK_FALSE(serial_mean(std::vector<double>{1, kNan, 2}).has_value());
    CHECK_FALSE(serial_mean_interval(std::vector<double>{1}).has_value());
    const auto constant = serial_mean(std::vector<double>(20, 3.0));
    CHECK(constant->deviation == 0);
    CHECK(constant->mean == 3);
    const auto two = serial_mean(std::vector<double>{1, 3});
    CHECK(two->mean == 2);
    CHECK(two->deviation >= 1);  // sqrt(2) / sqrt(2) if independent
    CHECK_FALSE(batch_mean(std::vector<double>{1, 2, 3}, 2).has_value());
}

TEST_CASE("batch means by hand") {
    // The batches {1, 3}, {5, 7} have the means 2 and 6; what is left over stands at the start.
    const auto batched = batch_mean(std::vector<double>{9, 1, 3, 5, 7}, 2);
    REQUIRE(batched.has_value());
    CHECK(batched->deviation == Approx(std::sqrt(8.0 / 2)));
}

TEST_CASE("intervals of correlated windows cover the mean, which those for independent values do not") {
    std::mt19937_64 random(7);
    struct Row {
        double correlation;
        std::size_t count;
        double least, most, independent_most;
    };
    // Short series of long memory hold too little to be covered fully; what they reach is stated here.
    for (const Row& row :
         {Row{0.0, 8, 0.95, 0.97, 1}, Row{0.0, 40, 0.95, 0.98, 1}, Row{0.3, 16, 0.92, 0.97, 0.88},
          Row{0.6, 40, 0.92, 0.97, 0.72}, Row{0.6, 100, 0.94, 0.97, 0.72}, Row{0.9, 100, 0.91, 0.96, 0.40}}) {
        int covered = 0, independent = 0;
        for (int i = 0; i < kStudies; ++i) {
            const auto values = autoregression(random, row.count, row.correlation);
            const auto honest = serial_mean_interval(values), plain = mean_interval(values);
            covered += honest->low <= 0 && 0 <= honest->high ? 1 : 0;
            independent += plain->low <= 0 && 0 <= plain->high ? 1 : 0;
        }
        CAPTURE(row.correlation);
        CAPTURE(row.count);
        check_at_least(covered, kStudies, row.least);
        check_at_most(covered, kStudies, row.most);
        check_at_most(independent, kStudies, row.independent_most);
    }
}

TEST_CASE("the standard error of a long correlated series is right, and so is the effective size") {
    std::mt19937_64 random(8);
    constexpr double kCorrelation = 0.5;  // the variance of the mean is (1 + r) / (1 - r) = 3 times 1 / n
    constexpr std::size_t kCount = 500;
    double first_order = 0, newey_west = 0, batches = 0, size = 0, lag_one = 0;
    constexpr int kSeries = 200;
    for (int i = 0; i < kSeries; ++i) {
        const auto values = autoregression(random, kCount, kCorrelation);
        first_order += first_order_mean(values)->deviation / kSeries;
        newey_west += newey_west_mean(values)->deviation / kSeries;
        batches += batch_mean(values)->deviation / kSeries;
        size += first_order_mean(values)->effective_size / kSeries;
        lag_one += first_order_mean(values)->lag_one / kSeries;
    }
    const double truth = std::sqrt(3.0 / kCount);
    CHECK(first_order == Approx(truth).epsilon(0.03));
    CHECK(newey_west == Approx(truth).epsilon(0.10));
    CHECK(batches == Approx(truth).epsilon(0.08));
    CHECK(size == Approx(kCount / 3.0).epsilon(0.05));
    CHECK(lag_one == Approx(kCorrelation).epsilon(0.02));
}

TEST_CASE("a slow part beneath independent noise widens the interval") {
    std::mt19937_64 random(9);
    int honest_hits = 0, plain_hits = 0;
    constexpr int kSeries = 500;
    for (int i = 0; i < kSeries; ++i) {
        const auto slow = autoregression(random, 400, 0.95), fast = autoregression(random, 400, 0);
        std::vector<double> values;
        for (std::size_t j = 0; j < slow.size(); ++j) values.push_back(0.7 * slow[j] + fast[j]);
        const auto honest = serial_mean_interval(values), plain = mean_interval(values);
        honest_hits += honest->low <= 0 && 0 <= honest->high ? 1 : 0;
        plain_hits += plain->low <= 0 && 0 <= plain->high ? 1 : 0;
    }
    check_at_least(honest_hits, kSeries, 0.84);
    check_at_most(plain_hits, kSeries, 0.50);
}

TEST_CASE("values that alternate are not taken for more than they are") {
    std::mt19937_64 random(10);
    const auto values = autoregression(random, 200, -0.6);
    const auto estimate = serial_mean(values);
    CHECK(estimate->deviation >= standard_deviation(values) / std::sqrt(200.0) * 0.999);
    CHECK(estimate->effective_size <= 200);
    CHECK(estimate->lag_one == Approx(-0.6).epsilon(0.25));
}
