// What run_single and run_duet share about phases: when one is over, and its figures as a result.
#pragma once

#include "tuner/engine/session.h"

namespace fsadvise::tuner {

// End of a phase: whichever comes first. Seconds of measuring on one side; 0 = not limited.
struct PhaseLimit {
    double seconds = 0;
    std::uint64_t operations = 0;
    [[nodiscard]] bool reached(double measured_seconds, std::uint64_t done) const;
};
// The counting phase lasts as long as the run is to measure, unless the load ends it earlier.
PhaseLimit phase_limit(const LoadPlan& plan, std::size_t phase, double measuring_seconds);

PhaseResult phase_result(const PhasePlan& phase, const SideResult& totals, double seconds,
                         double cpu_seconds);

// Fails when a phase that ends after a number of operations does not get on.
Result<void> check_progress(const PhasePlan& phase, double seconds, std::uint64_t done);

}  // namespace fsadvise::tuner
