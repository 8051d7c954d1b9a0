// Regression on on/off features of which few matter, as draws from its posterior; made for a handful of noisy
// rows.
//
//   y = intercept + sum of the effects of the row's features + a deviation of its own + noise
//
// An effect is nothing, moderate or large, or as a prior from elsewhere says; how often such priors hold is
// learned with them, so a set of priors that misleads loses its weight by itself. A row's own deviation
// stands for interactions. Noise has heavy tails: one outlier does not rule the fit.
//
// Units: natural logarithms of a metric. Errors: none; without observations the draws are of the prior.
// Threads: any. Determinism: same input and seed, same draws.
// Bounds: O(sweeps * (observations * features of a row + features)), about 5 ms for 100 observations.
// Source: George, McCulloch, JASA 88 (1993) 881-889 (selection by Gibbs sampling); Geweke, J. Applied
// Econometrics 8 (1993) S19-S40 (Student noise).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <Eigen/Dense>

namespace fsadvise::models {

struct EffectPrior {
    double mean = 0, deviation = 0.1;
};

struct SparseFeature {
    std::optional<EffectPrior> prior;  // from elsewhere
    // A level of its own that is expected to be large and has no reference (a filesystem).
    bool group = false;
};

struct SparseObservation {
    std::size_t row = 0;
    double value = 0;
    double deviation = 0;  // its known standard error, 0 = unknown
};

struct SparseOptions {
    int burn_in = 60, draws = 240;
    std::uint64_t seed = 1;
    double usual_noise = 0.02;        // where nothing tells it yet
    std::optional<double> intercept;  // known, e.g. 0 for the default in log-ratios
};

struct SparseDraws {
    Eigen::MatrixXd rows;                 // one line a draw, one column a row: latent value
    Eigen::MatrixXd effects;              // one line a draw, one column a feature
    std::vector<double> noise_deviation;  // of one further observation of each row
    double prior_weight = 1;              // posterior mean of how often the priors from elsewhere hold
};

// rows: feature indices of every row (each below features.size()); observations refer to rows.
SparseDraws draw_sparse_effects(const std::vector<SparseFeature>& features,
                                const std::vector<std::vector<int>>& rows,
                                const std::vector<SparseObservation>& observations,
                                const SparseOptions& options);

}  // namespace fsadvise::models
