// Several surrogates as one, weighted by how well each predicts rows that it has not seen.
//
// Weights: pseudo-BMA+, exp(leave-one-out log density) averaged over Bayesian bootstraps of the rows, so that
// few rows do not crown one model by luck. Prediction: moments of the mixture. A surrogate with priors beside
// the same one without them lets a misleading prior drop out by itself.
//
// Errors: fit() fails only where every member fails; a member that fails gets weight 0.
// Source: Yao, Vehtari, Simpson, Gelman, Bayesian Analysis 13 (2018) 917-1007.
#pragma once

#include <memory>
#include <vector>

#include "models/surrogate.h"

namespace fsadvise::models {

class SurrogateEnsemble : public Surrogate {
  public:
    // One a member, in their order; they add up to 1.
    [[nodiscard]] virtual const std::vector<double>& weights() const = 0;
};

std::unique_ptr<SurrogateEnsemble> make_ensemble(std::vector<std::unique_ptr<Surrogate>> members,
                                                 std::uint64_t seed = 1);

// Weights of models from their leave-one-out log densities over the same rows; equal without rows.
std::vector<double> pseudo_bma_weights(const std::vector<std::vector<double>>& log_densities,
                                       std::uint64_t seed = 1, int bootstraps = 400);

}  // namespace fsadvise::models
