// Measures one place, or two side by side: existing directories, or configurations formatted on the scratch
// areas.
//
// A comparison is the duet of the tune flow, repeated: each replicate is a fresh format where the places are
// configurations, and they change areas from one to the next. In an existing directory only a folder of our
// own is made, and removed again. Units: seconds, bytes, natural logarithms. Errors: kRunFailed names the
// place and the step; kInterrupted after a signal, when everything has been released.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tuner/bench/bench_result.h"
#include "tuner/executor/load_source.h"
#include "tuner/executor/prepared_side.h"

namespace fsadvise::tuner {

struct BenchPlace {
    std::string label;                           // as the user named it
    std::optional<Configuration> configuration;  // else an existing directory
    std::string directory;
};

struct BenchSetup {
    Workshop workshop;  // target may be null where every place is a directory
    const LoadSource* load = nullptr;
    EngineOptions engine;  // scale, seed, cores, seconds of one replicate
    int replicates = 1;
    std::function<void(int replicate)> progress;  // before each one, from 1
};

// One place, or two of the same kind; kUsage otherwise.
Result<void> check_places(const std::vector<BenchPlace>& places);
// Errors: those of check_places, kUnavailable for too little room.
Result<BenchResult> bench(const BenchSetup& setup, const std::vector<BenchPlace>& places);

}  // namespace fsadvise::tuner
