// What a study says about its goal: the objective, the front of best compromises, and what breaks a
// constraint.
#pragma once

#include <string>
#include <vector>

#include "advice/advice.h"
#include "tuner/objective/goal.h"

namespace fsadvise::tuner {

// `trials` as recorded, not as for_goal() gives them. Fills objective, front and violations.
void describe_goal(MeasuredSummary& summary, const std::vector<Trial>& trials, const Configuration& anchor,
                   const Goal& goal);

// Limits that the default itself breaks, by its part in all duets.
std::vector<std::string> broken_by_default(const std::vector<Trial>& trials, const Configuration& anchor,
                                           const Goal& goal);

}  // namespace fsadvise::tuner
