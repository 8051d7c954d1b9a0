#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>

#include "models/importance.h"

namespace fsadvise::models {
namespace {

constexpr std::size_t kFewestRows = 6;

// Rows by group, as indices.
using Groups = std::vector<std::vector<std::size_t>>;

struct Scatter {
    double squares = 0;
    double freedom = 0;
    [[nodiscard]] double variance() const { return freedom > 0 ? squares / freedom : 0; }
};

void add_scatter(const std::vector<std::size_t>& group, const std::vector<double>& targets,
                 Scatter& scatter) {
    if (group.size() < 2) return;
    double mean = 0;
    for (const std::size_t i : group) mean += targets[i] / static_cast<double>(group.size());
    for (const std::size_t i : group) scatter.squares += (targets[i] - mean) * (targets[i] - mean);
    scatter.freedom += static_cast<double>(group.size() - 1);
}

Groups split(const Groups& groups, const std::vector<Point>& points, std::size_t column) {
    Groups result;
    for (const auto& group : groups) {
        std::map<int, std::vector<std::size_t>> parts;
        for (const std::size_t i : group) parts[points[i].level[column]].push_back(i);
        for (auto& [level, part] : parts) result.push_back(std::move(part));
    }
    return result;
}

Scatter scatter_of(const Groups& groups, const std::vector<double>& targets) {
    Scatter result;
    for (const auto& group : groups) add_scatter(group, targets, result);
    return result;
}

// The column that explains most, and how much of the variance; unbiased, so many levels are no merit.
std::pair<std::size_t, double> best_column(const Groups& groups, const std::vector<Groups>& refined,
                                           const std::vector<std::size_t>& columns,
                                           const std::vector<double>& targets) {
    const double before = scatter_of(groups, targets).variance();
    std::pair<std::size_t, double> best{columns.size(), 0};
    for (std::size_t k = 0; k < columns.size(); ++k) {
        const Scatter after = scatter_of(refined[k], targets);
        // Too few rows in company would call chance an explanation.
        if (after.freedom < 3 || !(before > 0)) continue;
        const double explained = 1 - after.variance() / before;
        if (explained > best.second) best = {k, explained};
    }
    return best;
}

double relative(double variance) {
    return std::sqrt(std::expm1(variance));
}

}  // namespace

std::vector<VarianceStep> variance_importance(const Domain& domain, const TrainingData& data,
                                              const VarianceOptions& options) {
    std::vector<VarianceStep> result;
    const std::size_t n = data.points.size();
    if (n < kFewestRows || !check_training_data(domain, {}, data)) return result;
    std::vector<std::size_t> columns(domain.columns.size());
    std::iota(columns.begin(), columns.end(), std::size_t{0});
    Groups groups(1);
    for (std::size_t i = 0; i < n; ++i) groups[0].push_back(i);
    std::mt19937_64 random(options.seed);
    while (!columns.empty() &&
           relative(scatter_of(groups, data.targets).variance()) > options.relative_deviation) {
        std::vector<Groups> refined;
        for (const std::size_t column : columns) refined.push_back(split(groups, data.points, column));
        const auto [chosen, explained] = best_column(groups, refined, columns, data.targets);
        if (chosen == columns.size()) break;
        // How much does the best column explain of targets that were shuffled within their groups?
        int as_good = 0;
        std::vector<double> shuffled = data.targets;
        for (int round = 0; round < options.permutations; ++round) {
            for (const auto& group : groups) {
                for (std::size_t k = group.size(); k > 1; --k) {
                    std::swap(shuffled[group[k - 1]], shuffled[group[random() % k]]);
                }
            }
            if (best_column(groups, refined, columns, shuffled).second >= explained) ++as_good;
        }
        VarianceStep step;
        step.column = columns[chosen];
        step.explained = explained;
        step.p = (as_good + 1.0) / (options.permutations + 1.0);
        if (step.p > options.level) break;
        groups = refined[chosen];
        step.relative_deviation = relative(scatter_of(groups, data.targets).variance());
        result.push_back(step);
        columns.erase(columns.begin() + static_cast<std::ptrdiff_t>(chosen));
    }
    return result;
}

}  // namespace fsadvise::models
