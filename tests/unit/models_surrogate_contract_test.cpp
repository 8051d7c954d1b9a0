// The contract of models/surrogate.h, for every surrogate there is.
#include <functional>
#include <limits>

#include <doctest/doctest.h>

#include "models/ensemble.h"
#include "models/gaussian_process.h"
#include "models/rank_correlation.h"
#include "models/tree_ensemble.h"

#include "models_surrogate_truth.h"

using namespace fsadvise::models;
using namespace fsadvise::test;

namespace {

struct Maker {
    std::string name;
    std::function<std::unique_ptr<Surrogate>(const Domain&, const PriorBelief&)> make;
};

std::unique_ptr<Surrogate> both(const Domain& domain, const PriorBelief& prior) {
    std::vector<std::unique_ptr<Surrogate>> members;
    members.push_back(make_gaussian_process(domain, prior));
    members.push_back(make_tree_ensemble(domain, prior));
    return make_ensemble(std::move(members));
}

const std::vector<Maker> kMakers = {
    {"gaussian process", [](const Domain& d, const PriorBelief& p) { return make_gaussian_process(d, p); }},
    {"additive gaussian process",
     [](const Domain& d, const PriorBelief& p) {
         GaussianProcessOptions options;
         options.interactions = false;
         return make_gaussian_process(d, p, options);
     }},
    {"tree ensemble", [](const Domain& d, const PriorBelief& p) { return make_tree_ensemble(d, p); }},
    {"both", both},
};

void check_sane(const Surrogate& surrogate, const Point& point) {
    const Prediction one = surrogate.predict(point);
    CHECK(std::isfinite(one.mean));
    CHECK(std::isfinite(one.deviation));
    CHECK(one.deviation >= 0);
}

template <class Body>
void for_every(const Body& body) {
    for (const Maker& maker : kMakers) {
        CAPTURE(maker.name);
        body(maker);
    }
}

}  // namespace

TEST_CASE("surrogates: unfitted, or fitted to nothing, they predict the prior") {
    std::mt19937_64 random(1);
    const Truth truth = make_truth(random);
    PriorBelief prior;
    prior.intercept = 0.5;
    prior.levels = {{1, 2, -0.2, 0.1}};
    Point point = truth.defaults(0);
    point.level[1] = 2;
    for_every([&](const Maker& maker) {
        const auto surrogate = maker.make(truth.domain, prior);
        CHECK(surrogate->predict(point).mean == doctest::Approx(0.3));
        REQUIRE(surrogate->fit({}).has_value());
        CHECK(surrogate->predict(point).mean == doctest::Approx(0.3));
        CHECK(surrogate->predict(point).deviation > 0.1);
        CHECK(surrogate->leave_one_out().total() == 0);
    });
}

TEST_CASE("surrogates: data that are no data are refused and leave the fit as it was") {
    std::mt19937_64 random(2);
    const Truth truth = make_truth(random);
    const TrainingData good = measure(truth, random, 12);
    for_every([&](const Maker& maker) {
        const auto surrogate = maker.make(truth.domain, {});
        REQUIRE(surrogate->fit(good).has_value());
        const double before = surrogate->predict(good.points[5]).mean;
        std::vector<TrainingData> bad(5, good);
        bad[0].targets.pop_back();
        bad[1].targets[3] = std::numeric_limits<double>::quiet_NaN();
        bad[2].noise_variance[0] = -1;
        bad[3].points[2].level[0] = 17;
        bad[4].points[2].level.pop_back();
        for (const TrainingData& data : bad) {
            const auto result = surrogate->fit(data);
            REQUIRE_FALSE(result.has_value());
            CHECK(result.error().code == fsadvise::ErrorCode::kBadInput);
            CHECK_FALSE(result.error().message.empty());
        }
        CHECK(surrogate->predict(good.points[5]).mean == before);
    });
}

