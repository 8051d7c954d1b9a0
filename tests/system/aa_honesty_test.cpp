// A configuration compared with itself on a real loop device, by the measurement and the decision of tune:
// whoever sees a difference here sees what is not there.
//
// Bounds: one study of six swapped formats, about half a minute; 20 studies with FSADVISE_TEST_ALL=1, or as
// FSADVISE_TEST_STUDIES says. A table of all studies is printed.
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <optional>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "models/statistics.h"
#include "space/knowledge_files.h"
#include "tuner/executor/decision.h"
#include "tuner/executor/measure.h"
#include "tuner/search/search.h"

#include "system/target_support.h"

using namespace fsadvise;
using namespace fsadvise::tuner;

namespace {

constexpr int kReplicates = 6;
constexpr double kDuetSeconds = 1;
constexpr std::uint64_t kSizeBytes = 600 * kMiB;

int studies_wanted() {
    const auto number = [](const char* name, int otherwise) {
        const char* text = std::getenv(name);
        return text == nullptr ? otherwise : std::atoi(text);
    };
    return number("FSADVISE_TEST_STUDIES", number("FSADVISE_TEST_ALL", 0) == 1 ? 20 : 1);
}

// Random overwrites of 8 KiB, each made durable: the load on which docs/design.md gives the bias of the
// areas.
Load overwrites() {
    Load load;
    FileSet set;
    set.name = "data";
    set.files = 2;
    set.size_bytes = 32 * kMiB;
    Stream stream;
    stream.name = "writer";
    stream.file_set = set.name;
    Step write, sync;
    write.operation = "write";
    write.block_bytes = 8192;
    sync.operation = "fdatasync";
    stream.steps = {write, sync};
    load.file_sets.push_back(set);
    load.streams.push_back(stream);
    load.window_seconds = 0.05;
    return load;
}

struct StudyOutcome {
    Decision decision;
    double spread = 0;           // of the six log-ratios
    double claimed_error = 0;    // mean standard error that the duets state for themselves
    double effective_share = 0;  // effective pairs / pairs
};

// Count of intervals without 1 that one run in a thousand exceeds, at a true share of 5 %.
int most_exclusions(int studies) {
    double term = std::pow(0.95, studies), below = term;
    int count = 0;
    while (below < 0.999 && count < studies) {
        term *= (studies - count) * 0.05 / ((count + 1) * 0.95);
        below += term;
        ++count;
    }
    return count;
}

// Nothing where the machine is so busy that a duet holds too few windows to compare.
std::optional<StudyOutcome> run_study(MeasureSetup setup, int number) {
    StudyOutcome outcome;
    std::vector<Repeat> repeats;
    std::vector<double> logs;
    for (int replicate = 0; replicate < kReplicates; ++replicate) {
        setup.seed = static_cast<std::uint64_t>(number * kReplicates + replicate + 1);
        const int area = candidate_area(replicate);
        const auto ran = run_measurement(setup, setup.anchor, kDuetSeconds, area == 1);
        REQUIRE_MESSAGE(ran.has_value(), (ran ? std::string() : to_text(ran.error())));
        const auto* measured = std::get_if<Measurement>(&*ran);
        if (measured == nullptr) return std::nullopt;
        repeats.push_back({replicate, area, measured->log_ratio});
        logs.push_back(measured->log_ratio);
        const auto metrics = nlohmann::json::parse(measured->metrics);
        outcome.claimed_error += measured->deviation / kReplicates;
        outcome.effective_share +=
            metrics.at("effective_pairs").get<double>() / metrics.at("pairs").get<double>() / kReplicates;
    }
    const auto decision = decide(repeats, 1);
    REQUIRE(decision.has_value());
    outcome.decision = *decision;
    outcome.spread = models::standard_deviation(logs);
    return outcome;
}

}  // namespace

TEST_CASE("aa_honesty: a default against itself on a loop device is not called a difference") {
    if (!target_test::can_run()) return;
    SystemProcessRunner runner;
    if (!target_test::is_available(target_test::kFileSystems[0], runner)) return;
    if (const auto probe = probe_engine(); !probe) {
        MESSAGE("SKIPPED: ", to_text(probe.error()));
        return;
    }
    const auto knowledge = Knowledge::load(embedded_knowledge());
    REQUIRE(knowledge.has_value());
    const target_test::TemporaryFolder folder;
    const auto target = open_target(target_test::request_for_file(folder, kSizeBytes), runner);
    REQUIRE_MESSAGE(target.has_value(), (target ? std::string() : to_text(target.error())));
    const SystemFileReader files;
    MeasureSetup setup;
    setup.knowledge = &*knowledge;
    setup.target = target->get();
    setup.runner = &runner;
    setup.files = &files;
    const auto load = engine_source(overwrites());
    setup.load = load.get();
    setup.anchor = Configuration{"ext4", {}};

    const int studies = studies_wanted();
    int claims = 0, excluded = 0, flagged = 0;
    std::vector<double> estimates;
    std::cout << "study   ratio   95 % interval      spread  stated error  effective pairs  verdict\n";
    for (int i = 0; i < studies; ++i) {
        const auto run = run_study(setup, i);
        if (!run) {
            MESSAGE("SKIPPED: the machine is too busy for duets of " << kDuetSeconds << " s");
            return;
        }
        const StudyOutcome& outcome = *run;
        const Decision& decision = outcome.decision;
        const bool apart = decision.estimate.low > 1 || decision.estimate.high < 1;
        claims += decision.material ? 1 : 0;
        excluded += apart ? 1 : 0;
        flagged += static_cast<int>(decision.outliers.size());
        estimates.push_back(std::log(decision.estimate.ratio));
        std::cout << fmt::format(
                         "{:>5}  {:.4f}  {:.4f} .. {:.4f}  {:>6.2f} %  {:>10.2f} %  {:>13.0f} %  {}\n", i + 1,
                         decision.estimate.ratio, decision.estimate.low, decision.estimate.high,
                         100 * outcome.spread, 100 * outcome.claimed_error, 100 * outcome.effective_share,
                         decision.material ? "MATERIAL"
                         : apart           ? "interval without 1"
                                           : "no difference")
                  << std::flush;
    }
    std::cout << fmt::format(
        "{} studies of {} duets of {} s on {}: {} material, {} intervals without 1 (at most {} allowed), {} "
        "outliers "
        "flagged\n",
        studies, kReplicates, kDuetSeconds, (*target)->stands_for(), claims, excluded,
        most_exclusions(studies), flagged);
    // The promise itself, 5 %: none in a single study. Intervals alone err in 5 %, hence the binomial bound.
    CHECK(claims <= studies / 20);
    CHECK(excluded <= most_exclusions(studies));
    // The bias that swapping leaves shows over many studies only.
    if (const auto interval = models::mean_interval(estimates, 0.999); interval && studies >= kReplicates) {
        CHECK(interval->low <= 0);
        CHECK(interval->high >= 0);
    }
}
