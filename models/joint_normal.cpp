#include "models/joint_normal.h"

namespace fsadvise::models {

JointNormal::JointNormal(Eigen::VectorXd mean, const Eigen::MatrixXd& covariance) : mean_(std::move(mean)) {
    // Rounding may push a variance of a singular covariance below zero: it is cut.
    const Eigen::LDLT<Eigen::MatrixXd> factor(covariance);
    const Eigen::VectorXd scale = factor.vectorD().cwiseMax(0).cwiseSqrt();
    root_ = factor.matrixL();
    root_ = root_ * scale.asDiagonal();
    const Eigen::MatrixXd permuted = factor.transpositionsP().transpose() * root_;
    root_ = permuted;
}

Eigen::VectorXd JointNormal::draw(std::mt19937_64& random) const {
    std::normal_distribution<double> normal;
    Eigen::VectorXd z(mean_.size());
    for (Eigen::Index i = 0; i < z.size(); ++i) z[i] = normal(random);
    return mean_ + root_ * z;
}

}  // namespace fsadvise::models
