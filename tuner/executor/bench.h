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

#include "models/statistics.h"
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

// All replicates of one place together.
struct BenchSide {
    std::string label, configuration;   // canonical text; empty for a directory
    std::vector<std::string> commands;  // mkfs and mount as run; none for a directory
    std::string mount_options;          // effective; empty for a directory
    SideResult result;
    std::vector<double> rates;                     // operations/s of each replicate
    double format_seconds = 0, mount_seconds = 0;  // of the last replicate
    std::uint64_t used_bytes = 0;                  // after layout
};

struct BenchReplicate {
    bool swapped = false;  // the first place was on the second area
    double log_ratio = 0, deviation = 0;
    bool steady = true;
};

struct BenchResult {
    std::vector<BenchSide> sides;                // as the places
    std::vector<BenchReplicate> replicates;      // of a comparison
    std::optional<models::RatioEstimate> ratio;  // first / second; absent with too few replicates
    double window_seconds = 0;
    bool steady = true;
};

// One place, or two of the same kind; kUsage otherwise.
Result<void> check_places(const std::vector<BenchPlace>& places);
// Errors: those of check_places, kUnavailable for too little room.
Result<BenchResult> bench(const BenchSetup& setup, const std::vector<BenchPlace>& places);

}  // namespace fsadvise::tuner
