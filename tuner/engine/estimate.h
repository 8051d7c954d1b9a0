// Internal: what the window pairs of a duet say together; the same for every source of load.
#pragma once

#include "tuner/engine/engine.h"

namespace fsadvise::tuner {

// From the log-ratios and the anchor's window rates: mean, standard error and steadiness.
void estimate(DuetResult& result);

}  // namespace fsadvise::tuner
