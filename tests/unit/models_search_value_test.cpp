// What a trial is worth, how models are weighed, and which columns mattered: against known truth.
#include <algorithm>
#include <limits>

#include <doctest/doctest.h>

#include "models/acquisition.h"
#include "models/ensemble.h"
#include "models/gaussian_process.h"
#include "models/importance.h"
#include "models/tree_ensemble.h"

#include "models_surrogate_truth.h"

using namespace fsadvise::models;
using namespace fsadvise::test;

TEST_CASE("log expected improvement holds its digits far below the range of a double") {
    for (double z = 6; z > -90; z -= 0.37) {
        // Long doubles reach 1e-4932, and the difference loses only a factor of z^2 of their digits.
        const long double t = z;
        const long double density = std::exp(-t * t / 2) / std::sqrt(2 * 3.14159265358979323846264338328L);
        const long double below = std::erfc(-t / std::sqrt(2.0L)) / 2;
        const auto expected = static_cast<double>(std::log(0.5L * (density + t * below)));
        CAPTURE(z);
        CHECK(log_expected_improvement(0.5 * z, 0.5, 0) == doctest::Approx(expected).epsilon(1e-10));
        if (z > -30) CHECK(std::exp(expected) == doctest::Approx(expected_improvement(0.5 * z, 0.5, 0)));
    }
    CHECK(log_expected_improvement(-1e6, 1, 0) < log_expected_improvement(-1e5, 1, 0));
    CHECK(std::isfinite(log_expected_improvement(-1e6, 1, 0)));
    CHECK(log_expected_improvement(2, 0, 1) == 0);
    CHECK(log_expected_improvement(1, 0, 2) == -std::numeric_limits<double>::infinity());
}

TEST_CASE("weights follow what was predicted, and few rows crown nobody") {
    const std::vector<double> good(40, 0.0), bad(40, -0.5);
    const auto sure = pseudo_bma_weights({good, bad});
    CHECK(sure[0] > 0.95);
    CHECK(sure[0] + sure[1] == doctest::Approx(1));
    const auto unsure = pseudo_bma_weights({{0.0, 0.0}, {-0.5, -0.3}});
    CHECK(unsure[0] > 0.5);
    CHECK(unsure[0] < 0.9);
    CHECK(pseudo_bma_weights({{}, {}}) == std::vector<double>{0.5, 0.5});
    CHECK(pseudo_bma_weights({}).empty());
    const auto hopeless = pseudo_bma_weights({good, std::vector<double>(40, -1e6)});
    CHECK(hopeless[1] == 0);
}

TEST_CASE("a prior that misleads loses its weight") {
    std::mt19937_64 random(21);
    const Truth truth = make_truth(random);
    PriorBelief wrong;
    for (std::size_t c = 1; c < truth.domain.columns.size(); ++c) wrong.levels.push_back({c, 1, 0.5, 0.02});
    std::vector<std::unique_ptr<Surrogate>> members;
    members.push_back(make_gaussian_process(truth.domain, wrong));
    members.push_back(make_gaussian_process(truth.domain));
    const auto ensemble = make_ensemble(std::move(members));
    REQUIRE(ensemble->fit(measure(truth, random, 25)).has_value());
    CHECK(ensemble->weights()[0] < 0.1);
}

TEST_CASE("an ensemble without members says so") {
    CHECK_FALSE(make_ensemble({})->fit({}).has_value());
}

TEST_CASE("what remains to be gained is large at first, and gone once the best is known") {
    std::mt19937_64 random(22);
    const Truth truth = make_truth(random, 2, 5);
    std::vector<Point> untried;
    for (int i = 0; i < 60; ++i) untried.push_back(truth.sample(random));
    const auto early = make_gaussian_process(truth.domain), late = make_gaussian_process(truth.domain);
    const TrainingData few = measure(truth, random, 4), many = measure(truth, random, 120, 0.01);
    REQUIRE(early->fit(few).has_value());
    REQUIRE(late->fit(many).has_value());
    const auto before = remaining_improvement(*early, few.points, untried);
    const auto after = remaining_improvement(*late, many.points, untried);
    CHECK(before.expected > 5 * after.expected);
    CHECK(before.q95 >= before.expected);
    CHECK(after.expected < 0.02);
    double gain = -1e9;
    const auto incumbent = best_expected(*late, many.points);
    REQUIRE(incumbent.has_value());
    for (const Point& point : untried)
        gain = std::max(gain, truth(point) - truth(many.points[incumbent->index]));
    CHECK(gain < after.q95 + 0.02);
    CHECK(remaining_improvement(*late, many.points, {}).expected == 0);
    CHECK_FALSE(best_expected(*late, {}).has_value());
}

