// Internal: a step taken apart into what a transfer of one size, a sync or an operation by name is.
#pragma once

#include <vector>

#include "tuner/workload/workload.h"

namespace fsadvise::tuner {

// read-write becomes its reads and writes, a distribution of sizes one step a size, a commit a sequential
// write of its record's blocks with a sync behind it; the sync policy of the stream becomes sync steps.
// Probabilities are per loop, so they may be tiny.
std::vector<Step> plain_steps(const Stream& stream, const Step& step);

}  // namespace fsadvise::tuner
