#include "models/change_point.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "models/ranks.h"
#include "models/statistics.h"

namespace fsadvise::models {
namespace {

struct Peak {
    double value = 0;
    std::size_t index = 0;
};

// U_t = 2 (r_1 + .. + r_t) - t (n + 1) is the sum of signs of Pettitt, ties included when ranks are averaged.
Peak peak_of(std::span<const double> ranks) {
    const auto both_ends = static_cast<double>(ranks.size() + 1);
    double sum = 0;
    Peak peak{0, 1};
    for (std::size_t t = 1; t < ranks.size(); ++t) {
        sum += 2 * ranks[t - 1] - both_ends;
        if (std::abs(sum) > peak.value) peak = {std::abs(sum), t};
    }
    return peak;
}

}  // namespace

double pettitt_limit_p(double statistic, std::size_t n) {
    const auto count = static_cast<double>(n);
    return std::min(1.0, 2 * std::exp(-6 * statistic * statistic / (count * count * count + count * count)));
}

std::optional<ChangePoint> pettitt(std::span<const double> series, int permutations, std::uint64_t seed) {
    constexpr std::size_t kFewest = 4;
    if (series.size() < kFewest || permutations < 1 || !all_finite(series)) return std::nullopt;
    std::vector<double> ranks = ranks_of(series).of;
    const Peak peak = peak_of(ranks);
    ChangePoint result;
    result.index = peak.index;
    result.statistic = peak.value;
    result.before = median(series.first(peak.index));
    result.after = median(series.subspan(peak.index));
    std::mt19937_64 random(seed);
    int as_large = 0;
    for (int i = 0; i < permutations; ++i) {
        std::shuffle(ranks.begin(), ranks.end(), random);
        if (peak_of(ranks).value >= peak.value) ++as_large;
    }
    result.p = static_cast<double>(as_large + 1) / static_cast<double>(permutations + 1);
    return result;
}

}  // namespace fsadvise::models