TEST_CASE("the best expected point is not the luckiest measurement") {
    const Domain domain{{{"filesystem", {}, 2}}, 0, {}};
    TrainingData data;
    for (int i = 0; i < 5; ++i) {
        data.points.push_back(Point{{0}});
        data.targets.push_back(0.2);
        data.noise_variance.push_back(1e-4);
    }
    data.points.push_back(Point{{1}});
    data.targets.push_back(0.5);
    data.noise_variance.push_back(0.5);
    const auto surrogate = make_gaussian_process(domain);
    REQUIRE(surrogate->fit(data).has_value());
    const auto shares = probability_of_best(*surrogate, std::vector<Point>{{{0}}, {{1}}, {{1}}});
    CHECK(shares[0] + shares[1] + shares[2] == doctest::Approx(1));
    CHECK(shares[0] > 0.2);  // one noisy run does not decide
    CHECK(shares[0] < 0.8);
}

TEST_CASE("greedy variance names the columns that act, in their order, and then stops") {
    std::mt19937_64 random(23);
    std::normal_distribution<double> normal;
    const Domain domain{
        {{"filesystem", {}, 3}, {"a", {}, 2}, {"b", {}, 3}, {"c", {}, 2}, {"d", {}, 4}}, 0, {}};
    TrainingData data;
    for (int i = 0; i < 120; ++i) {
        Point point;
        for (const Column& column : domain.columns)
            point.level.push_back(static_cast<int>(random() % column.levels));
        data.targets.push_back(0.5 * point.level[0] + 0.2 * (point.level[2] == 1) + 0.03 * normal(random));
        data.noise_variance.push_back(9e-4);
        data.points.push_back(std::move(point));
    }
    const auto steps = variance_importance(domain, data);
    REQUIRE(steps.size() == 2);
    CHECK(steps[0].column == 0);
    CHECK(steps[1].column == 2);
    CHECK(steps[0].explained > 0.8);
    CHECK(steps[1].relative_deviation == doctest::Approx(0.03).epsilon(0.3));
    // Noise alone names a column in about one study of twenty.
    int named = 0;
    for (int study = 0; study < 40; ++study) {
        for (double& target : data.targets) target = normal(random);
        named += variance_importance(domain, data, {0.05, 0.02, 99, 1}).empty() ? 0 : 1;
    }
    CHECK(named <= 7);
    CHECK(variance_importance(domain, {}).empty());
}

TEST_CASE("surrogate importance: effects with intervals, and columns that do not matter are said to") {
    int covered = 0, total = 0, wrong = 0, named = 0, acting = 0, dismissed = 0, idle = 0;
    for (std::uint64_t study = 0; study < 5; ++study) {
        std::mt19937_64 random(300 + study);
        Truth truth = make_truth(random, 2, 10, 0.2);
        truth.pair.clear();  // so that the effect of a level is one number
        const TrainingData data = measure(truth, random, 80);
        const auto surrogate = make_gaussian_process(truth.domain);
        REQUIRE(surrogate->fit(data).has_value());
        const auto columns = surrogate_importance(*surrogate, truth.domain, data.points);
        double shares = 0;
        for (std::size_t i = 0; i < columns.size(); ++i) {
            const ColumnImportance& one = columns[i];
            if (i > 0) CHECK(columns[i - 1].deviation >= one.deviation);
            shares += one.share;
            double largest = 0;
            for (const LevelEffect& effect : one.effects) {
                const double real = truth.effect[one.column][static_cast<std::size_t>(effect.level)];
                largest = std::max(largest, std::abs(real));
                covered += real >= effect.low && real <= effect.high;
                ++total;
            }
            // Right on the threshold either word is right.
            acting += largest > 0.04;
            named += largest > 0.04 && one.verdict == Verdict::kMatters;
            idle += largest == 0;
            dismissed += largest == 0 && one.verdict == Verdict::kNoMatter;
            wrong += (largest > 0.03 && one.verdict == Verdict::kNoMatter) ||
                     (largest < 0.01 && one.verdict == Verdict::kMatters);
        }
        CHECK(shares == doctest::Approx(1));
    }
    CAPTURE(total);
    CAPTURE(acting);
    CAPTURE(idle);
    CAPTURE(dismissed);
    CHECK(covered >= 0.88 * total);
    CHECK(named >= 0.8 * acting);
    // Eighty rows over two filesystems bound the effects of about half of the idle columns below 2 %.
    CHECK(dismissed >= 0.35 * idle);
    CHECK(wrong <= 2);
}
