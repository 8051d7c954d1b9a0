#include <algorithm>
#include <sstream>

#include <doctest/doctest.h>

#include "advice/inference.h"

#include "unit/advice_fixture.h"

using namespace fsadvise;
using namespace fsadvise::testing;

namespace {

Request request_for(const std::string& workload) {
    Request request;
    request.workload = workload;
    return request;
}

bool contains(const std::vector<std::string>& list, std::string_view part) {
    return std::ranges::any_of(list,
                               [&](const std::string& item) { return item.find(part) != std::string::npos; });
}

// R-3 needs what R-2 derives, which needs what R-1 derives; listed backwards on purpose.
const std::string kChain = rule_text("R-3", "trait.second", R"([{"prefer": "beta", "weight": 5}])") + "," +
                           rule_text("R-2", "trait.first", R"([{"derive": "second"}])") + "," +
                           rule_text("R-1", "trait.random_overwrite", R"([{"derive": "first"}])");

}  // namespace

TEST_CASE("rules fire in topological order, whatever the order of the files") {
    const auto knowledge = must_load(kChain);
    const auto network = must_build(knowledge);
    const auto order = network.order();
    REQUIRE(order.size() == 3);
    CHECK(order == std::vector<std::string>{"R-1", "R-2", "R-3"});
    const auto conclusion = network.infer(request_for("db"), "");
    CHECK(ids(conclusion) == std::vector<std::string>{"R-1", "R-2", "R-3"});
    CHECK(conclusion.traits == std::vector<std::string>{"random-overwrite", "first", "second"});
    CHECK(contains(conclusion.fired[0].because, "trait.random_overwrite = true"));
    CHECK(network.infer(request_for("web"), "").fired.empty());
}

TEST_CASE("a circle of rules is a defect and is named") {
    const auto knowledge = must_load(rule_text("R-1", "trait.b", R"([{"derive": "a"}])") + "," +
                                     rule_text("R-2", "trait.a", R"([{"derive": "b"}])"));
    const auto network = RuleNetwork::build(knowledge);
    REQUIRE(!network);
    CHECK(network.error().code == ErrorCode::kBadInput);
    for (const auto* name : {"R-1", "R-2", "trait.a", "trait.b"}) {
        CHECK(network.error().message.find(name) != std::string::npos);
    }
}

TEST_CASE("a rule that reads what it derives itself is a circle") {
    const auto knowledge = must_load(rule_text("R-1", "not trait.a", R"([{"derive": "a"}])"));
    CHECK(!RuleNetwork::build(knowledge));
}

TEST_CASE("rules about one filesystem run for that filesystem only") {
    const auto knowledge = must_load(
        rule_text("R-G", "trait.random_overwrite", R"([{"prefer": "alpha", "weight": 3}])") + "," +
        rule_text("R-A", "filesystem == 'alpha'", R"([{"set": "alpha.mkfs.groups", "value": "8"}])"));
    const auto network = must_build(knowledge);
    CHECK(ids(network.infer(request_for("db"), "")) == std::vector<std::string>{"R-G"});
    CHECK(ids(network.infer(request_for("db"), "alpha")) == std::vector<std::string>{"R-A"});
    CHECK(ids(network.infer(request_for("db"), "beta")).empty());
}

TEST_CASE("a rule that reads a parameter sees the value that another rule set") {
    const auto knowledge = must_load(
        rule_text("R-A", "filesystem == 'alpha' and alpha.mkfs.groups == 8",
                  R"([{"set": "alpha.mount.atime", "value": "'noatime'"}])") +
        "," + rule_text("R-B", "filesystem == 'alpha'", R"([{"set": "alpha.mkfs.groups", "value": "8"}])"));
    const auto network = must_build(knowledge);
    CHECK(ids(network.infer(request_for("db"), "alpha")) == std::vector<std::string>{"R-B", "R-A"});
}

TEST_CASE("a trait that only filesystem rules derive makes its readers filesystem rules") {
    const auto knowledge =
        must_load(rule_text("R-A", "filesystem == 'alpha'", R"([{"derive": "local"}])") + "," +
                  rule_text("R-B", "trait.local", R"([{"set": "alpha.mkfs.groups", "value": "8"}])"));
    const auto network = must_build(knowledge);
    CHECK(network.infer(request_for("db"), "").fired.empty());
    CHECK(ids(network.infer(request_for("db"), "alpha")) == std::vector<std::string>{"R-A", "R-B"});
}

TEST_CASE("an unknown fact does not fire a rule, nor its negation") {
    const auto knowledge =
        must_load(rule_text("R-A", "device.media == 'nvme'", R"([{"warn": "flash"}])") + "," +
                  rule_text("R-B", "not (device.media == 'nvme')", R"([{"warn": "not flash"}])"));
    const auto network = must_build(knowledge);
    CHECK(network.infer(request_for("db"), "").fired.empty());
    auto request = request_for("db");
    request.host.device.emplace().media = "hdd";
    CHECK(ids(network.infer(request, "")) == std::vector<std::string>{"R-B"});
}

TEST_CASE("the justification leads from a fact of the workload to the decision") {
    const auto knowledge = must_load(kChain);
    const auto network = must_build(knowledge);
    const auto lines = network.justify(network.infer(request_for("db"), ""), "beta");
    REQUIRE(lines.size() == 4);
    CHECK(lines[0].find("R-1") == 0);
    CHECK(lines[0].find("trait.random_overwrite = true") != std::string::npos);
    CHECK(lines[1].find("R-2") == 0);
    CHECK(lines[2].find("R-3") == 0);
    CHECK(lines[3] == "therefore beta");
    CHECK(network.justify(network.infer(request_for("web"), ""), "beta").empty());
    CHECK(network.justify({}, "no such thing").empty());
}

TEST_CASE("conflicts lists pairs that set one parameter differently") {
    const auto knowledge = must_load(
        rule_text("R-A", "filesystem == 'alpha'", R"([{"set": "alpha.mkfs.groups", "value": "8"}])") + "," +
        rule_text("R-B", "filesystem == 'alpha'", R"([{"set": "alpha.mkfs.groups", "value": "16"}])") + "," +
        rule_text("R-C", "filesystem == 'alpha'", R"([{"set": "alpha.mkfs.groups", "value": "8"}])"));
    const auto conflicts = must_build(knowledge).conflicts();
    REQUIRE(conflicts.size() == 2);
    CHECK(contains(conflicts, "R-A"));
    CHECK(contains(conflicts, "R-B"));
}

TEST_CASE("graphviz shows everything, or what hangs together with the focus") {
    const auto knowledge =
        must_load(kChain + "," + rule_text("R-X", "trait.many_small_files", R"([{"warn": "small"}])"));
    const auto network = must_build(knowledge);
    std::ostringstream all, focused;
    network.write_graphviz(all, "");
    network.write_graphviz(focused, "R-2");
    CHECK(all.str().find("digraph") == 0);
    CHECK(all.str().find("R-X") != std::string::npos);
    CHECK(focused.str().find("R-X") == std::string::npos);
    for (const auto* name : {"R-1", "R-2", "R-3", "trait.first", "beta"}) {
        CHECK(focused.str().find(name) != std::string::npos);
    }
    std::ostringstream by_workload;
    network.write_graphviz(by_workload, "web-alias");
    CHECK(by_workload.str().find("R-X") != std::string::npos);
    CHECK(by_workload.str().find("R-1") == std::string::npos);
}
