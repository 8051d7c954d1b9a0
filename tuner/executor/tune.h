// The tune flow: propose, format, mount, read back, lay out, duet, record, fit; then confirm the finalists.
#pragma once

#include <functional>
#include <string>

#include "advice/advice.h"
#include "advice/inference.h"
#include "tuner/engine/engine.h"
#include "tuner/objective/goal.h"
#include "tuner/study/study.h"
#include "tuner/target/target.h"

namespace fsadvise::tuner {

struct TuneOptions {
    TargetRequest target;
    std::string study_path;
    bool resume = false;
    std::int64_t budget_ns = 0;  // 0 = none
    int trials = 0;              // 0 = as the budget allows
    double trial_seconds = 0;    // measuring time of one search duet, 0 = chosen from the budget
    int confirm_replicates = 6;  // at least 6 for a 95 % order-statistic interval
    std::uint64_t seed = 1;
    int cores = 0;
    std::string load;  // JSON of another source of load than the workload's (load_source.h); empty = none
    Goal goal;         // what to judge by besides the workload's own objective, and limits
    std::string workload_document;  // JSON of a workload that is no part of the knowledge; the study keeps it
};

struct TuneProgress {
    int trial = 0, trials = 0;  // k of n (n estimated from the budget)
    std::string phase;          // "search", "confirm"
    std::string now;            // what is being measured
    double best_ratio = 1;      // best so far against the default
    std::int64_t elapsed_ns = 0, left_ns = 0;
};

using ProgressSink = std::function<void(const TuneProgress&)>;

// Errors: kInterrupted after a signal; the study holds everything and the hint says how to resume.
Result<Advice> tune(const Knowledge& knowledge, const RuleNetwork& network, const Request& request,
                    const TuneOptions& options, ProcessRunner& runner, const FileReader& files,
                    const ProgressSink& progress);

// The advice that a study supports as it stands (complete or not); pure apart from reading the study.
Result<Advice> advice_from_study(const Knowledge& knowledge, const RuleNetwork& network, Study& study);

}  // namespace fsadvise::tuner
