#include <algorithm>
#include <cmath>
#include <set>

#include "models/importance.h"
#include "models/statistics.h"

namespace fsadvise::models {
namespace {

// Tried points in which the column is active, spread over the order of trying.
std::vector<Point> contexts(std::span<const Point> points, std::size_t column, std::size_t most) {
    std::vector<Point> active;
    for (const Point& point : points) {
        if (point.level[column] >= 0) active.push_back(point);
    }
    if (active.size() <= most) return active;
    std::vector<Point> result;
    for (std::size_t i = 0; i < most; ++i) result.push_back(active[i * active.size() / most]);
    return result;
}

ColumnImportance judge(const Surrogate& surrogate, std::size_t column, const std::vector<Point>& around,
                       const std::vector<int>& levels, const SurrogateImportanceOptions& options) {
    // Level 0 of every context, then each other level of every context.
    std::vector<Point> points;
    std::vector<int> all = {0};
    all.insert(all.end(), levels.begin(), levels.end());
    for (const int level : all) {
        for (Point point : around) {
            point.level[column] = level;
            points.push_back(std::move(point));
        }
    }
    const Eigen::MatrixXd draws = surrogate.draws(points, options.draws, options.seed);
    const auto count = static_cast<Eigen::Index>(around.size());
    ColumnImportance result;
    result.column = column;
    Eigen::MatrixXd means(draws.rows(), static_cast<Eigen::Index>(all.size()));  // draw, level
    for (Eigen::Index l = 0; l < means.cols(); ++l) {
        means.col(l) = draws.middleCols(l * count, count).rowwise().mean();
    }
    std::vector<double> deviations;
    Eigen::ArrayXd largest = Eigen::ArrayXd::Zero(draws.rows());
    for (Eigen::Index row = 0; row < means.rows(); ++row) {
        const double center = means.row(row).mean();
        deviations.push_back(std::sqrt((means.row(row).array() - center).square().mean()));
    }
    const Eigen::RowVectorXd expected = means.colwise().mean();
    result.deviation = std::sqrt((expected.array() - expected.mean()).square().mean());
    result.low = quantile(deviations, 0.025);
    result.high = quantile(deviations, 0.975);
    for (Eigen::Index l = 1; l < means.cols(); ++l) {
        const Eigen::VectorXd effects = means.col(l) - means.col(0);
        const std::vector<double> values(effects.begin(), effects.end());
        largest = largest.max(effects.array().abs());
        LevelEffect effect;
        effect.level = all[static_cast<std::size_t>(l)];
        effect.effect = effects.mean();
        effect.low = quantile(values, 0.025);
        effect.high = quantile(values, 0.975);
        effect.material = (effects.array().abs() >= options.threshold).cast<double>().mean();
        result.effects.push_back(effect);
    }
    const double material = (largest >= options.threshold).cast<double>().mean();
    if (material >= options.sure) result.verdict = Verdict::kMatters;
    if (material <= 1 - options.sure) result.verdict = Verdict::kNoMatter;
    return result;
}

}  // namespace

std::vector<ColumnImportance> surrogate_importance(const Surrogate& surrogate, const Domain& domain,
                                                   std::span<const Point> points,
                                                   const SurrogateImportanceOptions& options) {
    std::vector<ColumnImportance> result;
    if (options.draws == 0 || options.points == 0) return result;
    double squares = 0;
    for (std::size_t column = 0; column < domain.columns.size(); ++column) {
        const bool nuisance =
            std::find(domain.nuisance.begin(), domain.nuisance.end(), column) != domain.nuisance.end();
        if (domain.selector == column || nuisance) continue;
        std::set<int> levels;
        for (const Point& point : points) {
            if (point.level[column] > 0) levels.insert(point.level[column]);
        }
        if (levels.empty()) continue;
        result.push_back(judge(surrogate, column, contexts(points, column, options.points),
                               {levels.begin(), levels.end()}, options));
        squares += result.back().deviation * result.back().deviation;
    }
    for (ColumnImportance& one : result)
        one.share = squares > 0 ? one.deviation * one.deviation / squares : 0;
    std::stable_sort(result.begin(), result.end(), [](const ColumnImportance& a, const ColumnImportance& b) {
        return a.deviation > b.deviation;
    });
    return result;
}

}  // namespace fsadvise::models
