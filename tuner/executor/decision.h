// The decision of a confirmation, on numbers alone: how large a difference is, whether it matters, and what
// in the repeats speaks against trusting it.
//
// Units: log-ratios candidate / anchor, natural logarithm.
// Threads: any; nothing here is random.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/replicates.h"
#include "models/statistics.h"

namespace fsadvise::tuner {

// Below this size a difference is not worth a non-default configuration (docs/design.md, section 6).
inline constexpr double kMaterialRatio = 1.02;
inline constexpr std::size_t kFewestForInterval = 3;
inline constexpr std::size_t kFewestReplicates = 6;  // the least for a 95 % order-statistic interval

// One duet of the confirmation.
struct Repeat {
    int replicate = 0;
    int area = 0;  // of the candidate, 0 or 1
    double log_ratio = 0;
};

struct Decision {
    models::RatioEstimate estimate;
    bool material = false;  // enough repeats, interval above 1, at least kMaterialRatio
    // Of the repeats without the bias of their area; nullopt if they are too few for an interval of the
    // median.
    std::optional<models::RatioEstimate> median;
    std::vector<std::size_t> outliers;  // places in the span; they are kept in every figure
    models::ReplicatePlan plan;         // to see kMaterialRatio
};

// `contenders` share the 5 % chance of a false claim (Bonferroni), since the best is picked after the fact.
// nullopt unless each area has a repeat and together they have at least three.
std::optional<Decision> decide(std::span<const Repeat> repeats, std::size_t contenders);

// A lasting change of level in `rates`, which are in order of time and above 0.
struct Drift {
    std::size_t index = 0;  // first value of the new level
    double ratio = 1;       // new level / old level
    double p = 1;
};
// Only shifts that are both significant at 1 % and of at least 5 %: a duet cancels smaller ones anyway.
std::optional<Drift> drift_of(std::span<const double> rates);

}  // namespace fsadvise::tuner
