// What a study says in words: the verdict for each way it may have gone.
#include <doctest/doctest.h>

#include "advice/inference.h"
#include "space/knowledge_files.h"
#include "tuner/executor/study_facts.h"

#include "support/search_request.h"
#include "support/temporary_folder.h"

using namespace fsadvise;
using namespace fsadvise::tuner;

namespace {

struct Recorded {
    test::TemporaryFolder folder{"study-advice"};
    Knowledge knowledge = Knowledge::load(embedded_knowledge()).value();
    RuleNetwork network = RuleNetwork::build(knowledge).value();
    std::unique_ptr<Study> study = Study::create(folder.path("s.sqlite")).value();
    Configuration anchor{"ext4", {}}, other{"xfs", {}};

    Recorded() {
        StudyFacts facts;
        facts.request = test::search_request();
        facts.anchor = anchor;
        facts.load = knowledge.workload("postgres")->load;
        facts.stands_for = "a described machine";
        facts.medium = "ram";
        REQUIRE(write_facts(*study, facts));
        add(anchor, "complete", {0.001}, 0);
    }
    // Log-ratios of the search, and how many confirmation duets of 10 %.
    void add(const Configuration& configuration, const std::string& state, const std::vector<double>& logs,
             int confirmed) {
        const auto number = study->begin_trial(configuration, "expert");
        REQUIRE(number);
        for (const double value : logs)
            REQUIRE(study->add_measurement(*number, {0, "search", value, 0.01, "{}", "{}"}));
        for (int replicate = 0; replicate < confirmed; ++replicate) {
            const double value = 0.1 + 0.001 * (replicate % 3);
            REQUIRE(study->add_measurement(*number, {replicate, "confirm", value, 0.01, "{}", "{}"}));
        }
        REQUIRE(study->finish_trial(*number, state, state == "failed" ? "mkfs said no" : ""));
    }
    MeasuredSummary summary() {
        const auto advice = advice_from_study(knowledge, network, *study);
        REQUIRE_MESSAGE(advice.has_value(), (advice ? std::string() : to_text(advice.error())));
        REQUIRE(advice->measured);
        // What is not confirmed is no advice.
        if (!advice->measured->material) CHECK(advice->ranked.front().configuration == anchor);
        return *advice->measured;
    }
    std::string verdict() { return summary().verdict; }
    void finish() { REQUIRE(study->set("finished", "yes")); }
};

bool says(const std::string& text, const char* part) {
    CAPTURE(text);
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("verdict: two confirmation duets are measured, but decide nothing") {
    Recorded recorded;
    recorded.add(recorded.other, "complete", {0.1}, 2);
    CHECK(says(recorded.verdict(), "2 of the confirmation duets done"));
    recorded.finish();
    const std::string verdict = recorded.verdict();
    CHECK(says(verdict, "not decided: 2 confirmation duets"));
    CHECK(says(verdict, "--confirm"));
    CHECK_FALSE(says(verdict, "no candidate but the default"));
}

TEST_CASE("verdict: enough duets confirm, or show no material difference") {
    Recorded recorded;
    recorded.add(recorded.other, "complete", {0.1}, 6);
    recorded.finish();
    CHECK(says(recorded.verdict(), "confirmed +10"));
}

TEST_CASE("verdict: what is missing for a decision is said as it is") {
    Recorded recorded;
    SUBCASE("nothing but the default") {
        recorded.finish();
        CHECK(says(recorded.verdict(), "no candidate but the default itself was measured"));
    }
    SUBCASE("every other candidate failed") {
        recorded.add(recorded.other, "failed", {}, 0);
        recorded.finish();
        CHECK(says(recorded.verdict(), "each of the 1 other candidates failed"));
    }
    SUBCASE("measured in the search, but every confirmation failed") {
        recorded.add(recorded.other, "complete", {0.1}, 0);
        recorded.finish();
        CHECK(says(recorded.verdict(), "every confirmation duet failed"));
    }
}

TEST_CASE("effects of a short study are left out with the reason") {
    Recorded recorded;
    recorded.add(recorded.other, "complete", {0.1}, 6);
    recorded.finish();
    const auto effects = recorded.summary().effects;
    REQUIRE(effects.size() == 1);
    CHECK(says(effects[0], "not shown: 2 trials are too few"));
}
