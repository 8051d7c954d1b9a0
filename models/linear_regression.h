// Bayesian linear regression on a log metric, with the prior scale chosen by evidence.
//
// Source: Bishop, Pattern Recognition and Machine Learning, 3.3-3.5 (evidence approximation).
// Bounds: O(n f^2 + f^3); f is some dozens here.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <Eigen/Dense>

#include "base/result.h"
#include "models/prediction.h"

namespace fsadvise::models {

struct Coefficient {
    std::size_t feature = 0;
    double effect = 0, low = 0, high = 0;  // additive on the log metric, 95 %
};

class LinearRegression {
  public:
    // rows: one a measurement; noise_variance: of each target (from replicates), one a row.
    // The first `broad` features get a wide fixed prior instead of the learned one: factors that are known to
    // be able to matter a lot (which filesystem) must not widen what is believed of the many that seldom do.
    // Errors: kBadInput if there are no rows, sizes differ or a number is not finite.
    static Result<LinearRegression> fit(const Eigen::MatrixXd& rows, const Eigen::VectorXd& targets,
                                        const Eigen::VectorXd& noise_variance, std::size_t broad = 0);
    [[nodiscard]] Prediction predict(const Eigen::VectorXd& row) const;
    // Difference that the features of `row` make, the intercept left out.
    [[nodiscard]] Prediction contrast(const Eigen::VectorXd& row) const;
    [[nodiscard]] std::vector<Coefficient> coefficients() const;
    [[nodiscard]] double noise_scale() const { return noise_scale_; }

  private:
    Eigen::VectorXd weights_;
    Eigen::MatrixXd covariance_;  // intercept first
    double intercept_ = 0, noise_scale_ = 1;
};

}  // namespace fsadvise::models
