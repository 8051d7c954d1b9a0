// Covariance of the Gaussian process over mixed, conditional points: additive in the columns, plus pairs.
//
// A column's correlation is a table over its levels, anchored: the effect of level 0 is 0 by definition, so
// k(a, b) = h(a, b) - h(a, 0) - h(0, b) + h(0, 0), scaled to a mean variance of 1 over the other levels.
// Points at level 0, or inactive, have no entry; a covariance visits only what two points have in common.
//
// Units: variances in squared target units; the length in spans of a column (0 to 1).
#pragma once

#include <cstddef>
#include <vector>

#include <Eigen/Dense>

#include "models/surrogate.h"

namespace fsadvise::models {

// A point without its zeros.
struct SparsePoint {
    struct Entry {
        std::size_t column = 0;
        int level = 0;
    };
    int selector = -1;
    std::vector<Entry> entries;  // by column, level above 0
    std::vector<int> nuisance;
};

// Logarithms throughout, so that an optimiser may go anywhere.
struct KernelParameters {
    std::vector<double> column;  // variance of each column's effects
    double selector = 0, nuisance = 0, length = 0;
    double interaction = 0;  // variance of a pair, in geometric means of its columns' variances
};

struct KernelGradient {
    std::vector<double> column;
    double selector = 0, nuisance = 0, length = 0, interaction = 0;
};

class AdditiveKernel {
  public:
    AdditiveKernel(const Domain& domain, const PriorBelief& prior);

    [[nodiscard]] SparsePoint sparse(const Point& point) const;
    // Sum of the prior's effects at this point; the intercept is not included.
    [[nodiscard]] double prior_mean(const SparsePoint& point) const;
    // Builds the tables; before the first covariance and after any change of the parameters.
    void set(const KernelParameters& parameters);
    [[nodiscard]] double covariance(const SparsePoint& a, const SparsePoint& b) const;
    // Adds weight * d covariance / d (log) parameter to `gradient`.
    void add_gradient(const SparsePoint& a, const SparsePoint& b, double weight,
                      KernelGradient& gradient) const;
    [[nodiscard]] std::size_t column_count() const { return tables_.size(); }

  private:
    struct Table {
        std::vector<double> positions;  // 0 to 1; empty: categorical
        Eigen::MatrixXd value, slope;   // slope: by log length
        std::vector<double> prior_mean, prior_variance;
        double variance = 0, root = 0;
    };
    std::vector<Table> tables_;
    std::vector<bool> plain_;  // neither selector nor nuisance
    std::optional<std::size_t> selector_;
    std::vector<std::size_t> nuisance_;
    double intercept_variance_ = 1, selector_variance_ = 1, nuisance_variance_ = 0, interaction_ = 0;
};

}  // namespace fsadvise::models
