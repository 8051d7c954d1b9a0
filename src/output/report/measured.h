// Figures of trials, taken from the JSON that a study keeps. Internal to src/output/report.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tuner/study/study.h"

namespace fsadvise {

// Mean over the duets of one phase ("search", "confirm"); nothing if there are none.
struct SideFigures {
    double operations_per_s = 0;
    double p50_ns = 0, p95_ns = 0, p99_ns = 0, p999_ns = 0;  // 0 = not recorded
    double sync_p99_ns = 0;
};
struct TrialFigures {
    std::size_t duets = 0;
    double change_percent = 0;  // of the mean log-ratio
    SideFigures candidate, anchor;
};
std::optional<TrialFigures> trial_figures(const tuner::Trial& trial, const std::string& phase);

// Changes of the single duets in percent.
std::vector<double> duet_changes(const tuner::Trial& trial, const std::string& phase);

}  // namespace fsadvise
