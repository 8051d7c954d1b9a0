// Runs a sampler on a table: every ask is answered by a recorded repeat, and the truth is known.
//
// Units: log metric; regret = best truth of the table - truth of what the sampler recommends, never below 0.
// "Within 5 %": regret <= -ln(0.95). Every ask counts as a trial, repeats and failures too.
// Threads: any, one a run. Determinism: same table, sampler and seed, same run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tuner/replay/table.h"
#include "tuner/search/sampler.h"

namespace fsadvise::tuner {

// Answers asks of a table in the order that a seed gives to the repeats of each configuration; starts over
// when they are used up.
class TableOracle {
  public:
    TableOracle(const ReplayTable& table, std::uint64_t seed, double added_noise = 0);
    // nullptr: not of the table. The value includes the added noise; a deviation of the table does not.
    const ReplayRepeat* measure(const Configuration& configuration);

  private:
    const ReplayTable* table_;
    std::uint64_t seed_;
    double added_noise_;
    std::vector<std::size_t> asked_;
    ReplayRepeat answer_;
};

struct ReplayOptions {
    int trials = 100;
    std::uint64_t seed = 1;
    double added_noise = 0;  // standard deviation, log metric
    std::size_t batch = 1;   // trials under way at a time
};

struct ReplayRun {
    std::vector<Trial> trials;
    std::vector<double> regret;  // after each trial; before any success that of the worst row
    std::optional<BestFound> best;
    std::string stopped;  // why before the budget, or ""
};

ReplayRun run_replay(const ReplayTable& table, Sampler& sampler, const ReplayOptions& options);

double regret_of(const ReplayTable& table, const std::optional<Configuration>& recommended);
// First trial (from 1) after which the regret is at most that of missing the best by `share`; nullopt if none
// is.
std::optional<int> trials_to_within(const std::vector<double>& regret, double share);

// The effects that a whole table shows, relative to the anchor's (else the first) filesystem.
LearnedEffects learn_effects(const ReplayTable& table);
std::shared_ptr<const Pool> pool_of(const ReplayTable& table);

}  // namespace fsadvise::tuner
