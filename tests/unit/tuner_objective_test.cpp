// Goals: words to goals and back, gains out of what a measurement records, limits and fronts.
#include <algorithm>
#include <cmath>
#include <random>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "tuner/objective/goal.h"

using namespace fsadvise;
using namespace fsadvise::tuner;
using nlohmann::json;

namespace {

struct Sides {
    double log_ratio = 0;
    double p99_ms = 4, anchor_p99_ms = 4;
    double space_mib = 100, anchor_space_mib = 100;
};

json side(double rate, double p99_ms, double space_mib) {
    return {{"operations_per_s", rate},
            {"latency", {{"p99_ns", p99_ms * 1e6}, {"count", 5000}}},
            {"sync_latency", {{"p50_ns", 1e6}, {"count", 400}}},
            {"used_bytes_after_layout", space_mib * 1048576},
            {"cpu_s_per_operation", 2e-5},
            {"mount_s", 0.01}};
}

Measurement measurement(const Sides& sides, const std::string& phase = "search") {
    Measurement result;
    result.phase = phase;
    result.log_ratio = sides.log_ratio;
    result.deviation = 0.01;
    result.metrics = json{
        {"candidate", side(1000 * std::exp(sides.log_ratio), sides.p99_ms, sides.space_mib)},
        {"anchor", side(1000, sides.anchor_p99_ms, sides.anchor_space_mib)},
        {"data_bytes",
         80 * 1048576}}.dump();
    return result;
}

Trial trial(const Sides& sides, const std::string& filesystem = "xfs") {
    Trial result;
    result.configuration.filesystem = filesystem;
    result.state = "complete";
    result.measurements = {measurement(sides)};
    return result;
}

Goal goal(const std::string& objective, const std::string& front = {},
          const std::vector<std::string>& limits = {}) {
    const auto made = read_goal(objective, front, limits);
    REQUIRE_MESSAGE(made.has_value(), (made ? std::string() : to_text(made.error())));
    return *made;
}

void check_refused(const std::string& objective, const std::string& front,
                   const std::vector<std::string>& limits, const std::string& says) {
    CAPTURE(objective);
    CAPTURE(front);
    const auto made = read_goal(objective, front, limits);
    REQUIRE_FALSE(made.has_value());
    CHECK(made.error().code == ErrorCode::kUsage);
    CAPTURE(to_text(made.error()));
    CHECK(to_text(made.error()).find(says) != std::string::npos);
}

}  // namespace

TEST_CASE("objective: weights are shares, and a goal survives its text form") {
    const Goal weighted = goal("throughput:7,space:3", {}, {"p99 < 5 ms", "space amplification < 1.2"});
    REQUIRE(weighted.weights.size() == 2);
    CHECK(weighted.weights[0].share == doctest::Approx(0.7));
    CHECK(weighted.weights[1].figure == Figure::kSpace);
    CHECK(weighted.limits[0].bound == doctest::Approx(0.005));
    CHECK(weighted.limits[1].figure == Figure::kSpaceAmplification);
    CHECK(weighted.wants(Figure::kP99));
    CHECK_FALSE(weighted.wants(Figure::kRecoveryTime));
    for (const Goal& made :
         {weighted, goal({}, "throughput,space,p99"), goal({}, {}, {"throughput > 0.9x"})}) {
        const auto again = goal_from_text(goal_text(made), "study");
        REQUIRE(again.has_value());
        CHECK(goal_text(*again) == goal_text(made));
        CHECK(goal_title(*again) == goal_title(made));
    }
    CHECK(goal_text(Goal{}).empty());
    CHECK_FALSE(goal_from_text("", "study")->asks());
    CHECK(goal_from_text("{", "study").error().code == ErrorCode::kBadInput);
}

TEST_CASE("objective: what is wrong is named") {
    check_refused("troughput", {}, {}, "did you mean 'throughput'");
    check_refused("space:0", {}, {}, "no weight above 0");
    check_refused("space:1,space:2", {}, {}, "twice");
    check_refused({}, "space", {}, "two figures");
    check_refused("p99", "space,cpu", {}, "--pareto");
    check_refused({}, {}, {"p99 = 5ms"}, "neither < nor >");
    check_refused({}, {}, {"p99 < 5 parsecs"}, "unit of p99");
    check_refused({}, {}, {"space < -1"}, "bound above 0");
}

TEST_CASE("objective: the scalar gain of a trial is the weighted sum of its log gains") {
    const Trial measured = trial({.log_ratio = 0.2, .p99_ms = 2, .space_mib = 110});
    CHECK(trial_gain(measured, goal("throughput"))->log_ratio == doctest::Approx(0.2));
    CHECK(trial_gain(measured, Goal{})->log_ratio == doctest::Approx(0.2));
    CHECK(trial_gain(measured, Goal{})->variance == doctest::Approx(1e-4));
    CHECK(trial_gain(measured, goal("p99"))->log_ratio == doctest::Approx(std::log(2.0)));
    CHECK(trial_gain(measured, goal("space"))->log_ratio == doctest::Approx(-std::log(1.1)));
    CHECK(trial_gain(measured, goal("space-amplification"))->log_ratio == doctest::Approx(-std::log(1.1)));
    const auto both = trial_gain(measured, goal("throughput:0.75,space:0.25"));
    CHECK(both->log_ratio == doctest::Approx(0.75 * 0.2 - 0.25 * std::log(1.1)));
    CHECK_FALSE(trial_gain(measured, goal("recovery-time")).has_value());
    CHECK_FALSE(trial_gain(measured, Goal{}, "confirm").has_value());

    Trial twice = measured;
    twice.measurements.push_back(measurement({.log_ratio = 0.4}));
    CHECK(trial_gain(twice, Goal{})->log_ratio == doctest::Approx(0.3));
    CHECK(trial_gain(twice, Goal{})->variance == doctest::Approx(0.5e-4));
}

