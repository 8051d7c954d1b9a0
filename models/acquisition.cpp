#include "models/acquisition.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "models/statistics.h"

namespace fsadvise::models {
namespace {

double normal_density(double z) {
    return std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
}

double normal_below(double z) {
    return std::erfc(-z / std::numbers::sqrt2) / 2;
}

// log(density(z) + z below(z)). For z << 0 both terms cancel, so the ratio of the tails (Mills) takes over:
// 1 - |z| M(|z|), by its continued fraction, or by 1/z^2 - 3/z^4 + 15/z^6 where that has lost its digits too.
double log_improvement_factor(double z) {
    if (z > -1) return std::log(normal_density(z) + z * normal_below(z));
    const double a = -z;
    const double log_density = -z * z / 2 - std::log(2 * std::numbers::pi) / 2;
    if (a > 30) {
        const double s = 1 / (a * a);
        return log_density + std::log(s * (1 - s * (3 - s * (15 - s * 105))));
    }
    // M(a) = 1 / (a + 1 / (a + 2 / (a + 3 / ...))); with t = 1 / (a + 2 / (a + ...)), 1 - a M = t / (a + t).
    double tail = a;
    for (int k = 400; k >= 2; --k) tail = a + k / tail;
    const double t = 1 / tail;
    return log_density + std::log(t / (a + t));
}

}  // namespace

double expected_improvement(double mean, double deviation, double best) {
    const double gain = mean - best;
    if (!(deviation > 0)) return std::max(0.0, gain);
    const double z = gain / deviation;
    return std::max(0.0, gain * normal_below(z) + deviation * normal_density(z));
}

double log_expected_improvement(double mean, double deviation, double best) {
    const double gain = mean - best;
    if (!(deviation > 0)) {
        return gain > 0 ? std::log(gain) : -std::numeric_limits<double>::infinity();
    }
    return std::log(deviation) + log_improvement_factor(gain / deviation);
}

std::optional<Incumbent> best_expected(const Surrogate& surrogate, std::span<const Point> tried) {
    if (tried.empty()) return std::nullopt;
    const auto predictions = surrogate.predict(tried);
    const auto best =
        std::max_element(predictions.begin(), predictions.end(),
                         [](const Prediction& a, const Prediction& b) { return a.mean < b.mean; });
    return Incumbent{static_cast<std::size_t>(best - predictions.begin()), *best};
}

RemainingImprovement remaining_improvement(const Surrogate& surrogate, std::span<const Point> tried,
                                           std::span<const Point> untried, std::size_t draws,
                                           std::uint64_t seed) {
    RemainingImprovement result;
    const auto incumbent = best_expected(surrogate, tried);
    if (!incumbent || untried.empty() || draws == 0) return result;
    std::vector<Point> points(untried.begin(), untried.end());
    points.push_back(tried[incumbent->index]);
    const Eigen::MatrixXd values = surrogate.draws(points, draws, seed);
    const auto last = static_cast<Eigen::Index>(untried.size());
    std::vector<double> gains(draws);
    for (std::size_t i = 0; i < draws; ++i) {
        const auto row = static_cast<Eigen::Index>(i);
        gains[i] = std::max(0.0, values.row(row).head(last).maxCoeff() - values(row, last));
    }
    result.expected = mean(gains);
    result.q95 = quantile(gains, 0.95);
    result.probability =
        static_cast<double>(std::count_if(gains.begin(), gains.end(), [](double gain) { return gain > 0; })) /
        static_cast<double>(draws);
    return result;
}

std::vector<double> probability_of_best(const Surrogate& surrogate, std::span<const Point> points,
                                        std::size_t draws, std::uint64_t seed) {
    std::vector<double> result(points.size(), 0.0);
    if (points.empty() || draws == 0) return result;
    const Eigen::MatrixXd values = surrogate.draws(points, draws, seed);
    for (Eigen::Index row = 0; row < values.rows(); ++row) {
        // Points that cannot be told apart (equal in a draw) share it.
        const double best = values.row(row).maxCoeff();
        const auto ties = static_cast<double>((values.row(row).array() == best).count());
        for (Eigen::Index i = 0; i < values.cols(); ++i) {
            if (values(row, i) == best) result[static_cast<std::size_t>(i)] += 1 / ties;
        }
    }
    for (double& share : result) share /= static_cast<double>(draws);
    return result;
}

}  // namespace fsadvise::models
