#include "models/rank_tests.h"

#include <algorithm>
#include <cmath>

#include <boost/math/distributions/normal.hpp>

#include "models/ranks.h"
#include "models/statistics.h"

namespace fsadvise::models {
namespace {

double variance_of_u(double n, double m, double tie_term) {
    const double all = n + m;
    const double ties = all > 1 ? tie_term / (all * (all - 1)) : 0;
    return n * m / 12 * (all + 1 - ties);
}

double approximate_p(double u, double n, double m, double tie_term) {
    const double variance = variance_of_u(n, m, tie_term);
    if (!(variance > 0)) return 1;  // all values are equal
    const double distance = std::max(0.0, std::abs(u - n * m / 2) - 0.5);
    const boost::math::normal standard;
    return std::min(1.0,
                    2 * boost::math::cdf(boost::math::complement(standard, distance / std::sqrt(variance))));
}

// The largest k with P(U <= k - 1) <= tail, and that probability.
struct Cut {
    std::size_t k = 0;
    double tail = 0;
};

Cut exact_cut(std::size_t n, std::size_t m, double tail) {
    const std::vector<double> distribution = mann_whitney_distribution(n, m);
    Cut cut;
    while (cut.k < distribution.size() / 2 && distribution[cut.k] <= tail) cut.tail = distribution[cut.k++];
    return cut;
}

Cut approximate_cut(std::size_t n, std::size_t m, double tail) {
    const auto a = static_cast<double>(n), b = static_cast<double>(m);
    const boost::math::normal standard;
    const double deviation = std::sqrt(variance_of_u(a, b, 0));
    const double place = a * b / 2 + boost::math::quantile(standard, tail) * deviation - 0.5;
    if (place < 0) return {};
    const double below = std::floor(place);
    return {static_cast<std::size_t>(below) + 1,
            boost::math::cdf(standard, (below + 0.5 - a * b / 2) / deviation)};
}

}  // namespace

std::vector<double> mann_whitney_distribution(std::size_t n, std::size_t m) {
    // ways[k][u]: choices of k of the first i values of the order with u pairs above the other sample. Taking
    // the i-th value as the k-th of its sample puts it above i - k values of the other one.
    const std::size_t most = n * m;
    std::vector<std::vector<double>> ways(n + 1, std::vector<double>(most + 1, 0.0));
    ways[0][0] = 1;
    for (std::size_t i = 1; i <= n + m; ++i) {
        for (std::size_t k = std::min(i, n); k >= 1; --k) {
            if (i - k > m) continue;
            for (std::size_t u = i - k; u <= most; ++u) ways[k][u] += ways[k - 1][u - (i - k)];
        }
    }
    std::vector<double> result = std::move(ways[n]);
    double sum = 0;
    for (double& value : result) value = sum += value;
    for (double& value : result) value /= sum;
    return result;
}

std::optional<RankTest> mann_whitney(std::span<const double> a, std::span<const double> b) {
    if (a.empty() || b.empty() || !all_finite(a) || !all_finite(b)) return std::nullopt;
    std::vector<double> all(a.begin(), a.end());
    all.insert(all.end(), b.begin(), b.end());
    const Ranks ranks = ranks_of(all);
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += ranks.of[i];
    const auto n = static_cast<double>(a.size()), m = static_cast<double>(b.size());
    RankTest result;
    result.u = sum - n * (n + 1) / 2;
    result.superiority = result.u / (n * m);
    result.cliffs_delta = 2 * result.superiority - 1;
    result.exact = ranks.tie_term == 0 && a.size() <= kExactLimit && b.size() <= kExactLimit;
    if (result.exact) {
        const auto lower = static_cast<std::size_t>(std::lround(std::min(result.u, n * m - result.u)));
        result.p_two_sided = std::min(1.0, 2 * mann_whitney_distribution(a.size(), b.size())[lower]);
    } else {
        result.p_two_sided = approximate_p(result.u, n, m, ranks.tie_term);
    }
    return result;
}

std::optional<ShiftEstimate> hodges_lehmann_shift(std::span<const double> a, std::span<const double> b,
                                                  double level) {
    if (a.empty() || b.empty() || !all_finite(a) || !all_finite(b) || !(level > 0 && level < 1))
        return std::nullopt;
    std::vector<double> differences;
    differences.reserve(a.size() * b.size());
    for (const double x : a) {
        for (const double y : b) differences.push_back(x - y);
    }
    std::sort(differences.begin(), differences.end());
    ShiftEstimate result;
    result.shift = median(differences);
    const double tail = (1 - level) / 2;
    const Cut cut = a.size() <= kExactLimit && b.size() <= kExactLimit
                        ? exact_cut(a.size(), b.size(), tail)
                        : approximate_cut(a.size(), b.size(), tail);
    if (cut.k == 0) return result;
    result.has_interval = true;
    result.low = differences[cut.k - 1];
    result.high = differences[differences.size() - cut.k];
    result.level = 1 - 2 * cut.tail;
    return result;
}

}  // namespace fsadvise::models