TEST_CASE("objective: the claimed variance of a p99 covers what samples of that size show") {
    // Quantiles of exponential samples, against the formula's standard error.
    std::mt19937_64 random(3);
    std::exponential_distribution<double> draw(1);
    std::vector<double> logs;
    for (int round = 0; round < 300; ++round) {
        std::vector<double> sample(5000);
        for (double& value : sample) value = draw(random);
        std::nth_element(sample.begin(), sample.begin() + 4950, sample.end());
        logs.push_back(std::log(sample[4950]));
    }
    double mean = 0, square = 0;
    for (const double value : logs) mean += value / 300;
    for (const double value : logs) square += (value - mean) * (value - mean) / 299;
    const double claimed = gain_of(measurement({}), Figure::kP99)->variance / 2;
    CHECK(square < claimed);
    CHECK(claimed < 4 * square + 0.002);
}

TEST_CASE("objective: limits are judged on the mean, absolutely or against the default") {
    const Trial slow = trial({.p99_ms = 7.2, .anchor_p99_ms = 6, .space_mib = 90});
    CHECK(broken_limits(slow, "candidate", goal({}, {}, {"p99 < 5 ms"})) ==
          std::vector<std::string>{"p99 7.20 ms, but the limit is p99 < 5 ms"});
    CHECK(broken_limits(slow, "candidate", goal({}, {}, {"p99 < 8ms", "space-amplification < 1.2"})).empty());
    CHECK(broken_limits(slow, "anchor", goal({}, {}, {"space-amplification < 1.2"})).size() == 1);
    CHECK(broken_limits(slow, "candidate", goal({}, {}, {"p99 < 1.1x"})).size() == 1);
    CHECK(broken_limits(slow, "candidate", goal({}, {}, {"p99 < 1.3x", "throughput > 900"})).empty());
    // What nobody measured is not kept either.
    CHECK(broken_limits(slow, "candidate", goal({}, {}, {"recovery-time < 1s"})).front().find("not known") !=
          std::string::npos);
    Trial half = slow;
    half.measurements.push_back(measurement({.p99_ms = 2}));
    CHECK(broken_limits(half, "candidate", goal({}, {}, {"p99 < 5 ms"})).empty());
}

TEST_CASE("objective: a search sees the goal's gain, and never a trial that breaks a limit as good") {
    const std::vector<Trial> trials = {trial({.log_ratio = 0.5, .p99_ms = 9}),
                                       trial({.log_ratio = 0.1, .p99_ms = 3})};
    const auto seen = for_goal(trials, goal("p99", {}, {"p99 < 5ms"}));
    CHECK(seen[0].state == "failed");
    CHECK(seen[0].reason.find("p99 9.00 ms") != std::string::npos);
    CHECK(seen[1].state == "complete");
    CHECK(seen[1].measurements[0].log_ratio == doctest::Approx(std::log(4.0 / 3)));
    CHECK(seen[1].measurements[0].deviation > 0);
    const auto same = for_goal(trials, Goal{});
    CHECK(same[0].state == "complete");
    CHECK(same[0].measurements[0].log_ratio == 0.5);
}

TEST_CASE("objective: a front holds the best compromises and its turns reach both ends") {
    std::vector<Trial> trials = {trial({.log_ratio = 0.3, .space_mib = 140}), trial({.log_ratio = 0.1}),
                                 trial({.log_ratio = 0.0, .space_mib = 120}),
                                 trial({.log_ratio = -0.1, .space_mib = 80}),
                                 trial({.log_ratio = 0.9, .space_mib = 60})};
    trials[4].state = "failed";
    const Goal wanted = goal({}, "space,throughput");
    std::vector<std::size_t> places;
    for (const FrontPoint& point : front_of(trials, wanted)) places.push_back(point.trial);
    CHECK(places == std::vector<std::size_t>{3, 1, 0});
    const Goal limited = goal({}, "space,throughput", {"space < 1.2x"});
    CHECK(front_of(trials, limited).size() == 2);

    double least = 1, most = 0;
    for (std::size_t turn = 0; turn < 20; ++turn) {
        const Goal now = goal_of_turn(wanted, turn);
        REQUIRE(now.weights.size() == 2);
        CHECK(now.weights[0].share + now.weights[1].share == doctest::Approx(1));
        least = std::min(least, now.weights[0].share);
        most = std::max(most, now.weights[0].share);
    }
    CHECK(least < 0.1);
    CHECK(most > 0.9);
}
