// Which columns mattered, by how much, and which did not: from the measurements alone, and through a
// surrogate.
//
// Units: effects and deviations as the targets (natural logarithms), shares and probabilities from 0 to 1.
// Errors: too few or unusable rows give an empty result.
// Threads: any. Determinism: fixed by the seed.
// Bounds: variance_importance O(columns^2 n permutations); surrogate_importance one set of joint draws a
// column. Source: Cao, Kuenning, Zadok, Carver, FAST 2020 (greedy conditional variance); permutation p-value
// (count + 1) / (permutations + 1) after Phipson, Smyth, Stat. Appl. Genet. Mol. Biol. 9 (2010) article 39.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/surrogate.h"

namespace fsadvise::models {

// One column of the greedy choice: with the columns before it held fixed.
struct VarianceStep {
    std::size_t column = 0;
    double explained = 0;           // share of the variance left by the columns before it
    double p = 1;                   // of so much by chance, over the best of all columns
    double relative_deviation = 0;  // left within the groups, of the metric itself: 0.05 = 5 %
};
struct VarianceOptions {
    double level = 0.05;               // a column less sure than this ends the choice
    double relative_deviation = 0.02;  // so does scatter within the groups below this
    int permutations = 199;
    std::uint64_t seed = 1;
};
// Most explaining column first, then the one that explains most within the groups that the chosen ones make,
// and so on. Needs no model; an inactive level is a level. Groups of one row have no scatter and do not
// count.
std::vector<VarianceStep> variance_importance(const Domain& domain, const TrainingData& data,
                                              const VarianceOptions& options = {});

enum class Verdict {
    kMatters,    // some level very probably moves the target by the threshold or more
    kNoMatter,   // very probably none does
    kUndecided,  // too few trials to say
};

struct LevelEffect {
    int level = 0;
    double effect = 0, low = 0, high = 0;  // against level 0, averaged over the points given; 95 %
    double material = 0;                   // probability of |effect| at or above the threshold
};
struct ColumnImportance {
    std::size_t column = 0;
    double deviation = 0, low = 0, high = 0;  // that its levels make, taken as equally likely; 95 %
    double share = 0;                         // of the squares of these over all columns given
    std::vector<LevelEffect> effects;         // of the levels that occur in the points
    Verdict verdict = Verdict::kUndecided;
};
struct SurrogateImportanceOptions {
    double threshold = 0.02;  // log metric: below 2 % is "keep the default"
    double sure = 0.95;
    std::size_t points = 24;  // contexts a column is judged in
    std::size_t draws = 400;
    std::uint64_t seed = 1;
};
// What the fitted surrogate holds of every column but the selector and nuisance ones, most important first.
// `points`: the tried ones. A column that none of them moved off its default is left out.
std::vector<ColumnImportance> surrogate_importance(const Surrogate& surrogate, const Domain& domain,
                                                   std::span<const Point> points,
                                                   const SurrogateImportanceOptions& options = {});

}  // namespace fsadvise::models
