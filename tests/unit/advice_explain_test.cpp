#include <algorithm>
#include <sstream>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "advice/explain.h"
#include "advice/finding_catalogue.h"
#include "advice/knowledge_graph.h"
#include "base/text.h"
#include "space/knowledge_files.h"

using namespace fsadvise;

namespace {

const Knowledge& knowledge() {
    static const Knowledge kLoaded = Knowledge::load(embedded_knowledge()).value();
    return kLoaded;
}

Host new_host() {
    Host host;
    host.kernel = "6.12";
    return host;
}

std::vector<Explanation> about(const std::vector<std::string>& words) {
    auto result = explain(knowledge(), new_host(), words);
    if (!result) FAIL(to_text(result.error()));
    return *result;
}

std::string items(const Explanation& explanation, const std::string& section) {
    for (const auto& part : explanation.sections)
        if (part.name == section) return join(part.items, "\n");
    return {};
}

bool names(const std::vector<Explanation>& list, const std::string& id) {
    return std::ranges::any_of(list, [&](const auto& item) { return item.id == id; });
}

}  // namespace

TEST_CASE("every id of the knowledge can be explained") {
    for (const auto& item : knowledge().parameters()) CHECK(names(about({item.id}), item.id));
    for (const auto& item : knowledge().rules()) CHECK(names(about({item.id}), item.id));
    for (const auto& item : knowledge().constraints()) CHECK(names(about({item.id}), item.id));
    for (const auto& item : knowledge().workloads()) CHECK(names(about({item.id}), item.id));
    for (const auto& item : knowledge().filesystems()) CHECK(names(about({item.id}), item.id));
    for (const auto& item : knowledge().evidence()) CHECK(names(about({item.id}), item.id));
    for (const auto& item : finding_catalogue()) CHECK(names(about({item.id}), item.id));
}

TEST_CASE("a finding of a family has the title of its constraint") {
    const auto found = about({"mount-refuses:ext4.async-commit-ordered"});
    REQUIRE(found.size() == 1);
    CHECK(found.front().id == "mount-refuses:ext4.async-commit-ordered");
    CHECK(found.front().title == about({"ext4.async-commit-ordered"}).front().title);
    CHECK(items(found.front(), "family").find("mount-refuses:") != std::string::npos);
}

TEST_CASE("options are explained as people write them") {
    const auto barrier = about({"xfs nobarrier"});
    REQUIRE(barrier.size() == 1);
    CHECK(barrier.front().id == "xfs.mount.barrier");
    CHECK(items(barrier.front(), "as_written").find("false") != std::string::npos);
    CHECK(items(barrier.front(), "as_written").find("4.19") != std::string::npos);
    CHECK(names(about({"nobarrier"}), "xfs.mount.barrier"));
    CHECK(names(about({"nobarrier"}), "ext4.mount.barrier"));
    CHECK(names(about({"-m", "reflink=0"}), "xfs.mkfs.reflink"));
    CHECK(names(about({"-m reflink=0"}), "xfs.mkfs.reflink"));
    CHECK(names(about({"mkfs.xfs", "-d", "agcount=8"}), "xfs.mkfs.agcount"));
    CHECK(names(about({"reflink"}), "xfs.mkfs.reflink"));
    CHECK(names(about({"-o", "noatime"}), "btrfs.mount.atime"));
    CHECK(names(about({"mount", "-t", "ext4", "-o", "commit=30"}), "ext4.mount.commit"));
    CHECK(about({"ext4", "commit=30"}).size() == 1);
    CHECK(about({"nofail"}).front().kind == "mount word");
}

TEST_CASE("a parameter's explanation has its constraints, rules, versions and default") {
    const auto item = about({"xfs.mkfs.reflink"}).front();
    for (const auto* section :
         {"meaning", "default", "durability", "change_later", "sources", "written_as", "values"}) {
        CAPTURE(section);
        CHECK_FALSE(items(item, section).empty());
    }
    CHECK_FALSE(items(item, "constraints").empty());
}

TEST_CASE("an unknown word gets its nearest names") {
    const auto result = explain(knowledge(), new_host(), {"xfs.mkfs.agcuont"});
    REQUIRE_FALSE(result);
    CHECK(result.error().code == ErrorCode::kUsage);
    CHECK(result.error().hint.find("xfs.mkfs.agcount") != std::string::npos);
}

TEST_CASE("a decision is justified by the rules that led to it") {
    const auto network = RuleNetwork::build(knowledge());
    REQUIRE(network);
    Request request;
    request.workload = "postgres";
    request.host = new_host();
    request.host.filesystems = std::set<std::string>{"ext4", "xfs", "btrfs"};
    const auto all = explain_decision(knowledge(), *network, request, "");
    REQUIRE(all);
    REQUIRE_FALSE(all->empty());
    for (const auto& item : *all) {
        CAPTURE(item.id);
        CHECK_FALSE(items(item, "path").empty());
        CHECK_FALSE(items(item, "why").empty());
    }
    CHECK(to_json(*all)["explanations"].size() == all->size());
    CHECK_FALSE(explain_decision(knowledge(), *network, request, "no-such-thing"));
    // Nothing sets it: said, with what could.
    const auto other = explain_decision(knowledge(), *network, request, "btrfs");
    REQUIRE(other);
    CHECK(other->front().title.find("not the filesystem") != std::string::npos);
}

TEST_CASE("the graph has what a focus names and nothing of other filesystems") {
    std::ostringstream xfs, all, one;
    REQUIRE(write_knowledge_graph(knowledge(), "xfs", xfs));
    REQUIRE(write_knowledge_graph(knowledge(), "", all));
    REQUIRE(write_knowledge_graph(knowledge(), "xfs.mkfs.reflink", one));
    CHECK(xfs.str().find("xfs.mkfs.agcount") != std::string::npos);
    CHECK(xfs.str().find("btrfs.mkfs.") == std::string::npos);
    CHECK(all.str().size() > xfs.str().size());
    CHECK(one.str().size() < xfs.str().size());
    std::ostringstream none;
    const auto wrong = write_knowledge_graph(knowledge(), "xsf", none);
    REQUIRE_FALSE(wrong);
    CHECK(to_text(wrong.error()).find("xfs") != std::string::npos);
}
