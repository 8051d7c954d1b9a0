// Which streams run in which phase of a load, and which phase counts. A load without phases has one, of all
// streams.
#pragma once

#include <cstddef>
#include <vector>

#include "tuner/workload/workload.h"

namespace fsadvise::tuner {

// Index of the phase whose figures are the result; load.phases.size() if its name is unknown.
std::size_t counting_phase(const Load& load);
// Per stream: whether it runs in the phase.
std::vector<bool> phase_streams(const Load& load, std::size_t phase);

}  // namespace fsadvise::tuner
