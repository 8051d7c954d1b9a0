// Two directories in turn: windows A B, B A, A B ... and the mean log-ratio over the pairs.
#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "tuner/engine/estimate.h"
#include "tuner/engine/phase_run.h"

namespace fsadvise::tuner {
namespace {

constexpr int kCandidate = 0, kAnchor = 1;
// A window with fewer operations measures chance: one operation more or less is 5 % of it.
constexpr double kFewestOperations = 20;
constexpr double kLongestWindowSeconds = 2.0;
constexpr double kFewestPairs = 2;

struct Pair {
    Window candidate, anchor;
};

// Runs the two windows of a pair, the anchor first in every second one. A stopped pair has an empty window.
Result<Pair> run_pair(Session& session, double window_seconds, std::size_t number) {
    Pair pair;
    const auto run = [&](int side) -> Result<void> {
        FSADVISE_ASSIGN(Window window, session.run_window(side, window_seconds));
        (side == kCandidate ? pair.candidate : pair.anchor) = window;
        return {};
    };
    const int first = number % 2 == 0 ? kCandidate : kAnchor;
    FSADVISE_TRY(run(first));
    FSADVISE_TRY(run(1 - first));
    return pair;
}

// Loops that a latency needs on each side before it is compared: a quantile with at least five beyond it.
std::uint64_t loops_for(const Objective& objective) {
    constexpr double kBeyond = 5;
    if (objective.kind != Objective::Kind::kLatencyQuantile)
        return static_cast<std::uint64_t>(kFewestOperations);
    return static_cast<std::uint64_t>(std::ceil(kBeyond / (1 - objective.quantile)));
}

// Latencies of the two sides, compared block by block; a block holds enough loops of both.
class LatencyRatios {
  public:
    explicit LatencyRatios(const Objective& objective)
        : objective_(objective), needed_(loops_for(objective)) {}
    // After a pair. `last`: compares what there is if nothing was compared yet.
    void look(Session& session, const Pair& pair, bool last) {
        operations_[kCandidate] += pair.candidate.operations;
        operations_[kAnchor] += pair.anchor.operations;
        const std::uint64_t fewest = std::min(operations_[kCandidate], operations_[kAnchor]);
        if (fewest < needed_ && !(last && ratios_.empty() && fewest > 0)) return;
        std::array<double, 2> latency_ns{};
        for (const int side : {kCandidate, kAnchor}) {
            const auto at = static_cast<std::size_t>(side);
            const Histogram all = session.latency(side);
            Histogram block = all;
            block.subtract(earlier_[at]);
            earlier_[at] = all;
            latency_ns[at] = objective_.kind == Objective::Kind::kMeanLatency
                                 ? block.mean()
                                 : static_cast<double>(block.percentile(objective_.quantile));
        }
        ratios_.push_back(std::log(latency_ns[kAnchor] / latency_ns[kCandidate]));
        operations_ = {};
    }
    [[nodiscard]] const std::vector<double>& ratios() const { return ratios_; }

