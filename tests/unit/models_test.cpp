#include <cmath>
#include <numeric>
#include <random>

#include <doctest/doctest.h>

#include "models/acquisition.h"
#include "models/encoder.h"
#include "models/linear_regression.h"
#include "models/statistics.h"

using namespace fsadvise::models;

TEST_CASE("order statistics need six values for a 95 % interval of the median") {
    const std::vector<double> values = {5, 1, 4, 2, 3, 6};
    CHECK_FALSE(median_interval(std::span(values).first(5)).has_value());
    const auto six = median_interval(values);
    REQUIRE(six.has_value());
    CHECK(six->low == 1);
    CHECK(six->high == 6);
    CHECK(six->level == doctest::Approx(0.96875));
}

TEST_CASE("intervals cover the truth about as often as they say") {
    std::mt19937_64 random(7);
    std::normal_distribution<double> normal(3, 1);
    int mean_hits = 0, median_hits = 0;
    constexpr int kStudies = 2000;
    for (int i = 0; i < kStudies; ++i) {
        std::vector<double> values(10);
        for (double& value : values) value = normal(random);
        const auto a = mean_interval(values);
        const auto b = median_interval(values);
        mean_hits += a->low <= 3 && 3 <= a->high ? 1 : 0;
        median_hits += b->low <= 3 && 3 <= b->high ? 1 : 0;
    }
    CHECK(mean_hits > 0.935 * kStudies);
    CHECK(mean_hits < 0.965 * kStudies);
    CHECK(median_hits > 0.96 * kStudies);  // x(2)..x(9) of ten covers 97.9 %
}

TEST_CASE("a paired ratio cancels what both sides share") {
    std::mt19937_64 random(3);
    std::normal_distribution<double> drift(0, 0.5), noise(0, 0.01);
    std::vector<double> a, b;
    for (int i = 0; i < 40; ++i) {
        const double shared = std::exp(drift(random));
        a.push_back(110 * shared * std::exp(noise(random)));
        b.push_back(100 * shared * std::exp(noise(random)));
    }
    const auto ratio = paired_ratio(a, b);
    REQUIRE(ratio.has_value());
    CHECK(ratio->ratio == doctest::Approx(1.1).epsilon(0.01));
    CHECK(ratio->high - ratio->low < 0.02);
    CHECK_FALSE(paired_ratio(std::vector<double>{1, 0}, std::vector<double>{1, 1}).has_value());
}

TEST_CASE("swapped areas cancel their bias, and the interval still covers the truth") {
    std::mt19937_64 random(13);
    std::normal_distribution<double> noise(0, 0.02), bias(0, 0.1);
    int hits = 0;
    double swapped_width = 0, plain_width = 0;
    constexpr int kStudies = 2000;
    for (int i = 0; i < kStudies; ++i) {
        const double area = bias(random);
        std::vector<double> one, other, all;
        for (int j = 0; j < 3; ++j) {
            one.push_back(0.05 + area + noise(random));
            other.push_back(0.05 - area + noise(random));
        }
        all = one;
        all.insert(all.end(), other.begin(), other.end());
        const auto swapped = ratio_from_swapped_logs(one, other);
        const auto plain = ratio_from_logs(all);
        REQUIRE(swapped.has_value());
        hits += swapped->low <= std::exp(0.05) && std::exp(0.05) <= swapped->high ? 1 : 0;
        swapped_width += swapped->high - swapped->low;
        plain_width += plain->high - plain->low;
    }
    CHECK(hits > 0.935 * kStudies);
    CHECK(hits < 0.965 * kStudies);
    CHECK(swapped_width < 0.5 * plain_width);
    CHECK_FALSE(ratio_from_swapped_logs(std::vector<double>{1}, std::vector<double>{1}).has_value());
}

