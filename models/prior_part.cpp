#include "models/prior_part.h"

#include <algorithm>
#include <cmath>

namespace fsadvise::models {
namespace {

constexpr double kNuisanceDeviation = 0.02;  // the areas of a duet differ by 2 to 3 %
constexpr double kLeastVariance = 1e-9;
constexpr double kUnexplained = 0.1 * 0.1;  // before any row, and worth two of them
constexpr double kUnexplainedRows = 2;
constexpr int kIterations = 15;

}  // namespace

PriorPart::PriorPart(const Domain& domain, const PriorBelief& prior)
    : free_intercept_(!prior.intercept.has_value()) {
    std::vector<double> means = {prior.intercept.value_or(0)};
    std::vector<double> variances = {prior.intercept_deviation * prior.intercept_deviation};
    for (const Column& column : domain.columns) at_.emplace_back(column.levels, 0);
    const auto add = [&](std::size_t column, std::size_t level, double mean, double deviation) {
        if (column >= at_.size() || level >= at_[column].size() || at_[column][level] != 0) return;
        at_[column][level] = static_cast<Eigen::Index>(means.size());
        means.push_back(mean);
        variances.push_back(deviation * deviation);
    };
    for (const LevelPrior& belief : prior.levels) {
        if (belief.level < 0) continue;
        add(belief.column, static_cast<std::size_t>(belief.level), belief.mean, belief.deviation);
    }
    for (const std::size_t column : domain.nuisance) {
        if (column >= domain.columns.size()) continue;
        for (std::size_t level = 0; level < domain.columns[column].levels; ++level) {
            add(column, level, 0, kNuisanceDeviation);
        }
    }
    prior_mean_ = Eigen::Map<Eigen::VectorXd>(means.data(), static_cast<Eigen::Index>(means.size()));
    prior_variance_ =
        Eigen::Map<Eigen::VectorXd>(variances.data(), static_cast<Eigen::Index>(variances.size()));
    mean_ = prior_mean_;
    covariance_ = prior_variance_.asDiagonal();
}

std::vector<Eigen::Index> PriorPart::features(const Point& point) const {
    std::vector<Eigen::Index> result = {0};
    for (std::size_t column = 0; column < std::min(at_.size(), point.level.size()); ++column) {
        const int level = point.level[column];
        if (level < 0 || static_cast<std::size_t>(level) >= at_[column].size()) continue;
        const Eigen::Index at = at_[column][static_cast<std::size_t>(level)];
        if (at > 0) result.push_back(at);
    }
    return result;
}

void PriorPart::fit(const TrainingData& data) {
    const auto n = static_cast<Eigen::Index>(data.points.size()), f = prior_mean_.size();
    Eigen::VectorXd prior = prior_mean_;
    mean_ = prior;
    covariance_ = prior_variance_.asDiagonal();
    leave_one_out_.assign(static_cast<std::size_t>(n), prior[0]);
    if (n == 0) return;
    Eigen::MatrixXd design = Eigen::MatrixXd::Zero(n, f);
    Eigen::VectorXd targets(n), noise(n);
    for (Eigen::Index i = 0; i < n; ++i) {
        const auto row = static_cast<std::size_t>(i);
        for (const Eigen::Index at : features(data.points[row])) design(i, at) = 1;
        targets[i] = data.targets[row];
        noise[i] = std::max(data.noise_variance[row], kLeastVariance);
    }
    if (free_intercept_) prior[0] = (targets - design.rightCols(f - 1) * prior.tail(f - 1)).mean();
    double unexplained = kUnexplained;
    Eigen::VectorXd leverage(n);
    for (int iteration = 0; iteration < kIterations; ++iteration) {
        const Eigen::VectorXd precision = (noise.array() + unexplained).inverse();
        Eigen::MatrixXd information = design.transpose() * precision.asDiagonal() * design;
        information.diagonal() += prior_variance_.cwiseInverse();
        const Eigen::LDLT<Eigen::MatrixXd> factor(information);
        covariance_ = factor.solve(Eigen::MatrixXd::Identity(f, f));
        mean_ = factor.solve(design.transpose() * precision.cwiseProduct(targets) +
                             prior_variance_.cwiseInverse().cwiseProduct(prior));
        leverage = (design * covariance_).cwiseProduct(design).rowwise().sum().cwiseProduct(precision);
        const double squares = (targets - design * mean_).squaredNorm() - noise.sum();
        const double freedom = std::max(0.0, static_cast<double>(n) - leverage.sum());
        unexplained = std::max((squares + kUnexplainedRows * kUnexplained) / (freedom + kUnexplainedRows),
                               kLeastVariance);
    }
    const Eigen::VectorXd residuals = targets - design * mean_;
    for (Eigen::Index i = 0; i < n; ++i) {
        leave_one_out_[static_cast<std::size_t>(i)] =
            targets[i] - residuals[i] / std::max(1 - leverage[i], 0.05);
    }
}

Prediction PriorPart::predict(const Point& point) const {
    double mean = 0, variance = 0;
    const auto set = features(point);
    for (const Eigen::Index a : set) {
        mean += mean_[a];
        for (const Eigen::Index b : set) variance += covariance_(a, b);
    }
    return {mean, std::sqrt(std::max(variance, 0.0))};
}

double PriorPart::residual(const TrainingData& data, std::size_t row) const {
    return data.targets[row] - predict(data.points[row]).mean;
}

double PriorPart::value(const Eigen::VectorXd& coefficients, const Point& point) const {
    double sum = 0;
    for (const Eigen::Index at : features(point)) sum += coefficients[at];
    return sum;
}

}  // namespace fsadvise::models
