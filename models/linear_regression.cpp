#include "models/linear_regression.h"

#include <algorithm>
#include <cmath>

namespace fsadvise::models {
namespace {

// The prior must stay proper: a scale of exactly zero would make every prediction certain.
constexpr double kBroadPriorVariance = 1.0;  // on a log metric: a factor of e either way is unremarkable
constexpr double kSmallestPriorVariance = 1e-6, kLargestPriorVariance = 10.0;
constexpr double kSmallestNoiseVariance = 1e-8;
constexpr int kIterations = 40;

}  // namespace

Result<LinearRegression> LinearRegression::fit(const Eigen::MatrixXd& rows, const Eigen::VectorXd& targets,
                                               const Eigen::VectorXd& noise_variance, std::size_t broad) {
    const Eigen::Index n = rows.rows(), f = rows.cols();
    if (n == 0) return fail(ErrorCode::kBadInput, "no measurements to fit");
    if (targets.size() != n || noise_variance.size() != n) {
        return fail(ErrorCode::kBadInput, "rows, targets and noise differ in number");
    }
    if (!rows.allFinite() || !targets.allFinite() || !noise_variance.allFinite()) {
        return fail(ErrorCode::kBadInput, "a measurement is not a finite number");
    }
    // Known noise enters as weights; what the line cannot explain is added as one common scale
    // (noise_scale_).
    const Eigen::VectorXd base = noise_variance.cwiseMax(kSmallestNoiseVariance);
    Eigen::MatrixXd design(n, f + 1);
    design.col(0).setOnes();
    design.rightCols(f) = rows;

    const Eigen::Index wide = std::min(f, static_cast<Eigen::Index>(broad));
    double prior = 0.01, extra = 0;
    Eigen::MatrixXd covariance;
    Eigen::VectorXd weights;
    for (int iteration = 0; iteration < kIterations; ++iteration) {
        const Eigen::VectorXd precision = (base.array() + extra).inverse();
        Eigen::MatrixXd information = design.transpose() * precision.asDiagonal() * design;
        information(0, 0) += 1e-4;  // nearly flat prior on the intercept
        for (Eigen::Index i = 1; i <= f; ++i) {
            information(i, i) += 1 / (i <= wide ? kBroadPriorVariance : prior);
        }
        const Eigen::LDLT<Eigen::MatrixXd> factor(information);
        covariance = factor.solve(Eigen::MatrixXd::Identity(f + 1, f + 1));
        weights = factor.solve(design.transpose() * precision.cwiseProduct(targets));

        // Fixed point of the evidence: effective number of parameters, then prior and noise from it.
        const Eigen::VectorXd slopes = weights.tail(f - wide);
        const double used =
            static_cast<double>(f - wide) - covariance.diagonal().tail(f - wide).sum() / prior;
        const double next_prior = used > 1e-9 ? slopes.squaredNorm() / used : prior;
        const Eigen::VectorXd residual = targets - design * weights;
        const double freedom = std::max(1.0, static_cast<double>(n - wide) - used - 1);
        const double unexplained = residual.squaredNorm() / freedom - base.mean();
        const double next_extra = std::max(0.0, unexplained);
        const double before = prior;
        prior = std::clamp(next_prior, kSmallestPriorVariance, kLargestPriorVariance);
        const bool settled =
            std::abs(prior - before) < 1e-4 * before && std::abs(next_extra - extra) < 1e-4 * (extra + 1e-9);
        extra = next_extra;
        if (settled) break;
    }
    LinearRegression model;
    model.intercept_ = weights[0];
    model.weights_ = weights.tail(f);
    model.covariance_ = covariance;
    model.noise_scale_ = std::sqrt(base.mean() + extra);
    return model;
}

Prediction LinearRegression::predict(const Eigen::VectorXd& row) const {
    Eigen::VectorXd full(row.size() + 1);
    full[0] = 1;
    full.tail(row.size()) = row;
    const double variance = full.dot(covariance_ * full);
    return {intercept_ + weights_.dot(row), std::sqrt(std::max(0.0, variance))};
}

Prediction LinearRegression::contrast(const Eigen::VectorXd& row) const {
    const Eigen::Index f = row.size();
    const double variance = row.dot(covariance_.bottomRightCorner(f, f) * row);
    return {weights_.dot(row), std::sqrt(std::max(0.0, variance))};
}

std::vector<Coefficient> LinearRegression::coefficients() const {
    std::vector<Coefficient> result;
    for (Eigen::Index i = 0; i < weights_.size(); ++i) {
        const double half = 1.96 * std::sqrt(std::max(0.0, covariance_(i + 1, i + 1)));
        result.push_back({static_cast<std::size_t>(i), weights_[i], weights_[i] - half, weights_[i] + half});
    }
    return result;
}

}  // namespace fsadvise::models
