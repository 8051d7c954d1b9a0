// Real configuration files and questions with the verdict that is known to be right:
// tests/knowledge/data/cases/expectations.json. A row names a file, or gives the text and a name for it.
#include <algorithm>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "advice/lint.h"
#include "base/units.h"
#include "space/knowledge_files.h"

#include "knowledge/sample_files.h"

using namespace fsadvise;
using nlohmann::json;

namespace {

const Knowledge& knowledge() {
    static const auto kKnowledge = Knowledge::load(embedded_knowledge());
    if (!kKnowledge) FAIL(to_text(kKnowledge.error()));
    return *kKnowledge;
}

LintTarget target_of(const json& row) {
    LintTarget target;
    auto& host = target.host;
    host.kernel = row.value("kernel", "6.18");
    host.tools = {
        {"e2fsprogs", "1.47.0"}, {"xfsprogs", "6.1.0"}, {"btrfs-progs", "6.2"}, {"f2fs-tools", "1.15.0"}};
    if (row.contains("distro")) {
        host.distribution = row["distro"];
        host.distribution_version = row.value("version", "");
        const auto* known = knowledge().distribution(host.distribution, host.distribution_version);
        REQUIRE(known != nullptr);
        if (!row.contains("kernel")) host.kernel = known->kernel;
        if (!known->tools.empty()) host.tools = known->tools;
    }
    const json tools = row.value("tools", json::object());
    for (const auto& [tool, version] : tools.items()) host.tools[tool] = version;
    host.cloud = row.value("cloud", "");
    if (row.contains("memory")) host.memory_bytes = *parse_size(row["memory"].get<std::string>());
    BlockDevice device;
    device.backing = row.value("backing", "");
    device.media = row.value("media", "");
    if (device.media == "hdd") device.rotational = true;
    device.raid_level = row.value("raid", "");
    if (row.contains("disks")) device.raid_disks = row["disks"].get<int>();
    if (row.contains("chunk")) device.raid_chunk_bytes = *parse_size(row["chunk"].get<std::string>());
    if (row.contains("size")) device.size_bytes = *parse_size(row["size"].get<std::string>());
    host.device = device;
    target.workload = row.value("workload", "");
    return target;
}

std::string text_of(const Finding& item) {
    return item.id + " | " + item.subject + " | " + item.what + " | " + item.consequence + " | " + item.fix;
}

bool matches(const Finding& item, const json& wanted) {
    if (wanted.contains("severity") && to_text(item.severity) != wanted["severity"].get<std::string>())
        return false;
    if (wanted.contains("line") && item.line != wanted["line"].get<int>()) return false;
    return text_of(item).find(wanted.value("has", "")) != std::string::npos;
}

}  // namespace

TEST_CASE("real configurations get the verdict that is known to be right") {
    const auto rows = json::parse(fsadvise::testing::sample_text("cases/expectations.json"));
    REQUIRE(rows.size() > 40);
    for (const auto& row : rows) {
        const bool is_file = row.contains("file");
        const auto name = is_file ? row["file"].get<std::string>() : row["name"].get<std::string>();
        const auto text =
            is_file ? fsadvise::testing::sample_text("cases/" + name) : row["text"].get<std::string>();
        REQUIRE_MESSAGE(!text.empty(), name);
        const auto result = lint(knowledge(), target_of(row), text, name);
        std::string listing = name + (is_file ? "" : ": " + text) + "\n";
        if (!result) {
            FAIL_CHECK(listing << to_text(result.error()));
            continue;
        }
        for (const auto& item : result->findings) {
            listing += std::to_string(item.line) + " " + to_text(item.severity) + " " + text_of(item) + "\n";
        }
        CAPTURE(listing);
        CHECK(result->checked > 0);
        for (const auto& wanted : row.value("must", json::array())) {
            const bool found = std::ranges::any_of(
                result->findings, [&](const Finding& item) { return matches(item, wanted); });
            CHECK_MESSAGE(found, "missing: ", wanted.dump());
        }
        for (const auto& unwanted : row.value("must_not", json::array())) {
            const bool found = std::ranges::any_of(
                result->findings, [&](const Finding& item) { return matches(item, unwanted); });
            CHECK_MESSAGE(!found, "unwanted: ", unwanted.dump());
        }
    }
}
