#include <cmath>
#include <random>
#include <set>

#include <doctest/doctest.h>

#include "space/knowledge.h"
#include "tuner/executor/plan.h"
#include "tuner/search/search.h"

#include "support/search_request.h"

using namespace fsadvise;
using namespace fsadvise::tuner;

namespace {

const Knowledge& knowledge() {
    static const Knowledge kLoaded = Knowledge::load(embedded_knowledge()).value();
    return kLoaded;
}

// A truth that the search does not know: XFS is good, one parameter of it is better, Btrfs is bad.
double truth(const Configuration& configuration) {
    double value = configuration.filesystem == "xfs"     ? 0.05
                   : configuration.filesystem == "btrfs" ? -0.4
                                                         : 0.0;
    for (const auto& [parameter, setting] : configuration.values) {
        if (parameter == "xfs.mount.lazytime") value += 0.08;
        if (parameter.find("reflink") != std::string::npos) value -= 0.02;
    }
    return value;
}

struct Simulation {
    Request asked = test::search_request();
    std::vector<Trial> trials;

    std::unique_ptr<Search> search() {
        std::vector<Space> spaces;
        std::vector<Proposal> first;
        for (const char* id : {"ext4", "xfs", "btrfs"}) {
            spaces.emplace_back(knowledge(), asked, id);
            first.push_back({Configuration{id, {}}, std::string("default:") + id, 0});
        }
        return make_model_search(std::move(spaces), std::move(first), 7);
    }
    void tell(const Proposal& proposal) {
        Trial trial;
        trial.number = static_cast<int>(trials.size());
        trial.configuration = proposal.configuration;
        trial.origin = proposal.origin;
        trial.state = "complete";
        // A fixed pseudo-noise of up to 1 %.
        const double noise = 0.01 * std::sin(12.9898 * trial.number);
        trial.measurements.push_back({0, "search", truth(proposal.configuration) + noise, 0.01, "{}", "{}"});
        trials.push_back(trial);
    }
};

}  // namespace

TEST_CASE("the search starts with the defaults, repeats nothing and finds what matters") {
    Simulation simulation;
    const auto search = simulation.search();
    std::set<std::string> seen;
    for (int i = 0; i < 45; ++i) {
        const auto proposal = search->next(simulation.trials);
        if (!proposal) break;
        CHECK(seen.insert(canonical_text(proposal->configuration)).second);
        if (i < 3) CHECK(proposal->origin.starts_with("default:"));
        simulation.tell(*proposal);
    }
    const auto best = search->finalists(simulation.trials, 1);
    REQUIRE(best.size() == 1);
    const auto& winner = simulation.trials[static_cast<std::size_t>(best[0])].configuration;
    CAPTURE(canonical_text(winner));
    CHECK(truth(winner) >= 0.11);
    // Most proposals go where it is good once that is known.
    const auto late =
        std::count_if(simulation.trials.begin() + 15, simulation.trials.end(),
                      [](const Trial& trial) { return trial.configuration.filesystem == "xfs"; });
    CHECK(late > static_cast<long>(simulation.trials.size() - 15) / 2);
}

TEST_CASE("a resumed search makes the same proposals, and takes up an interrupted trial first") {
    Simulation simulation;
    const auto first = simulation.search();
    for (int i = 0; i < 14; ++i) simulation.tell(*first->next(simulation.trials));
    const auto a = first->next(simulation.trials);
    const auto b = simulation.search()->next(simulation.trials);
    REQUIRE(a.has_value());
    REQUIRE(b.has_value());
    CHECK(a->configuration == b->configuration);

    Trial stopped;
    stopped.number = 14;
    stopped.configuration = a->configuration;
    stopped.origin = a->origin;
    stopped.state = "interrupted";
    simulation.trials.push_back(stopped);
    CHECK(first->next(simulation.trials)->configuration == a->configuration);
}

TEST_CASE("a failed configuration is not proposed again") {
    Simulation simulation;
    const auto search = simulation.search();
    const auto proposal = search->next(simulation.trials);
    Trial failed;
    failed.configuration = proposal->configuration;
    failed.state = "failed";
    simulation.trials.push_back(failed);
    CHECK_FALSE(search->next(simulation.trials)->configuration == proposal->configuration);
}

TEST_CASE("effects are only believed where the fit predicts trials that it has not seen") {
    Simulation simulation;
    const auto search = simulation.search();
    while (simulation.trials.size() < 30) {
        const auto proposal = search->next(simulation.trials);
        if (!proposal) break;
        simulation.tell(*proposal);
    }
    const FitQuality good = search->quality(simulation.trials);
    CHECK(good.trials == simulation.trials.size());
    INFO("explained: ", good.explained);
    CHECK(good.holds());

    // The same trials with results that have nothing to do with them, but for the level of each filesystem,
    // which is no effect of a parameter.
    std::mt19937 random(5);
    std::normal_distribution<double> noise(0, 0.02);
    auto meaningless = simulation.trials;
    for (Trial& trial : meaningless)
        trial.measurements[0].log_ratio = truth({trial.configuration.filesystem, {}}) + noise(random);
    const FitQuality none = search->quality(meaningless);
    CAPTURE(none.explained);
    CHECK_FALSE(none.holds());

    simulation.trials.resize(6);
    const FitQuality few = search->quality(simulation.trials);
    CHECK(few.trials == 6);
    CHECK_FALSE(few.holds());
    CHECK(search->quality({}).trials == 0);
}

TEST_CASE("a plan leaves time to confirm, and time to search") {
    TimePlan plan({300'000'000'000, 0, 6, 2, 0});
    CHECK(plan.trial_seconds() == doctest::Approx(5));
    int done = 0;
    std::int64_t elapsed = 0;
    while (plan.may_search(elapsed, done)) {
        plan.record_trial(8'000'000'000);
        elapsed += 8'000'000'000;
        ++done;
    }
    CHECK(done >= 18);
    CHECK(elapsed + plan.confirm_ns() <= 300'000'000'000);
    // Too short for everything: half is searched all the same, and one finalist is confirmed.
    TimePlan hurried({60'000'000'000, 0, 6, 2, 0});
    hurried.record_trial(10'000'000'000);
    CHECK(hurried.finalists() == 1);
    CHECK(hurried.may_search(10'000'000'000, 1));
    CHECK_FALSE(hurried.may_search(25'000'000'000, 3));
    CHECK_FALSE(hurried.may_confirm(60'000'000'000));
}

TEST_CASE(
    "the first guess of a trial's time knows that a database has to be filled, later ones are measured") {
    PlanInput input{300'000'000'000, 0, 6, 2, 5};
    const std::int64_t plain = TimePlan(input).trial_ns();
    input.filling_seconds = 90;
    TimePlan filled(input);
    CHECK(filled.trial_ns() == plain + 90'000'000'000);
    CHECK(filled.finalists() == 1);
    filled.record_trial(20'000'000'000);
    CHECK(filled.trial_ns() == 20'000'000'000);
}
