// What a study itself gives as reasons to doubt its figures, as sentences: outliers, drift, too few repeats.
#pragma once

#include <string>
#include <vector>

#include "tuner/executor/decision.h"
#include "tuner/study/study.h"

namespace fsadvise::tuner {

// Repeats of a confirmed trial that stand far from its others.
std::vector<std::string> outlier_lines(const Trial& trial, const Decision& decision);

// Lasting changes in the rate of the anchor, which is the same configuration in every measurement; and
// that it was not steady within many of them.
std::vector<std::string> drift_lines(const std::vector<Trial>& trials);

// How many repeats would show a material difference; "" where the repeats made have settled the question.
std::string repeats_line(const Decision& decision);

}  // namespace fsadvise::tuner