  private:
    Objective objective_;
    std::uint64_t needed_;
    std::array<std::uint64_t, 2> operations_{};
    std::array<Histogram, 2> earlier_;
    std::vector<double> ratios_;
};

struct Pairs {
    std::vector<Pair> pairs;
    double seconds = 0;
    std::array<std::uint64_t, 2> operations{};
    std::vector<double> latency_ratios;
    [[nodiscard]] std::uint64_t done() const { return std::min(operations[0], operations[1]); }
    [[nodiscard]] bool too_short() const {
        return static_cast<double>(done()) < kFewestOperations * static_cast<double>(pairs.size());
    }
};

// Runs pairs until the limit is reached or, where the window may still grow, it proves too short.
Result<Pairs> run_pairs(Session& session, double window_seconds, const PhaseLimit& limit, bool may_grow,
                        const PhasePlan& phase) {
    Pairs result;
    LatencyRatios latencies(session.plan().objective);
    for (bool over = false; !over;) {
        FSADVISE_ASSIGN(const Pair pair, run_pair(session, window_seconds, result.pairs.size()));
        if (session.stopped()) break;
        result.pairs.push_back(pair);
        result.seconds += pair.candidate.seconds + pair.anchor.seconds;
        result.operations[kCandidate] += pair.candidate.operations;
        result.operations[kAnchor] += pair.anchor.operations;
        over = limit.reached(result.seconds, result.done()) || (may_grow && result.too_short());
        if (session.plan().objective.is_latency()) latencies.look(session, pair, over);
        FSADVISE_TRY(check_progress(phase, limit.seconds > 0 ? 0 : result.seconds, result.done()));
    }
    result.latency_ratios = latencies.ratios();
    return result;
}

// Windows without any operation are joined with the following ones, so that no pair is left out.
std::vector<double> rate_ratios(std::span<const Pair> pairs, std::uint64_t Window::*what) {
    std::vector<double> result;
    Window candidate, anchor;
    for (const Pair& pair : pairs) {
        candidate.*what += pair.candidate.*what;
        candidate.seconds += pair.candidate.seconds;
        anchor.*what += pair.anchor.*what;
        anchor.seconds += pair.anchor.seconds;
        if (candidate.*what == 0 || anchor.*what == 0) continue;
        const double ratio = static_cast<double>(candidate.*what) / candidate.seconds /
                             (static_cast<double>(anchor.*what) / anchor.seconds);
        result.push_back(std::log(ratio));
        candidate = anchor = Window();
    }
    return result;
}

std::vector<double> log_ratios(const Pairs& measured, const Objective& objective) {
    if (objective.is_latency()) return measured.latency_ratios;
    const bool bytes = objective.kind == Objective::Kind::kBytes;
    return rate_ratios(measured.pairs, bytes ? &Window::bytes : &Window::operations);
}

void add_windows(SideResult& side, std::span<const Pair> pairs, Window Pair::*which) {
    side.operations = 0;  // of whole pairs only
    for (const Pair& pair : pairs) {
        const Window& window = pair.*which;
        side.operations += window.operations;
        side.seconds += window.seconds;
        side.cpu_seconds += window.cpu_seconds;
        if (window.seconds > 0) {
            side.window_rates.push_back(static_cast<double>(window.operations) / window.seconds);
        }
    }
}

// The counting phase: the window grows until it holds enough operations.
Result<Pairs> run_counting_phase(Session& session, const EngineOptions& options, double& window_seconds) {
    const std::size_t phase = session.plan().counting_phase;
    const PhasePlan& plan = session.plan().phases[phase];
    PhaseLimit limit = phase_limit(session.plan(), phase, options.seconds / 2);
    limit.seconds *= 2;  // both sides
    const double longest =
        std::max(window_seconds, std::min(kLongestWindowSeconds, options.seconds / (2 * kFewestPairs)));
    for (;;) {
        const bool may_grow = window_seconds < longest;
        // At least one pair, as the limit of a warm-up of no time.
        const PhaseLimit warm_up{std::max(options.warmup_seconds, 1e-9), 0};
        FSADVISE_ASSIGN(const Pairs warm, run_pairs(session, window_seconds, warm_up, may_grow, plan));
        bool grow = may_grow && warm.too_short();
        Pairs measured;
        if (!grow && !session.stopped()) {
            session.reset();
            FSADVISE_ASSIGN(measured, run_pairs(session, window_seconds, limit, may_grow, plan));
            grow = may_grow && measured.too_short();
        }
        if (!grow || session.stopped()) return measured;
        window_seconds = std::min(window_seconds * 2, longest);
    }
}

Result<Pairs> run_phase(Session& session, std::size_t phase, const EngineOptions& options,
                        double& window_seconds) {
    session.set_phase(phase);
    session.reset();
    if (phase == session.plan().counting_phase) return run_counting_phase(session, options, window_seconds);
    PhaseLimit limit = phase_limit(session.plan(), phase, 0);
    limit.seconds *= 2;
    return run_pairs(session, window_seconds, limit, false, session.plan().phases[phase]);
}

double seconds_of(std::span<const Pair> pairs, Window Pair::*which, double Window::*what) {
    double total = 0;
    for (const Pair& pair : pairs) total += pair.*which.*what;
    return total;
}

}  // namespace

Result<DuetResult> run_duet(const Load& load, const std::string& candidate_directory,
                            const std::string& anchor_directory, const EngineOptions& options) {
    FSADVISE_ASSIGN(const auto session,
                    Session::start(load, {candidate_directory, anchor_directory}, options));
    const LoadPlan& plan = session->plan();
    DuetResult result;
    result.window_seconds = options.window_seconds > 0 ? options.window_seconds : load.window_seconds;
    std::vector<PhaseResult> candidate_phases, anchor_phases;
    for (std::size_t phase = 0; phase < plan.phases.size() && !session->stopped(); ++phase) {
        FSADVISE_ASSIGN(const Pairs measured, run_phase(*session, phase, options, result.window_seconds));
        const auto add_phase = [&](std::vector<PhaseResult>& phases, int side, Window Pair::*which) {
            phases.push_back(phase_result(plan.phases[phase], session->totals(side),
                                          seconds_of(measured.pairs, which, &Window::seconds),
                                          seconds_of(measured.pairs, which, &Window::cpu_seconds)));
        };
        if (!load.phases.empty()) {
            add_phase(candidate_phases, kCandidate, &Pair::candidate);
            add_phase(anchor_phases, kAnchor, &Pair::anchor);
        }
        if (phase != plan.counting_phase) continue;
        result.candidate = session->totals(kCandidate);
        result.anchor = session->totals(kAnchor);
        add_windows(result.candidate, measured.pairs, &Pair::candidate);
        add_windows(result.anchor, measured.pairs, &Pair::anchor);
        result.log_ratios = log_ratios(measured, plan.objective);
    }
    session->clean_up();
    result.stopped = session->stopped();
    result.candidate.phases = std::move(candidate_phases);
    result.anchor.phases = std::move(anchor_phases);
    if (result.log_ratios.empty() && !result.stopped) {
        return fail(ErrorCode::kRunFailed, "no operation ended on both sides within the measuring time", {},
                    "measure for a longer time");
    }
    estimate(result);
    return result;
}

}  // namespace fsadvise::tuner
