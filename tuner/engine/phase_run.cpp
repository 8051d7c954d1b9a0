#include "tuner/engine/phase_run.h"

#include <algorithm>

#include <fmt/format.h>

namespace fsadvise::tuner {
namespace {

constexpr double kPatienceSeconds = 60;

}  // namespace

bool PhaseLimit::reached(double measured_seconds, std::uint64_t done) const {
    return (seconds > 0 && measured_seconds >= seconds) || (operations > 0 && done >= operations);
}

PhaseLimit phase_limit(const LoadPlan& plan, std::size_t phase, double measuring_seconds) {
    PhaseLimit limit{plan.phases[phase].seconds, plan.phases[phase].operations};
    if (phase == plan.counting_phase) {
        limit.seconds = limit.seconds > 0 ? std::min(limit.seconds, measuring_seconds) : measuring_seconds;
    }
    return limit;
}

PhaseResult phase_result(const PhasePlan& phase, const SideResult& totals, double seconds,
                         double cpu_seconds) {
    return {phase.name, totals.operations, totals.read_bytes, totals.written_bytes,
            seconds,    cpu_seconds,       totals.latency};
}

Result<void> check_progress(const PhasePlan& phase, double seconds, std::uint64_t done) {
    if (done > 0 || seconds < kPatienceSeconds) return {};
    return fail(ErrorCode::kRunFailed,
                fmt::format("no operation of phase '{}' ended within {:.0f} s", phase.name, seconds), {},
                "look whether its streams wait for each other, or end the phase by 'seconds'");
}

}  // namespace fsadvise::tuner
