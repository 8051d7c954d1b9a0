// The rule network as a whole: no circle, no orphan, no rule that can never fire.
#include <algorithm>
#include <set>

#include <doctest/doctest.h>

#include "advice/advise.h"
#include "advice/example.h"
#include "advice/inference.h"
#include "space/knowledge_files.h"

using namespace fsadvise;

namespace {

std::string in_expressions(std::string trait) {
    std::ranges::replace(trait, '-', '_');
    return "trait." + trait;
}

struct Traits {
    std::set<std::string> of_workloads, derived, read;
};

Traits traits_of(const Knowledge& knowledge) {
    Traits traits;
    for (const auto& workload : knowledge.workloads()) {
        for (const auto& trait : workload.traits) traits.of_workloads.insert(in_expressions(trait));
    }
    const auto read = [&](const Expression& expression) {
        for (const auto& name : expression.names()) {
            if (name.starts_with("trait.")) traits.read.insert(name);
        }
    };
    for (const auto& rule : knowledge.rules()) {
        read(rule.when);
        for (const auto& action : rule.then) {
            if (action.kind == ActionKind::kDerive) traits.derived.insert(in_expressions(action.target));
            read(action.value);
        }
    }
    for (const auto& constraint : knowledge.constraints()) read(constraint.when);
    for (const auto& parameter : knowledge.parameters()) {
        for (const auto& value : parameter.defaults) read(value.when);
    }
    return traits;
}

const Knowledge& knowledge() {
    static const auto kKnowledge = Knowledge::load(embedded_knowledge());
    if (!kKnowledge) FAIL(to_text(kKnowledge.error()));
    return *kKnowledge;
}

}  // namespace

TEST_CASE("the rules have no circle and each has its place in the order once") {
    const auto network = RuleNetwork::build(knowledge());
    if (!network) FAIL(to_text(network.error()));
    const auto order = network->order();
    CHECK(order.size() == knowledge().rules().size());
    CHECK(std::set<std::string>(order.begin(), order.end()).size() == order.size());
}

TEST_CASE("every trait that is read is given by a workload or derived, and every given one is read") {
    const auto traits = traits_of(knowledge());
    for (const auto& trait : traits.read) {
        CHECK_MESSAGE((traits.of_workloads.contains(trait) || traits.derived.contains(trait)),
                      trait << " is never given");
    }
    for (const auto& trait : traits.derived)
        CHECK_MESSAGE(traits.read.contains(trait), trait << " is never read");
    for (const auto& trait : traits.of_workloads)
        CHECK_MESSAGE(traits.read.contains(trait), trait << " is never read");
}

TEST_CASE("every rule concludes something and reads something") {
    for (const auto& rule : knowledge().rules()) {
        CHECK_MESSAGE(!rule.then.empty(), rule.id << " concludes nothing");
        CHECK_MESSAGE(!rule.when.names().empty(), rule.id << " has no condition");
    }
}

TEST_CASE("every rule fires for a request that somebody could make") {
    const auto network = RuleNetwork::build(knowledge());
    if (!network) FAIL(to_text(network.error()));
    std::set<std::string> fired;
    for (const auto& rule : knowledge().rules()) {
        for (const auto& text : rule.fires) {
            const auto example = request_from_example(text.text);
            if (!example) continue;  // reported by the test of the examples
            for (const auto& filesystem : {std::string(), example->filesystem}) {
                for (const auto& item : network->infer(example->request, filesystem).fired)
                    fired.insert(item.rule->id);
            }
        }
    }
    for (const auto& rule : knowledge().rules())
        CHECK_MESSAGE(fired.contains(rule.id), rule.id << " never fires");
}

TEST_CASE("rules of equal strength do not disagree for any example of a rule") {
    const auto network = RuleNetwork::build(knowledge());
    if (!network) FAIL(to_text(network.error()));
    for (const auto& line : network->conflicts()) {
        MESSAGE("for review: " << line);
        // One needs reflinks, the other says "not require.reflink".
        const bool excluded =
            line.find("R-REQ-011 ") != std::string::npos && line.find("R-REQ-023 ") != std::string::npos;
        CHECK_FALSE(excluded);
    }
    for (const auto& rule : knowledge().rules()) {
        for (const auto& text : rule.fires) {
            const auto example = request_from_example(text.text);
            if (!example || knowledge().workload(example->request.workload) == nullptr) continue;
            const auto advice = advise(knowledge(), *network, example->request);
            if (!advice) continue;
            for (const auto& item : advice->ranked) {
                for (const auto& warning : item.warnings) {
                    CHECK_MESSAGE(warning.find("the later one is used") == std::string::npos,
                                  text.text << ": " << warning);
                }
            }
        }
    }
}
