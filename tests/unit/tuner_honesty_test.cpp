// The decision of a study on generated windows of known truth: a configuration compared with itself.
//
// The windows have what real ones have: neighbours resemble each other, tails are heavy, the scatter differs
// from one format to the next, and the two areas differ by 3 %, which swapping has to cancel.
#include <cmath>
#include <random>

#include <doctest/doctest.h>

#include "models/serial_correlation.h"
#include "tuner/executor/decision.h"
#include "tuner/executor/study_doubts.h"
#include "tuner/search/search.h"

using namespace fsadvise;
using namespace fsadvise::tuner;

namespace {

constexpr int kWindows = 20, kReplicates = 6;
constexpr double kAreaBias = 0.03;

struct Generated {
    double log_ratio = 0, deviation = 0;
};

// One duet: the scatter of its windows and of its placement is drawn anew for every format.
Generated duet(std::mt19937_64& random, double truth, int area, double bias) {
    std::student_t_distribution<double> heavy(3);
    std::lognormal_distribution<double> uneven(std::log(0.01), 0.5);
    const double window_noise = 2 * uneven(random);
    std::normal_distribution<double> placement(0, uneven(random));
    const double center = truth + (area == 0 ? bias : -bias) + placement(random);
    std::vector<double> windows;
    double last = 0;
    for (int i = 0; i < kWindows; ++i) {
        last = 0.5 * last + window_noise * heavy(random);
        windows.push_back(center + last);
    }
    const auto mean = models::serial_mean(windows);
    return {mean->mean, mean->deviation};
}

Decision study(std::mt19937_64& random, double truth, std::size_t contenders, int replicates = kReplicates) {
    std::uniform_int_distribution<int> side(0, 1);
    const double bias = side(random) == 0 ? kAreaBias : -kAreaBias;
    std::vector<Repeat> repeats;
    for (int i = 0; i < replicates; ++i) {
        const int area = candidate_area(i);
        repeats.push_back({i, area, duet(random, truth, area, bias).log_ratio});
    }
    const auto decision = decide(repeats, contenders);
    REQUIRE(decision.has_value());
    return *decision;
}

bool excludes_one(const Decision& decision) {
    return decision.estimate.low > 1 || decision.estimate.high < 1;
}

// Largest count that a share of `share` exceeds in less than one run of a thousand.
int binomial_bound(int total, double share) {
    double term = std::pow(1 - share, total), below = term;
    int count = 0;
    while (below < 0.999) {
        term *= (total - count) * share / ((count + 1) * (1 - share));
        below += term;
        ++count;
    }
    return count;
}

Trial trial_of(const std::vector<double>& rates, const std::string& phase) {
    Trial trial;
    trial.number = 4;
    for (std::size_t i = 0; i < rates.size(); ++i) {
        const std::string metrics = "{\"anchor\":{\"operations_per_s\":" + std::to_string(rates[i]) + "}}";
        trial.measurements.push_back({static_cast<int>(i), phase, 0.01, 0.01, metrics, "{}"});
    }
    return trial;
}

}  // namespace

TEST_CASE("the binomial bound of an A/A run") {
    CHECK(binomial_bound(1, 0.05) == 1);  // P(0) = 0.95, P(<= 1) = 1
    CHECK(binomial_bound(200, 0.05) == 21);
}

TEST_CASE("aa_honesty: 200 studies of a configuration against itself claim a difference in at most 5 %") {
    std::mt19937_64 random(101);
    constexpr int kStudies = 200;
    int claims = 0, excluded = 0;
    for (int i = 0; i < kStudies; ++i) {
        const Decision decision = study(random, 0, 1);
        claims += decision.material ? 1 : 0;
        excluded += excludes_one(decision) ? 1 : 0;
    }
    MESSAGE("material claims ", claims, ", intervals without 1: ", excluded, " of ", kStudies, ", bound ",
            binomial_bound(kStudies, 0.05));
    CHECK(claims <= binomial_bound(kStudies, 0.05));
    CHECK(excluded <= binomial_bound(kStudies, 0.05));
}

TEST_CASE(
    "aa_honesty: over many studies the share of false claims itself is below 5 %, one finalist or two") {
    std::mt19937_64 random(102);
    constexpr int kStudies = 2000;
    int claims = 0, excluded = 0, best_of_two = 0, either_of_two = 0;
    for (int i = 0; i < kStudies; ++i) {
        const Decision one = study(random, 0, 1);
        claims += one.material ? 1 : 0;
        excluded += excludes_one(one) ? 1 : 0;
        const Decision a = study(random, 0, 2), b = study(random, 0, 2);
        best_of_two += a.material || b.material ? 1 : 0;
        either_of_two += excludes_one(a) || excludes_one(b) ? 1 : 0;
    }
    MESSAGE("of ", kStudies, ": material ", claims, ", without 1 ", excluded, ", best of two material ",
            best_of_two, ", either without 1 ", either_of_two);
    const int bound = binomial_bound(kStudies, 0.05);
    CHECK(claims <= bound);
    CHECK(excluded <= bound);
    CHECK(best_of_two <= bound);
    CHECK(either_of_two <= bound);
    CHECK(excluded >= kStudies / 50);  // an interval that never errs is too wide to find anything
}

