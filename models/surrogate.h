// A regression over a mixed, conditional space that stands in for the benchmark during a search.
//
// Units: targets and predictions in one unit, natural logarithms of a metric (or of its ratio to the
// default); variances in its square. Deviations are of the latent value: what the mean of endless repeats
// would be.
// Errors: fit() gives kBadInput for data that are no data (sizes differ, a number not finite, a level that
// its column has not); degenerate data (no rows, one row, equal targets, duplicates, zero noise) are fitted.
// A failed fit leaves the surrogate as it was. An unfitted surrogate, or one fitted to no rows, predicts its
// prior.
// Threads: predict(), draws() and leave_one_out() from any; fit() from one at a time, alone.
// Determinism: the same domain, prior, options (seed) and rows give the same numbers; nothing is carried over
// from an earlier fit, so a resumed study goes on as an unbroken one.
// Bounds: each maker states its cost; memory grows with the rows kept, never with the number of fits.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <Eigen/Dense>

#include "base/result.h"
#include "models/encoder.h"
#include "models/prediction.h"

namespace fsadvise::models {

// The columns, and what part two kinds of them play.
struct Domain {
    std::vector<Column> columns;
    // Column that decides which others are active (the filesystem). Its levels may differ widely, none of
    // them is a reference. In every other column level 0 is the default: the reference of its effects.
    std::optional<std::size_t> selector = 0;
    // Columns of circumstance (which of two areas a trial ran on): their effect is taken out of the fit, is
    // small, and is left out by predicting with level -1.
    std::vector<std::size_t> nuisance;
};

// Belief from outside the data that a level differs from level 0 of its column by N(mean, deviation^2); for
// the selector, from the intercept (any other column has no prior of level 0). Data overrule it in proportion
// to their number and noise; what the model itself holds possible of the column comes on top.
struct LevelPrior {
    std::size_t column = 0;
    int level = 0;
    double mean = 0;
    double deviation = 1;
};

struct PriorBelief {
    std::vector<LevelPrior> levels;   // at most one a (column, level)
    std::optional<double> intercept;  // empty: from the data
    double intercept_deviation = 1;   // a factor of e either way
};

// Row i of `points` was measured as targets[i]; repeats of a point are rows of their own or one averaged row.
struct TrainingData {
    std::vector<Point> points;
    std::vector<double> targets;
    std::vector<double>
        noise_variance;  // of each target, from its replicates; 0 = unknown, then it is fitted
};

// Every row predicted from all others. The deviation includes the noise of that row: it is of the
// observation.
struct LeaveOneOut {
    std::vector<double> mean, deviation, log_density;
    [[nodiscard]] double total() const;  // sum of the log densities, 0 without rows
};

class Surrogate {
  public:
    virtual ~Surrogate() = default;
    [[nodiscard]] virtual std::string name() const = 0;
    virtual Result<void> fit(const TrainingData& data) = 0;
    // A level that its column has not counts as -1.
    [[nodiscard]] virtual Prediction predict(const Point& point) const = 0;
    [[nodiscard]] virtual std::vector<Prediction> predict(std::span<const Point> points) const;
    // Joint draws of the latent values: `count` rows, one column a point. Values of points that the model
    // takes as related move together, so differences between columns are meaningful.
    [[nodiscard]] virtual Eigen::MatrixXd draws(std::span<const Point> points, std::size_t count,
                                                std::uint64_t seed) const = 0;
    [[nodiscard]] virtual LeaveOneOut leave_one_out() const = 0;
    // Variance of one observation beyond the given noise, as fitted (formats differ more than repeats do).
    [[nodiscard]] virtual double extra_noise_variance() const = 0;
};

// Whether `data` are data for `domain`; used by every fit().
Result<void> check_training_data(const Domain& domain, const PriorBelief& prior, const TrainingData& data);

// log N(x; mean, deviation^2).
double log_normal_density(double x, double mean, double deviation);

}  // namespace fsadvise::models
