// What a bench measured: plain figures for the renderers.
//
// Units: seconds, bytes, natural logarithms.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/statistics.h"
#include "tuner/engine/engine.h"

namespace fsadvise::tuner {

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

}  // namespace fsadvise::tuner
