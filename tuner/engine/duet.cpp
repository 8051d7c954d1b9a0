// Two directories in turn: windows A B, B A, A B ... and the mean log-ratio over the pairs.
#include <algorithm>
#include <cmath>
#include <span>

#include "tuner/engine/estimate.h"
#include "tuner/engine/session.h"

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

struct Pairs {
    std::vector<Pair> pairs;
    double seconds = 0;
    [[nodiscard]] bool too_short() const {
        double candidate = 0, anchor = 0;
        for (const Pair& pair : pairs) {
            candidate += static_cast<double>(pair.candidate.operations);
            anchor += static_cast<double>(pair.anchor.operations);
        }
        return std::min(candidate, anchor) < kFewestOperations * static_cast<double>(pairs.size());
    }
};

// Runs pairs until `seconds` are spent or, where the window may still grow, it proves too short.
Result<Pairs> run_pairs(Session& session, double window_seconds, double seconds, bool may_grow) {
    Pairs result;
    do {
        FSADVISE_ASSIGN(const Pair pair, run_pair(session, window_seconds, result.pairs.size()));
        if (session.stopped()) break;
        result.pairs.push_back(pair);
        result.seconds += pair.candidate.seconds + pair.anchor.seconds;
        if (may_grow && result.too_short()) break;
    } while (result.seconds < seconds);
    return result;
}

// Windows without any operation are joined with the following ones, so that no pair is left out.
std::vector<double> log_ratios(std::span<const Pair> pairs) {
    std::vector<double> result;
    Window candidate, anchor;
    for (const Pair& pair : pairs) {
        candidate.operations += pair.candidate.operations;
        candidate.seconds += pair.candidate.seconds;
        anchor.operations += pair.anchor.operations;
        anchor.seconds += pair.anchor.seconds;
        if (candidate.operations == 0 || anchor.operations == 0) continue;
        const double ratio = static_cast<double>(candidate.operations) / candidate.seconds /
                             (static_cast<double>(anchor.operations) / anchor.seconds);
        result.push_back(std::log(ratio));
        candidate = anchor = Window();
    }
    return result;
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

}  // namespace

Result<DuetResult> run_duet(const Load& load, const std::string& candidate_directory,
                            const std::string& anchor_directory, const EngineOptions& options) {
    FSADVISE_ASSIGN(const auto session,
                    Session::start(load, {candidate_directory, anchor_directory}, options));
    double window_seconds = options.window_seconds > 0 ? options.window_seconds : load.window_seconds;
    const double longest =
        std::max(window_seconds, std::min(kLongestWindowSeconds, options.seconds / (2 * kFewestPairs)));
    Pairs measured;
    for (;;) {
        const bool may_grow = window_seconds < longest;
        FSADVISE_ASSIGN(const Pairs warm,
                        run_pairs(*session, window_seconds, options.warmup_seconds, may_grow));
        bool grow = may_grow && warm.too_short();
        if (!grow && !session->stopped()) {
            session->reset();
            FSADVISE_ASSIGN(measured, run_pairs(*session, window_seconds, options.seconds, may_grow));
            grow = may_grow && measured.too_short();
        }
        if (!grow || session->stopped()) break;
        window_seconds = std::min(window_seconds * 2, longest);
    }
    session->clean_up();

    DuetResult result;
    result.stopped = session->stopped();
    result.window_seconds = window_seconds;
    result.candidate = session->totals(kCandidate);
    result.anchor = session->totals(kAnchor);
    add_windows(result.candidate, measured.pairs, &Pair::candidate);
    add_windows(result.anchor, measured.pairs, &Pair::anchor);
    result.log_ratios = log_ratios(measured.pairs);
    if (result.log_ratios.empty() && !result.stopped) {
        return fail(ErrorCode::kRunFailed, "no operation ended on both sides within the measuring time", {},
                    "measure for a longer time");
    }
    estimate(result);
    return result;
}

}  // namespace fsadvise::tuner
