// Gaussian process for few trials: additive effects of the columns, and interactions of pairs.
//
//   f(x) = intercept + selector level + sum_c e_c(x_c) + sum_{c<d} e_cd(x_c, x_d)
//
// e_c is 0 at level 0 (the default) and where the column is inactive, so a filesystem's parameters speak only
// for that filesystem. Ordered columns: Matern-5/2 over log2 positions; categorical ones: any two levels are
// equally far apart. Each column has a variance of its own under a prior that keeps most of them near 0
// (options of mkfs and mount act mostly additively on the log scale, and most of them do not act at all);
// pairs have variance in proportion to the product of their columns' (an interaction of two columns without
// any effect is not believed). Hyper-parameters: maximum a posteriori; leave-one-out is analytic.
//
// Bounds: fit O(iterations * n^3), n at most `most_rows`, hyper-parameters on at most `most_rows_to_learn` of
// them; predict O(n * columns + n^2). Rows beyond that are left out, best ones and every selector's kept.
// Source: Rasmussen, Williams, Gaussian Processes for Machine Learning (2006), ch. 5 (marginal
// likelihood, 5.4.2 leave-one-out); Duvenaud, Nickisch, Rasmussen, Additive Gaussian Processes, NIPS 2011
// (orders of interaction); Eriksson, Jankowiak, UAI 2021 (sparse axis-aligned priors for many columns and few
// points).
#pragma once

#include <memory>

#include "models/surrogate.h"

namespace fsadvise::models {

struct GaussianProcessOptions {
    bool interactions = true;
    std::size_t most_rows = 200;
    std::size_t most_rows_to_learn = 80;
    int iterations = 30;
};

std::unique_ptr<Surrogate> make_gaussian_process(Domain domain, PriorBelief prior = {},
                                                 const GaussianProcessOptions& options = {});

}  // namespace fsadvise::models
