#include "models/surrogate.h"

#include <cmath>
#include <numbers>
#include <numeric>

#include <fmt/format.h>

#include "models/ranks.h"

namespace fsadvise::models {

double LeaveOneOut::total() const {
    return std::accumulate(log_density.begin(), log_density.end(), 0.0);
}

std::vector<Prediction> Surrogate::predict(std::span<const Point> points) const {
    std::vector<Prediction> result;
    result.reserve(points.size());
    for (const Point& point : points) result.push_back(predict(point));
    return result;
}

double log_normal_density(double x, double mean, double deviation) {
    const double z = (x - mean) / deviation;
    return -0.5 * z * z - std::log(deviation) - 0.5 * std::log(2 * std::numbers::pi);
}

Result<void> check_training_data(const Domain& domain, const PriorBelief& prior, const TrainingData& data) {
    const std::size_t n = data.points.size();
    if (data.targets.size() != n || data.noise_variance.size() != n) {
        return fail(ErrorCode::kBadInput,
                    fmt::format("{} points, {} targets and {} noise variances: they must be equally many", n,
                                data.targets.size(), data.noise_variance.size()));
    }
    if (!all_finite(data.targets) || !all_finite(data.noise_variance)) {
        return fail(ErrorCode::kBadInput, "a target or noise variance is not a finite number");
    }
    const auto known = [&](std::size_t column, int level, int lowest) {
        return column < domain.columns.size() && level >= lowest &&
               level < static_cast<int>(domain.columns[column].levels);
    };
    for (std::size_t i = 0; i < n; ++i) {
        if (data.noise_variance[i] < 0) {
            return fail(ErrorCode::kBadInput, fmt::format("noise variance of row {} is negative", i));
        }
        if (data.points[i].level.size() != domain.columns.size()) {
            return fail(ErrorCode::kBadInput,
                        fmt::format("row {} has {} levels for {} columns", i, data.points[i].level.size(),
                                    domain.columns.size()));
        }
        for (std::size_t c = 0; c < domain.columns.size(); ++c) {
            if (!known(c, data.points[i].level[c], -1)) {
                return fail(
                    ErrorCode::kBadInput,
                    fmt::format("row {} has level {} in column '{}', which has {}", i,
                                data.points[i].level[c], domain.columns[c].name, domain.columns[c].levels));
            }
        }
    }
    for (const LevelPrior& belief : prior.levels) {
        // Level 0 is the reference of its column; only the selector has none.
        const int lowest = domain.selector == belief.column ? 0 : 1;
        if (!known(belief.column, belief.level, lowest) || !std::isfinite(belief.mean) ||
            !(belief.deviation > 0) || !std::isfinite(belief.deviation)) {
            return fail(
                ErrorCode::kBadInput,
                fmt::format("the prior of level {} of column {} is none: unknown level, or a deviation "
                            "that is not above 0",
                            belief.level, belief.column));
        }
    }
    return {};
}

}  // namespace fsadvise::models
