// Ensemble of randomised regression trees: no scale, no smoothness, any interaction; for more trials.
//
// Each tree sees a bootstrap of the rows and splits at random among a few columns (levels of a categorical
// column in two groups, an ordered one at a threshold, an inactive one apart). The deviation follows the law
// of total variance: between the trees plus within the leaves, noise taken off, scaled so that rows not seen
// by a tree are missed as much as is claimed. Priors enter as a Bayesian linear part fitted first.
//
// Bounds: with b = min(n, 300) rows a tree, fit O(trees * b log b * tried columns + trees * n), predict
// O(trees * depth); memory O(trees * b + n).
// leave_one_out() is out-of-bag: trees that did not see the row.
// Source: Breiman, Machine Learning 45 (2001) 5-32; Geurts, Ernst, Wehenkel, Machine Learning 63 (2006) 3-42
// (random splits); Hutter, Hoos, Leyton-Brown, LION 2011 (SMAC: variance of the leaves).
#pragma once

#include <memory>

#include "models/surrogate.h"

namespace fsadvise::models {

struct TreeEnsembleOptions {
    std::size_t trees = 128;
    std::uint64_t seed = 1;
};

std::unique_ptr<Surrogate> make_tree_ensemble(Domain domain, PriorBelief prior = {},
                                              const TreeEnsembleOptions& options = {});

}  // namespace fsadvise::models
