// One measurement: format both areas afresh, mount, read back, lay out, remount cold, run the duet.
//
// A replicate starts at mkfs because block placement is the random part; candidate and anchor change areas
// with `swap`, because placement on an area is the bias that is left. Errors: kRunFailed names the step;
// kInterrupted after a signal. Everything mounted is released either way.
#pragma once

#include <variant>

#include <nlohmann/json.hpp>

#include "base/file_reader.h"
#include "tuner/executor/load_source.h"
#include "tuner/study/study.h"
#include "tuner/target/target.h"

namespace fsadvise::tuner {

struct MeasureSetup {
    const Knowledge* knowledge = nullptr;
    Target* target = nullptr;
    ProcessRunner* runner = nullptr;
    const FileReader* files = nullptr;
    const LoadSource* load = nullptr;
    double scale = 1;
    Configuration anchor;
    int cores = 0;
    std::uint64_t seed = 1;
    double window_seconds = 0;  // of the duet; 0 = the load's
    bool recovery = false;      // also crash both sides under the load and time the mount that recovers them
};

// A duet that ran, but held fewer window pairs than a comparison needs: a busy machine, or windows that are
// long for the measuring time.
struct TooFewPairs {
    std::size_t pairs = 0;
};

Result<std::variant<Measurement, TooFewPairs>> run_measurement(const MeasureSetup& setup,
                                                               const Configuration& candidate, double seconds,
                                                               bool swap);
// The same, where too few pairs are a failure like any other.
Result<Measurement> measure_duet(const MeasureSetup& setup, const Configuration& candidate, double seconds,
                                 bool swap);

}  // namespace fsadvise::tuner
