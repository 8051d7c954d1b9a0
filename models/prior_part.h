// The linear part that priors and circumstances make, for surrogates that have no place of their own for it:
// intercept, a coefficient for every level with a prior, and one for every level of a nuisance column.
//
// Units: of the targets. Bounds: O(n f^2 + f^3), f the number of coefficients.
// Errors: none; rows were checked by check_training_data().
// Source: Bishop, Pattern Recognition and Machine Learning, 3.3 (Bayesian linear regression).
#pragma once

#include <vector>

#include <Eigen/Dense>

#include "models/joint_normal.h"
#include "models/surrogate.h"

namespace fsadvise::models {

class PriorPart {
  public:
    PriorPart(const Domain& domain, const PriorBelief& prior);

    // What the part cannot explain is taken as noise, so priors give way slowly while much is unexplained.
    void fit(const TrainingData& data);
    [[nodiscard]] Prediction predict(const Point& point) const;
    [[nodiscard]] double residual(const TrainingData& data, std::size_t row) const;
    // Prediction of a row of the last fit() by all others.
    [[nodiscard]] double leave_one_out_mean(std::size_t row) const { return leave_one_out_[row]; }
    // The distribution of the coefficients, and the value that a draw of it gives a point.
    [[nodiscard]] JointNormal coefficients() const { return {mean_, covariance_}; }
    [[nodiscard]] double value(const Eigen::VectorXd& coefficients, const Point& point) const;

  private:
    // Positions of the coefficients that are 1 at this point, the intercept (0) first.
    [[nodiscard]] std::vector<Eigen::Index> features(const Point& point) const;

    bool free_intercept_ = true;
    std::vector<std::vector<Eigen::Index>> at_;  // column, level -> coefficient; 0: none
    Eigen::VectorXd prior_mean_, prior_variance_, mean_;
    Eigen::MatrixXd covariance_;
    std::vector<double> leave_one_out_;
};

}  // namespace fsadvise::models
