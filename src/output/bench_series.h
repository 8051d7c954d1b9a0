// The windows of a run, whatever their length, as one rate a second of measuring.
#pragma once

#include <vector>

#include "tuner/bench/bench_result.h"

namespace fsadvise {

// Operations/s in each second of the place's own measuring time; the last one may be shorter than a second.
std::vector<double> per_second(const tuner::SideResult& result);

}  // namespace fsadvise