TEST_CASE("surrogates: degenerate data are fitted") {
    std::mt19937_64 random(3);
    const Truth truth = make_truth(random);
    const TrainingData some = measure(truth, random, 20);
    std::vector<TrainingData> cases;
    cases.push_back({{some.points[0]}, {0.1}, {0.0}});  // one row, noise unknown
    cases.push_back({some.points, std::vector<double>(20, 0.25), std::vector<double>(20, 0.0)});  // all equal
    cases.push_back(
        {std::vector<Point>(20, some.points[4]), some.targets, some.noise_variance});  // one point
    cases.push_back({{some.points[0], some.points[0]}, {-1, 1}, {0.0, 0.0}});  // it contradicts itself
    TrainingData wild = some;
    wild.targets[7] = -40;  // a trial that all but stood still
    wild.noise_variance[8] = 1e6;
    cases.push_back(wild);
    TrainingData tiny = some;
    for (double& target : tiny.targets) target *= 1e-9;
    cases.push_back(tiny);
    Point nowhere{std::vector<int>(truth.domain.columns.size(), -1)};
    Point unknown = some.points[3];
    unknown.level[2] = 99;
    for_every([&](const Maker& maker) {
        for (const TrainingData& data : cases) {
            const auto surrogate = maker.make(truth.domain, {});
            REQUIRE(surrogate->fit(data).has_value());
            for (const Point& point : some.points) check_sane(*surrogate, point);
            check_sane(*surrogate, nowhere);
            check_sane(*surrogate, unknown);
            const LeaveOneOut left = surrogate->leave_one_out();
            REQUIRE(left.log_density.size() == data.points.size());
            CHECK(std::isfinite(left.total()));
            CHECK(surrogate->draws(some.points, 10, 1).allFinite());
        }
        // A space without any column, and one of nuisance alone.
        const auto empty = maker.make(Domain{{}, std::nullopt, {}}, {});
        REQUIRE(empty->fit({{Point{}, Point{}}, {1, 2}, {0.1, 0.1}}).has_value());
        check_sane(*empty, Point{});
        const auto nuisance = maker.make(Domain{{{"area", {}, 2}}, std::nullopt, {0}}, {});
        REQUIRE(nuisance->fit({{Point{{0}}, Point{{1}}}, {1, 2}, {0.1, 0.1}}).has_value());
        check_sane(*nuisance, Point{{-1}});
    });
}

TEST_CASE("surrogates: the same data give the same numbers, also after another fit") {
    std::mt19937_64 random(4);
    const Truth truth = make_truth(random);
    const TrainingData first = measure(truth, random, 15), second = measure(truth, random, 40);
    for_every([&](const Maker& maker) {
        const auto fresh = maker.make(truth.domain, {}), used = maker.make(truth.domain, {});
        REQUIRE(used->fit(first).has_value());
        REQUIRE(used->fit(second).has_value());
        REQUIRE(fresh->fit(second).has_value());
        for (const Point& point : first.points) {
            CHECK(used->predict(point).mean == fresh->predict(point).mean);
            CHECK(used->predict(point).deviation == fresh->predict(point).deviation);
        }
        CHECK(used->draws(first.points, 5, 9) == fresh->draws(first.points, 5, 9));
        CHECK(used->draws(first.points, 5, 9) != fresh->draws(first.points, 5, 10));
        CHECK(used->leave_one_out().log_density == fresh->leave_one_out().log_density);
        const auto together = used->predict(std::span<const Point>(first.points));
        for (std::size_t i = 0; i < together.size(); ++i) {
            CHECK(together[i].mean == doctest::Approx(used->predict(first.points[i]).mean));
            CHECK(together[i].deviation == doctest::Approx(used->predict(first.points[i]).deviation));
        }
    });
}

TEST_CASE("surrogates: unseen points are ranked by 60 rows of a sparse truth, and intervals cover") {
    for_every([&](const Maker& maker) {
        double rho = 0, covered = 0, width = 0;
        int total = 0;
        constexpr int kStudies = 6;
        for (int study = 0; study < kStudies; ++study) {
            std::mt19937_64 random(50 + static_cast<std::uint64_t>(study));
            const Truth truth = make_truth(random);
            const auto surrogate = maker.make(truth.domain, {});
            REQUIRE(surrogate->fit(measure(truth, random, 60)).has_value());
            std::vector<double> real, predicted;
            for (int i = 0; i < 150; ++i) {
                const Point point = truth.sample(random);
                const Prediction one = surrogate->predict(point);
                real.push_back(truth(point));
                predicted.push_back(one.mean);
                covered += std::abs(one.mean - real.back()) <= 1.645 * one.deviation;
                width += one.deviation;
                ++total;
            }
            rho += spearman(real, predicted)->value / kStudies;
        }
        CAPTURE(rho);
        CAPTURE(covered / total);
        CAPTURE(width / total);
        CHECK(rho > 0.8);
        CHECK(covered / total > 0.8);
        CHECK(width / total < 0.2);
    });
}

TEST_CASE("surrogates: leave-one-out tells a real density from one that is too sure") {
    std::mt19937_64 random(6);
    const Truth truth = make_truth(random);
    const TrainingData data = measure(truth, random, 50);
    for_every([&](const Maker& maker) {
        const auto surrogate = maker.make(truth.domain, {});
        REQUIRE(surrogate->fit(data).has_value());
        const LeaveOneOut left = surrogate->leave_one_out();
        double squares = 0;
        for (std::size_t i = 0; i < data.targets.size(); ++i) {
            const double z = (data.targets[i] - left.mean[i]) / left.deviation[i];
            squares += z * z / static_cast<double>(data.targets.size());
            CHECK(left.deviation[i] >= std::sqrt(data.noise_variance[i]));
        }
        CAPTURE(squares);
        CHECK(squares > 0.3);
        CHECK(squares < 3);
        // A row's own target must not be in its prediction: refitted without it, the model says about the
        // same.
        for (const std::size_t row : {std::size_t{3}, std::size_t{20}}) {
            TrainingData without = data;
            without.points.erase(without.points.begin() + static_cast<std::ptrdiff_t>(row));
            without.targets.erase(without.targets.begin() + static_cast<std::ptrdiff_t>(row));
            without.noise_variance.erase(without.noise_variance.begin() + static_cast<std::ptrdiff_t>(row));
            const auto other = maker.make(truth.domain, {});
            REQUIRE(other->fit(without).has_value());
            CHECK(std::abs(left.mean[row] - other->predict(data.points[row]).mean) <
                  0.5 * left.deviation[row]);
        }
    });
}

