// Every rule's own examples: the `fires` ones fire it, the `quiet` ones do not.
#include <algorithm>

#include <doctest/doctest.h>

#include "advice/example.h"
#include "advice/inference.h"
#include "space/knowledge_files.h"

using namespace fsadvise;

namespace {

bool fires(const RuleNetwork& network, const std::string& rule, const RequestExample& example) {
    std::vector<std::string> candidates = {""};
    if (!example.filesystem.empty()) candidates.push_back(example.filesystem);
    return std::ranges::any_of(candidates, [&](const std::string& filesystem) {
        const auto conclusion = network.infer(example.request, filesystem);
        return std::ranges::any_of(conclusion.fired,
                                   [&](const RuleNetwork::Fired& fired) { return fired.rule->id == rule; });
    });
}

}  // namespace

TEST_CASE("every rule's examples hold") {
    auto knowledge = Knowledge::load(embedded_knowledge());
    if (!knowledge) FAIL(to_text(knowledge.error()));
    const auto network = RuleNetwork::build(*knowledge);
    if (!network) FAIL(to_text(network.error()));
    CHECK(!knowledge->rules().empty());
    for (const auto& rule : knowledge->rules()) {
        CHECK_MESSAGE(!rule.fires.empty(), rule.id << " has no example that fires it");
        CHECK_MESSAGE(!rule.quiet.empty(), rule.id << " has no quiet example");
        for (const bool expected : {true, false}) {
            for (const auto& text : expected ? rule.fires : rule.quiet) {
                const auto example = request_from_example(text.text);
                if (!example) FAIL_CHECK(rule.id << ": " << to_text(example.error()));
                if (!example) continue;
                CHECK_MESSAGE(fires(*network, rule.id, *example) == expected,
                              rule.id << (expected ? " does not fire for " : " fires for ") << text.text);
            }
        }
    }
}

TEST_CASE("an example has strict keys") {
    CHECK(request_from_example(R"({"workload": "postgres", "memory": "16G", "needs": ["snapshots"]})"));
    const auto unknown = request_from_example(R"({"worklod": "postgres"})");
    REQUIRE(!unknown);
    CHECK(unknown.error().context == "/worklod");
    CHECK(unknown.error().message.find("workload") != std::string::npos);
    CHECK(!request_from_example(R"({"cores": "four"})"));
    CHECK(!request_from_example(R"({"cores": 0})"));
    CHECK(!request_from_example(R"({"size": "many"})"));
    CHECK(!request_from_example("[]"));
    CHECK(!request_from_example("{"));
}