TEST_CASE("a difference that is there is found, and its interval covers it") {
    std::mt19937_64 random(103);
    constexpr int kStudies = 2000;
    int found = 0, covered = 0, median_covered = 0;
    const double truth = std::log(1.08);
    for (int i = 0; i < kStudies; ++i) {
        const Decision decision = study(random, truth, 1);
        found += decision.material ? 1 : 0;
        covered += decision.estimate.low <= 1.08 && 1.08 <= decision.estimate.high ? 1 : 0;
        median_covered += decision.median->low <= 1.08 && 1.08 <= decision.median->high ? 1 : 0;
    }
    CHECK(found > 0.85 * kStudies);
    CHECK(covered > 0.935 * kStudies);
    // Taking the bias of the areas out of six repeats costs two of their six degrees of freedom.
    CHECK(median_covered > 0.90 * kStudies);
}

TEST_CASE("a true difference of 1 % is rarely called material") {
    std::mt19937_64 random(104);
    int claims = 0;
    for (int i = 0; i < 1000; ++i) claims += study(random, std::log(1.01), 1).material ? 1 : 0;
    CHECK(claims < 250);
}

TEST_CASE("decisions from too few repeats are refused or not material") {
    CHECK_FALSE(decide({}, 1).has_value());
    CHECK_FALSE(decide(std::vector<Repeat>{{0, 0, 0.1}, {1, 1, 0.1}}, 1).has_value());
    CHECK_FALSE(decide(std::vector<Repeat>{{0, 0, 0.1}, {2, 0, 0.1}, {4, 0, 0.1}}, 1).has_value());
    const auto five =
        decide(std::vector<Repeat>{{0, 0, 0.100}, {1, 1, 0.101}, {2, 0, 0.099}, {3, 1, 0.1}, {4, 0, 0.1}}, 1);
    REQUIRE(five.has_value());
    CHECK(five->estimate.low > 1.05);
    CHECK_FALSE(five->material);
    CHECK_FALSE(five->median.has_value());
    CHECK(five->plan.more == 1);
    CHECK(repeats_line(*five).find("1 more repeat") != std::string::npos);
}

TEST_CASE("a repeat far from the others of its area is pointed out and kept") {
    std::vector<Repeat> repeats;
    Trial trial;
    trial.number = 3;
    for (int i = 0; i < 12; ++i) {
        const double value = 0.01 * (i % 3) + (i % 2 == 0 ? 0.2 : -0.2) + (i == 5 ? 0.5 : 0.0);
        repeats.push_back({i, i % 2, value});
        trial.measurements.push_back({i, "confirm", value, 0.01, "{}", "{}"});
    }
    const auto decision = decide(repeats, 1);
    REQUIRE(decision.has_value());
    CHECK(decision->outliers == std::vector<std::size_t>{5});
    CHECK(decision->estimate.pairs == 12);
    const auto lines = outlier_lines(trial, *decision);
    REQUIRE(lines.size() == 1);
    CHECK(lines[0].find("trial 3, confirmation 6:") == 0);
}

TEST_CASE("a lasting change in the rate of the default is told, noise is not") {
    std::vector<double> rates;
    for (int i = 0; i < 24; ++i) rates.push_back((i < 10 ? 1000 : 700) + 10 * (i % 4));
    const auto lines = drift_lines({trial_of(rates, "confirm")});
    REQUIRE(lines.size() == 1);
    CHECK(lines[0].find("changed by -29 % from confirmation 11 of trial 4 on") != std::string::npos);
    std::vector<double> level(rates.begin() + 10, rates.end());
    CHECK(drift_lines({trial_of(level, "search")}).empty());
    for (double& rate : rates) rate = rate < 900 ? 990 : 1000;  // significant, but 1 %
    CHECK(drift_lines({trial_of(rates, "search")}).empty());
    CHECK(drift_lines({}).empty());
    Trial bare;
    bare.measurements.push_back({0, "search", 0.01, 0.01, "no json", "{}"});
    CHECK(drift_lines({bare}).empty());
}

TEST_CASE("a rate that is not steady within many duets is told") {
    const auto study_with = [](int unsteady) {
        Trial trial;
        for (int i = 0; i < 8; ++i) {
            const std::string steady = i < unsteady ? "false" : "true";
            trial.measurements.push_back({i, "search", 0, 0.01,
                                          R"({"anchor":{"operations_per_s":100},"steady":)" + steady + "}",
                                          "{}"});
        }
        return std::vector<Trial>{trial};
    };
    CHECK(drift_lines(study_with(2)).empty());
    const auto lines = drift_lines(study_with(3));
    REQUIRE(lines.size() == 1);
    CHECK(lines[0].find("within 3 of 8 duets") != std::string::npos);
}

TEST_CASE("more repeats are asked for only where they can settle something") {
    const auto decision = [](double spread, double center) {
        std::vector<Repeat> repeats;
        for (int i = 0; i < 6; ++i) repeats.push_back({i, i % 2, center + spread * (i % 3 - 1)});
        return *decide(repeats, 1);
    };
    CHECK(repeats_line(decision(0.001, 0.1)).empty());  // material
    CHECK(repeats_line(decision(0.001, 0.0)).empty());  // no material difference, settled
    CHECK(repeats_line(decision(0.02, 0.02)).find("--confirm") != std::string::npos);
    CHECK(repeats_line(decision(0.60, 0.02)).find("hopeless") == 0);
}
