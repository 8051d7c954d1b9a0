// Draws from a multivariate normal distribution, also a singular one (points that repeat).
//
// Units: of the mean. Bounds: construction O(n^3), a draw O(n^2).
#pragma once

#include <random>

#include <Eigen/Dense>

namespace fsadvise::models {

class JointNormal {
  public:
    JointNormal(Eigen::VectorXd mean, const Eigen::MatrixXd& covariance);
    [[nodiscard]] Eigen::VectorXd draw(std::mt19937_64& random) const;

  private:
    Eigen::VectorXd mean_;
    Eigen::MatrixXd root_;  // root * root^T = covariance
};

}  // namespace fsadvise::models
