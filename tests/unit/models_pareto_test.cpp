// Fronts against their definition, point by point.
#include <limits>
#include <random>

#include <doctest/doctest.h>

#include "models/pareto.h"

using namespace fsadvise::models;

TEST_CASE("pareto: a known front, equal points, and a coordinate that is no number") {
    const std::vector<std::vector<double>> points = {{1, 5}, {2, 4}, {2, 4}, {1, 4}, {3, 1}, {0, 5}, {3, 0}};
    CHECK(pareto_front(points) == std::vector<std::size_t>{0, 1, 2, 4});
    CHECK(pareto_front({}).empty());
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const std::vector<std::vector<double>> holes = {{nan, 9}, {1, 1}};
    CHECK(pareto_front(holes) == std::vector<std::size_t>{1});
}

TEST_CASE("pareto: no point of a front is dominated, every other is, in three coordinates") {
    std::mt19937_64 random(5);
    std::uniform_int_distribution<int> level(0, 6);
    for (int round = 0; round < 30; ++round) {
        std::vector<std::vector<double>> points;
        for (int i = 0; i < 40; ++i) {
            points.push_back({static_cast<double>(level(random)), static_cast<double>(level(random)),
                              static_cast<double>(level(random))});
        }
        const auto front = pareto_front(points);
        REQUIRE_FALSE(front.empty());
        for (std::size_t i = 0; i < points.size(); ++i) {
            bool beaten = false;
            for (const auto& other : points) {
                const bool no_worse =
                    other[0] >= points[i][0] && other[1] >= points[i][1] && other[2] >= points[i][2];
                beaten = beaten || (no_worse && other != points[i]);
            }
            CHECK(beaten == (std::find(front.begin(), front.end(), i) == front.end()));
        }
    }
}