TEST_CASE("surrogates: noisy rows count less") {
    const Domain domain{{{"filesystem", {}, 2}}, 0, {}};
    TrainingData data;
    for (int i = 0; i < 6; ++i) {
        data.points.push_back(Point{{0}});
        data.targets.push_back(i < 2 ? 0.1 : 0.6);  // two good measurements, four bad ones
        data.noise_variance.push_back(i < 2 ? 1e-4 : 0.25);
    }
    for_every([&](const Maker& maker) {
        const auto surrogate = maker.make(domain, {});
        REQUIRE(surrogate->fit(data).has_value());
        CHECK(surrogate->predict(Point{{0}}).mean < 0.3);
    });
}

TEST_CASE("surrogates: a prior moves the few-rows prediction and fades with rows") {
    std::mt19937_64 random(8);
    std::normal_distribution<double> normal;
    const Domain domain{{{"filesystem", {}, 1}, {"a", {}, 2}, {"b", {}, 2}}, 0, {}};
    PriorBelief prior;
    prior.levels = {{1, 1, 0.4, 0.1}};  // in truth it does nothing
    const auto rows = [&](int count) {
        TrainingData data;
        for (int i = 0; i < count; ++i) {
            data.points.push_back(Point{{0, i % 2, i / 2 % 2}});
            data.targets.push_back(0.02 * normal(random));
            data.noise_variance.push_back(4e-4);
        }
        return data;
    };
    for_every([&](const Maker& maker) {
        const auto difference = [&](const TrainingData& data) {
            const auto surrogate = maker.make(domain, prior);
            REQUIRE(surrogate->fit(data).has_value());
            return surrogate->predict(Point{{0, 1, 0}}).mean - surrogate->predict(Point{{0, 0, 0}}).mean;
        };
        TrainingData one;
        one.points = {Point{{0, 0, 0}}};
        one.targets = {0};
        one.noise_variance = {4e-4};
        CHECK(difference(one) == doctest::Approx(0.4).epsilon(0.1));
        CHECK(std::abs(difference(rows(40))) < 0.06);
    });
}

TEST_CASE("surrogates: a nuisance column is taken out") {
    std::mt19937_64 random(9);
    std::normal_distribution<double> normal;
    const Domain domain{{{"filesystem", {}, 2}, {"area", {}, 2}}, 0, {1}};
    TrainingData data;
    // Filesystem 1 was tried on the better area three times out of four.
    for (int i = 0; i < 32; ++i) {
        const int filesystem = i % 2, area = i % 8 < 6 ? filesystem : 1 - filesystem;
        data.points.push_back(Point{{filesystem, area}});
        data.targets.push_back((area == 1 ? 0.03 : -0.03) + 0.005 * normal(random));
        data.noise_variance.push_back(2.5e-5);
    }
    for_every([&](const Maker& maker) {
        const auto surrogate = maker.make(domain, {});
        REQUIRE(surrogate->fit(data).has_value());
        const double difference =
            surrogate->predict(Point{{1, -1}}).mean - surrogate->predict(Point{{0, -1}}).mean;
        CHECK(std::abs(difference) < 0.015);  // 0.03 without
    });
}

TEST_CASE("surrogates: draws have the moments of the prediction, and equal points move together") {
    std::mt19937_64 random(10);
    const Truth truth = make_truth(random);
    const TrainingData data = measure(truth, random, 25);
    std::vector<Point> points = {truth.sample(random), truth.sample(random), truth.sample(random)};
    points.push_back(points[0]);
    for_every([&](const Maker& maker) {
        const auto surrogate = maker.make(truth.domain, {});
        REQUIRE(surrogate->fit(data).has_value());
        const Eigen::MatrixXd draws = surrogate->draws(points, 4000, 3);
        for (Eigen::Index i = 0; i < 4; ++i) {
            const Prediction one = surrogate->predict(points[static_cast<std::size_t>(i)]);
            const double mean = draws.col(i).mean();
            const double deviation = std::sqrt((draws.col(i).array() - mean).square().mean());
            CHECK(std::abs(mean - one.mean) < 5 * one.deviation / std::sqrt(4000.0) + 1e-9);
            CHECK(deviation == doctest::Approx(one.deviation).epsilon(0.1));
        }
        CHECK((draws.col(0) - draws.col(3)).cwiseAbs().maxCoeff() < 1e-4);
    });
}