TEST_CASE("a broad prior on one factor keeps the others believable") {
    std::mt19937_64 random(17);
    std::normal_distribution<double> noise(0, 0.01);
    Eigen::MatrixXd rows(30, 6);
    Eigen::VectorXd targets(30);
    for (int i = 0; i < 30; ++i) {
        for (int j = 0; j < 6; ++j) rows(i, j) = (random() >> 20) % 2 == 0 ? 1 : 0;
        targets[i] = -1.5 * rows(i, 0) + noise(random);
    }
    const Eigen::VectorXd variance = Eigen::VectorXd::Constant(30, 1e-4);
    const auto shared = LinearRegression::fit(rows, targets, variance);
    const auto apart = LinearRegression::fit(rows, targets, variance, 1);
    REQUIRE(shared.has_value());
    REQUIRE(apart.has_value());
    const auto width = [](const LinearRegression& model) {
        const auto c = model.coefficients()[3];
        return c.high - c.low;
    };
    CHECK(width(*apart) < width(*shared));
    CHECK(apart->coefficients()[0].effect == doctest::Approx(-1.5).epsilon(0.02));
}


TEST_CASE("expected improvement agrees with sampling") {
    std::mt19937_64 random(11);
    std::normal_distribution<double> normal(0.2, 0.5);
    double sum = 0;
    constexpr int kDraws = 200000;
    for (int i = 0; i < kDraws; ++i) sum += std::max(0.0, normal(random) - 0.6);
    CHECK(expected_improvement(0.2, 0.5, 0.6) == doctest::Approx(sum / kDraws).epsilon(0.02));
    CHECK(expected_improvement(1, 0, 0.5) == doctest::Approx(0.5));
    CHECK(expected_improvement(0, 0, 0.5) == 0);
}

TEST_CASE("the encoder gives zeros for defaults and for inactive columns") {
    const Encoder encoder({{"a", {}, 3}, {"b", {10, 12, 16}, 3}});
    CHECK(encoder.feature_count() == 4);
    CHECK(encoder.encode(Point{{0, 0}}).isZero());
    CHECK(encoder.encode(Point{{-1, -1}}).isZero());
    const Eigen::VectorXd row = encoder.encode(Point{{2, 1}});
    CHECK(row[1] == 1);
    CHECK(row[2] == doctest::Approx(1.0 / 3));
    CHECK(row[3] == 1);
}

TEST_CASE("the regression recovers effects and its intervals cover them") {
    std::mt19937_64 random(5);
    std::normal_distribution<double> noise(0, 0.02);
    std::bernoulli_distribution coin(0.5);
    const Eigen::Vector4d truth(0.10, 0.0, -0.20, 0.0);
    int covered = 0, total = 0;
    for (int study = 0; study < 50; ++study) {
        Eigen::MatrixXd rows(60, 4);
        Eigen::VectorXd targets(60);
        for (int i = 0; i < 60; ++i) {
            for (int j = 0; j < 4; ++j) rows(i, j) = coin(random) ? 1 : 0;
            targets[i] = 0.5 + rows.row(i).dot(truth) + noise(random);
        }
        const auto model = LinearRegression::fit(rows, targets, Eigen::VectorXd::Constant(60, 1e-6));
        REQUIRE(model.has_value());
        for (const Coefficient& c : model->coefficients()) {
            const double value = truth[static_cast<Eigen::Index>(c.feature)];
            covered += c.low <= value && value <= c.high ? 1 : 0;
            ++total;
            CHECK(c.effect == doctest::Approx(value).epsilon(0.05).scale(1));
        }
    }
    CHECK(covered >= 0.90 * total);
}

TEST_CASE("the regression refuses what it cannot fit") {
    Eigen::MatrixXd rows(1, 1);
    rows << std::nan("");
    CHECK_FALSE(LinearRegression::fit(rows, Eigen::VectorXd::Zero(1), Eigen::VectorXd::Zero(1)).has_value());
    CHECK_FALSE(
        LinearRegression::fit(Eigen::MatrixXd(0, 1), Eigen::VectorXd(0), Eigen::VectorXd(0)).has_value());
    // One row is little, but a prediction with a wide interval is right.
    const auto one = LinearRegression::fit(Eigen::MatrixXd::Ones(1, 1), Eigen::VectorXd::Ones(1),
                                           Eigen::VectorXd::Constant(1, 1e-4));
    REQUIRE(one.has_value());
    CHECK(std::isfinite(one->predict(Eigen::VectorXd::Zero(1)).mean));
}
