// How a budget is spent: search first, but never so long that the confirmation no longer fits, and never so
// short that nothing is searched: the confirmation may claim at most half of the budget.
//
// Units: nanoseconds.
#pragma once

#include <cstdint>

namespace fsadvise::tuner {

struct PlanInput {
    std::int64_t budget_ns = 0;  // 0 = no limit
    int trials = 0;              // 0 = as many as fit
    int confirm_replicates = 6;
    int finalists = 2;
    double trial_seconds = 0;    // 0 = choose
    double filling_seconds = 0;  // to make the data of both sides, as far as it is known beforehand
};

// Invariant: finalists() * replicates duets of the budget stay reserved until confirmation starts.
class TimePlan {
  public:
    explicit TimePlan(const PlanInput& input);
    [[nodiscard]] double trial_seconds() const { return trial_seconds_; }
    // What one trial really took, formatting and layout included.
    void record_trial(std::int64_t ns);
    // Estimated time of one trial from those recorded, or from the plan before the first.
    [[nodiscard]] std::int64_t trial_ns() const;
    [[nodiscard]] std::int64_t confirm_ns() const;
    // How many candidates the budget can confirm: input.finalists, or one when time is short.
    [[nodiscard]] int finalists() const;
    // Whether one more confirmation duet may start; the last one may overrun the budget by its own length.
    [[nodiscard]] bool may_confirm(std::int64_t elapsed_ns) const;
    // Whether another search trial may start after `elapsed_ns` and `done` trials.
    [[nodiscard]] bool may_search(std::int64_t elapsed_ns, int done) const;
    // Estimated number of search trials altogether, for the progress line.
    [[nodiscard]] int expected_trials(std::int64_t elapsed_ns, int done) const;
    // Estimated time to the end, confirmation included.
    [[nodiscard]] std::int64_t left_ns(std::int64_t elapsed_ns, int done) const;

  private:
    PlanInput input_;
    double trial_seconds_ = 0;
    std::int64_t recorded_ns_ = 0;
    int recorded_ = 0;
};

}  // namespace fsadvise::tuner
