#include "tuner/executor/study_goal.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text.h"

namespace fsadvise::tuner {
namespace {

FrontEntry entry_of(const Trial& trial, const FrontPoint& point, const Goal& goal) {
    FrontEntry entry;
    entry.configuration = trial.configuration;
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < goal.front.size(); ++i) {
        const Figure figure = goal.front[i];
        FrontEntry::Figure shown;
        shown.name = figure_name(figure);
        shown.value = trial_figure(trial, "candidate", figure).value_or(0);
        shown.anchor = trial_figure(trial, "anchor", figure).value_or(0);
        shown.gain = std::exp(point.gains[i].log_ratio);
        // By how much the figure itself differs, so that less space reads as a minus.
        const double change = more_is_better(figure) ? shown.gain : 1 / shown.gain;
        parts.push_back(fmt::format("{} {} ({:+.1f} %)", shown.name, figure_text(figure, shown.value),
                                    100 * (change - 1)));
        entry.figures.push_back(std::move(shown));
    }
    entry.text = join(parts, ", ");
    if (trial.measurements.size() < 2) entry.text += "; one duet only";
    return entry;
}

}  // namespace

std::vector<std::string> broken_by_default(const std::vector<Trial>& trials, const Configuration& anchor,
                                           const Goal& goal) {
    if (goal.limits.empty()) return {};
    // It takes part in every duet.
    Trial of_default;
    of_default.configuration = anchor;
    for (const Trial& trial : trials) {
        if (trial.state != "complete") continue;
        of_default.measurements.insert(of_default.measurements.end(), trial.measurements.begin(),
                                       trial.measurements.end());
    }
    if (of_default.measurements.empty()) return {};
    return broken_limits(of_default, "anchor", goal);
}

void describe_goal(MeasuredSummary& summary, const std::vector<Trial>& trials, const Configuration& anchor,
                   const Goal& goal) {
    if (!goal.asks()) return;
    std::vector<std::string> limits;
    for (const Limit& limit : goal.limits) limits.push_back(limit.text);
    summary.objective = goal.weights.empty() ? "the workload's own" : goal_title(goal);
    if (!limits.empty()) summary.objective += "; constraints: " + join(limits, ", ");
    for (const FrontPoint& point : goal.front.empty() ? std::vector<FrontPoint>{} : front_of(trials, goal))
        summary.front.push_back(entry_of(trials[point.trial], point, goal));
    for (const Trial& trial : trials) {
        if (trial.state != "complete") continue;
        for (const std::string& broken : broken_limits(trial, "candidate", goal))
            summary.violations.push_back(canonical_text(trial.configuration) + ": " + broken);
    }
    for (const std::string& broken : broken_by_default(trials, anchor, goal))
        summary.violations.push_back("the default: " + broken);
}

}  // namespace fsadvise::tuner
