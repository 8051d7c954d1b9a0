// What a replay starts with: first trials from the advice for the table's workload, as far as the table has
// them.
#pragma once

#include "advice/inference.h"
#include "tuner/replay/table.h"
#include "tuner/search/sampler.h"

namespace fsadvise::tuner {

// Sets anchor, noise, first trials and effects expected by the rules. Without knowledge, or for a workload
// that it does not know, the first trial is the anchor, else a row with the fewest values set.
void prepare_first(SamplerOptions& options, const ReplayTable& table, const Knowledge* knowledge);

}  // namespace fsadvise::tuner
