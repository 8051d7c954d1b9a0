#include "models/additive_kernel.h"

#include <algorithm>
#include <cmath>

namespace fsadvise::models {
namespace {

// Share of an ordered column that follows no order: a special value among sizes may act on its own.
constexpr double kUnordered = 0.1;
constexpr double kLengthStep = 1e-3;  // of the log length, for the slope of a table

double matern52(double distance, double length) {
    const double r = std::sqrt(5.0) * distance / length;
    return (1 + r + r * r / 3) * std::exp(-r);
}

Eigen::MatrixXd anchored(std::size_t levels, const std::vector<double>& positions, double length) {
    const auto n = static_cast<Eigen::Index>(levels);
    Eigen::MatrixXd h = Eigen::MatrixXd::Identity(n, n);
    if (!positions.empty()) {
        for (Eigen::Index a = 0; a < n; ++a) {
            for (Eigen::Index b = 0; b < n; ++b) {
                const double distance =
                    std::abs(positions[static_cast<std::size_t>(a)] - positions[static_cast<std::size_t>(b)]);
                h(a, b) = (1 - kUnordered) * matern52(distance, length) + (a == b ? kUnordered : 0);
            }
        }
    }
    Eigen::MatrixXd k = Eigen::MatrixXd::Zero(n, n);
    double sum = 0;
    for (Eigen::Index a = 1; a < n; ++a) {
        for (Eigen::Index b = 1; b < n; ++b) k(a, b) = h(a, b) - h(a, 0) - h(0, b) + h(0, 0);
        sum += k(a, a);
    }
    if (sum > 0) k *= static_cast<double>(n - 1) / sum;
    return k;
}

std::vector<double> unit_positions(const Column& column) {
    if (column.positions.size() != column.levels || column.positions.empty()) return {};
    const auto [low, high] = std::minmax_element(column.positions.begin(), column.positions.end());
    const double start = *low, span = *high - *low;
    if (!(span > 0) || !std::isfinite(span)) return {};
    std::vector<double> result;
    for (const double position : column.positions) result.push_back((position - start) / span);
    return result;
}

// Calls f(column, level of a, level of b) for every column that both have set.
template <class Visit>
void common(const SparsePoint& a, const SparsePoint& b, Visit visit) {
    auto one = a.entries.begin();
    auto other = b.entries.begin();
    while (one != a.entries.end() && other != b.entries.end()) {
        if (one->column < other->column) {
            ++one;
        } else if (other->column < one->column) {
            ++other;
        } else {
            visit(one->column, one->level, other->level);
            ++one, ++other;
        }
    }
}

}  // namespace

AdditiveKernel::AdditiveKernel(const Domain& domain, const PriorBelief& prior)
    : plain_(domain.columns.size(), true), selector_(domain.selector), nuisance_(domain.nuisance) {
    if (selector_ && *selector_ >= domain.columns.size()) selector_.reset();
    std::erase_if(nuisance_, [&](std::size_t column) { return column >= domain.columns.size(); });
    if (selector_) plain_[*selector_] = false;
    for (const std::size_t column : nuisance_) plain_[column] = false;
    for (const Column& column : domain.columns) {
        Table table;
        table.positions = unit_positions(column);
        table.value = anchored(column.levels, table.positions, 1);
        table.slope = Eigen::MatrixXd::Zero(table.value.rows(), table.value.cols());
        table.prior_mean.assign(column.levels, 0);
        table.prior_variance.assign(column.levels, 0);
        tables_.push_back(std::move(table));
    }
    for (const LevelPrior& belief : prior.levels) {
        if (belief.column >= tables_.size() || belief.level < 0) continue;
        Table& table = tables_[belief.column];
        const auto level = static_cast<std::size_t>(belief.level);
        if (level >= table.prior_mean.size()) continue;
        table.prior_mean[level] = belief.mean;
        table.prior_variance[level] = belief.deviation * belief.deviation;
    }
    intercept_variance_ = prior.intercept_deviation * prior.intercept_deviation;
}

SparsePoint AdditiveKernel::sparse(const Point& point) const {
    SparsePoint result;
    const auto level_of = [&](std::size_t column) {
        const int level = column < point.level.size() ? point.level[column] : -1;
        return level < static_cast<int>(tables_[column].prior_mean.size()) ? level : -1;
    };
    if (selector_) result.selector = level_of(*selector_);
    for (const std::size_t column : nuisance_) result.nuisance.push_back(level_of(column));
    for (std::size_t column = 0; column < tables_.size(); ++column) {
        if (plain_[column] && level_of(column) > 0) result.entries.push_back({column, level_of(column)});
    }
    return result;
}

double AdditiveKernel::prior_mean(const SparsePoint& point) const {
    double sum = 0;
    if (selector_ && point.selector >= 0) {
        sum += tables_[*selector_].prior_mean[static_cast<std::size_t>(point.selector)];
    }
    for (const auto& entry : point.entries) {
        sum += tables_[entry.column].prior_mean[static_cast<std::size_t>(entry.level)];
    }
    return sum;
}

void AdditiveKernel::set(const KernelParameters& parameters) {
    const double length = std::exp(parameters.length);
    for (std::size_t c = 0; c < tables_.size(); ++c) {
        Table& table = tables_[c];
        table.variance = std::exp(parameters.column[c]);
        table.root = std::sqrt(table.variance);
        if (table.positions.empty() || !plain_[c]) continue;
        const auto levels = table.prior_mean.size();
        table.value = anchored(levels, table.positions, length);
        table.slope = (anchored(levels, table.positions, length * std::exp(kLengthStep)) -
                       anchored(levels, table.positions, length * std::exp(-kLengthStep))) /
                      (2 * kLengthStep);
    }
    selector_variance_ = std::exp(parameters.selector);
    nuisance_variance_ = std::exp(parameters.nuisance);
    interaction_ = std::exp(parameters.interaction);
}

double AdditiveKernel::covariance(const SparsePoint& a, const SparsePoint& b) const {
    double sum = intercept_variance_;
    if (a.selector >= 0 && a.selector == b.selector) {
        sum += selector_variance_ + tables_[*selector_].prior_variance[static_cast<std::size_t>(a.selector)];
    }
    for (std::size_t i = 0; i < a.nuisance.size(); ++i) {
        if (a.nuisance[i] >= 0 && a.nuisance[i] == b.nuisance[i]) sum += nuisance_variance_;
    }
    // Pairs by ((sum w)^2 - sum w^2) / 2: linear in the columns.
    double pairs = 0, squares = 0;
    common(a, b, [&](std::size_t column, int one, int other) {
        const Table& table = tables_[column];
        const double k = table.value(one, other);
        sum += table.variance * k;
        if (one == other) sum += table.prior_variance[static_cast<std::size_t>(one)];
        const double w = table.root * k;
        pairs += w;
        squares += w * w;
    });
    return sum + interaction_ * (pairs * pairs - squares) / 2;
}

void AdditiveKernel::add_gradient(const SparsePoint& a, const SparsePoint& b, double weight,
                                  KernelGradient& gradient) const {
    if (a.selector >= 0 && a.selector == b.selector) gradient.selector += weight * selector_variance_;
    for (std::size_t i = 0; i < a.nuisance.size(); ++i) {
        if (a.nuisance[i] >= 0 && a.nuisance[i] == b.nuisance[i]) {
            gradient.nuisance += weight * nuisance_variance_;
        }
    }
    double pairs = 0, squares = 0;
    common(a, b, [&](std::size_t column, int one, int other) {
        const double w = tables_[column].root * tables_[column].value(one, other);
        pairs += w;
        squares += w * w;
    });
    gradient.interaction += weight * interaction_ * (pairs * pairs - squares) / 2;
    common(a, b, [&](std::size_t column, int one, int other) {
        const Table& table = tables_[column];
        const double k = table.value(one, other), w = table.root * k;
        gradient.column[column] += weight * (table.variance * k + interaction_ * w * (pairs - w) / 2);
        const double slope = table.slope(one, other);
        gradient.length += weight * slope * (table.variance + interaction_ * table.root * (pairs - w));
    });
}

}  // namespace fsadvise::models
