#include <algorithm>
#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include "tuner/engine/histogram.h"
#include "tuner/engine/random.h"

using namespace fsadvise::tuner;

namespace {

// The smallest value with at least `probability` of the values at or below it.
std::int64_t exact_percentile(std::vector<std::int64_t> values, double probability) {
    std::sort(values.begin(), values.end());
    const auto rank = static_cast<std::size_t>(std::ceil(probability * static_cast<double>(values.size())));
    return values[std::max<std::size_t>(rank, 1) - 1];
}

}  // namespace

TEST_CASE("histogram percentiles stay within 1.6 % of a sorted vector") {
    Random random(7);
    std::vector<std::int64_t> values;
    Histogram histogram;
    for (int i = 0; i < 50'000; ++i) {
        // Log-uniform over nine orders of magnitude.
        const auto value = static_cast<std::int64_t>(std::pow(10.0, random.unit() * 9));
        values.push_back(value);
        histogram.record(value);
    }
    CHECK(histogram.count() == values.size());
    for (const double probability : {0.0, 0.01, 0.5, 0.9, 0.95, 0.99, 0.999, 1.0}) {
        const auto exact = static_cast<double>(exact_percentile(values, probability));
        const auto estimate = static_cast<double>(histogram.percentile(probability));
        CAPTURE(probability);
        CHECK(estimate >= exact);
        CHECK(estimate <= exact * 1.016 + 1);
    }
    CHECK(histogram.maximum() == *std::max_element(values.begin(), values.end()));
}

TEST_CASE("histogram of small values is exact") {
    Histogram histogram;
    for (int i = 1; i <= 100; ++i) histogram.record(i);
    CHECK(histogram.percentile(0.5) == 50);
    CHECK(histogram.percentile(0.99) == 99);
    CHECK(histogram.mean() == doctest::Approx(50.5));
    CHECK(histogram.buckets().size() == 100);
}

TEST_CASE("histogram merge equals recording everything in one") {
    Random random(11);
    Histogram one, first, second;
    for (int i = 0; i < 10'000; ++i) {
        const auto value = static_cast<std::int64_t>(random.below(1ull << (i % 60)));
        one.record(value);
        (i % 3 == 0 ? first : second).record(value);
    }
    first.merge(second);
    CHECK(first.buckets() == one.buckets());
    CHECK(first.count() == one.count());
    CHECK(first.maximum() == one.maximum());
}

TEST_CASE("histogram takes the extremes") {
    Histogram histogram;
    CHECK(histogram.percentile(0.5) == 0);
    CHECK(histogram.mean() == 0);
    histogram.record(INT64_MAX);
    histogram.record(-5);
    CHECK(histogram.count() == 2);
    CHECK(histogram.percentile(1.0) == INT64_MAX);
    CHECK(histogram.percentile(0.0) == 1);
}

TEST_CASE("zipf choice: skewed as asked, inside the range, reproducible") {
    const Zipf zipf(1000, 1.0);
    Random random(3), again(3);
    std::vector<int> hits(1000);
    for (int i = 0; i < 100'000; ++i) {
        const std::uint64_t pick = zipf(random);
        REQUIRE(pick < 1000);
        REQUIRE(pick == zipf(again));
        ++hits[pick];
    }
    std::sort(hits.rbegin(), hits.rend());
    // The harmonic number of 1000 is 7.485: the hottest item takes 1/7.485 of all picks, the second half of
    // that.
    CHECK(hits[0] / 100'000.0 == doctest::Approx(1 / 7.485).epsilon(0.05));
    CHECK(hits[1] / 100'000.0 == doctest::Approx(0.5 / 7.485).epsilon(0.07));

    const Zipf uniform(10, 0.0);
    std::vector<int> even(10);
    for (int i = 0; i < 100'000; ++i) ++even[uniform(random)];
    CHECK(*std::max_element(even.begin(), even.end()) < 10'500);
}
