#include "tuner/executor/plan.h"

#include <algorithm>

namespace fsadvise::tuner {
namespace {

constexpr double kSecond = 1e9;
// A search duet gets this share of the budget, so that a five-minute budget still sees about twenty trials.
constexpr double kTrialShare = 1.0 / 60;
constexpr double kShortestTrial = 1.5, kLongestTrial = 20;
// Before anything is measured: formatting, mounting and layout of both sides take about this long, where
// no application has to fill its database.
constexpr double kOverheadSeconds = 2.5;
constexpr int kTrialsWithoutBudget = 40;
constexpr double kDefaultTrial = 6;

}  // namespace

TimePlan::TimePlan(const PlanInput& input) : input_(input), trial_seconds_(input.trial_seconds) {
    if (trial_seconds_ <= 0) {
        trial_seconds_ = input.budget_ns > 0
                             ? std::clamp(static_cast<double>(input.budget_ns) / kSecond * kTrialShare,
                                          kShortestTrial, kLongestTrial)
                             : kDefaultTrial;
    }
}

void TimePlan::record_trial(std::int64_t ns) {
    recorded_ns_ += ns;
    ++recorded_;
}

std::int64_t TimePlan::trial_ns() const {
    if (recorded_ > 0) return recorded_ns_ / recorded_;
    return static_cast<std::int64_t>((trial_seconds_ + kOverheadSeconds + input_.filling_seconds) * kSecond);
}

std::int64_t TimePlan::confirm_ns() const {
    return trial_ns() * input_.confirm_replicates * finalists();
}

int TimePlan::finalists() const {
    const std::int64_t each = trial_ns() * input_.confirm_replicates;
    if (input_.budget_ns <= 0 || each * input_.finalists <= input_.budget_ns / 2) return input_.finalists;
    return 1;
}

bool TimePlan::may_confirm(std::int64_t elapsed_ns) const {
    return input_.budget_ns <= 0 || elapsed_ns < input_.budget_ns;
}

bool TimePlan::may_search(std::int64_t elapsed_ns, int done) const {
    if (input_.trials > 0 && done >= input_.trials) return false;
    if (input_.budget_ns <= 0) return input_.trials > 0 || done < kTrialsWithoutBudget;
    return elapsed_ns + trial_ns() + std::min(confirm_ns(), input_.budget_ns / 2) <= input_.budget_ns;
}

int TimePlan::expected_trials(std::int64_t elapsed_ns, int done) const {
    int most = input_.trials > 0 ? input_.trials : kTrialsWithoutBudget;
    if (input_.budget_ns > 0) {
        const std::int64_t left = std::max<std::int64_t>(
            0, input_.budget_ns - std::min(confirm_ns(), input_.budget_ns / 2) - elapsed_ns);
        const int fitting = done + static_cast<int>(left / std::max<std::int64_t>(1, trial_ns()));
        most = input_.trials > 0 ? std::min(most, fitting) : fitting;
    }
    return std::max(most, done);
}

std::int64_t TimePlan::left_ns(std::int64_t elapsed_ns, int done) const {
    return (expected_trials(elapsed_ns, done) - done) * trial_ns() + confirm_ns();
}

}  // namespace fsadvise::tuner
