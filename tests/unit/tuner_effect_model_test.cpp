// Effects of tables for workloads that were not measured: learned back from generated data, drawn to nothing
// from afar, calibrated, and kept in a file.
#include <cmath>
#include <filesystem>
#include <random>

#include <doctest/doctest.h>

#include "base/fd.h"
#include "space/knowledge_files.h"
#include "tuner/model/effect_model.h"

using namespace fsadvise;
using namespace fsadvise::tuner;

namespace {

const Knowledge& knowledge() {
    static const KnowledgeDirectory kDirectory = *read_knowledge_directory(FSADVISE_SOURCE_DIR "/knowledge");
    static const Knowledge kKnowledge = *Knowledge::load(kDirectory.view());
    return kKnowledge;
}

// XFS is 20 % better everywhere, noatime 5 %; nothing else matters.
ReplayTable generated(const std::string& workload, double xfs, std::uint64_t seed,
                      const std::string& media = "ram") {
    ReplayTable table;
    table.file = table.name = workload;
    table.workload = workload;
    table.media = media;
    table.is_log_ratio = true;
    std::mt19937_64 random(seed);
    std::normal_distribution<double> noise(0, 0.02);
    for (const std::string filesystem : {"ext4", "xfs"}) {
        for (const bool noatime : {false, true}) {
            for (const std::int64_t size : {256, 512, 1024}) {
                ReplayRow row;
                row.configuration.filesystem = filesystem;
                if (noatime) row.configuration.values[filesystem + ".mount.atime"] = std::string("noatime");
                if (size > 256) row.configuration.values[filesystem + ".mkfs.inode_size"] = size;
                for (int repeat = 0; repeat < 3; ++repeat)
                    row.repeats.push_back(
                        {repeat, false, "",
                         (filesystem == "xfs" ? xfs : 0) + (noatime ? 0.05 : 0) + noise(random), 0.02});
                table.rows.push_back(row);
            }
        }
    }
    return table;
}

std::vector<ReplayTable> tables() {
    return {generated("postgres", 0.18, 1), generated("mysql", 0.18, 2), generated("sqlite", 0.18, 3),
            generated("mail", 0.18, 4, "loop")};
}

Described described(const std::string& workload, const std::string& medium) {
    return {knowledge().workload(workload)->traits, medium};
}

}  // namespace

TEST_CASE("effects that are there are learned, and others are not") {
    const auto model = train_effect_model(knowledge(), tables());
    REQUIRE(model.has_value());
    const auto xfs = predict_ratio(*model, described("postgres", "ram"), {"xfs", {}});
    CHECK(xfs.log_ratio == doctest::Approx(0.18).epsilon(0.25));
    CHECK_FALSE(xfs.extrapolates);
    CHECK(xfs.from.front() == "postgres");
    const auto noatime = predict_choice(*model, described("postgres", "ram"), "xfs.mount.atime=noatime");
    CHECK(noatime.log_ratio > 0.02);
    const auto inode = predict_choice(*model, described("postgres", "ram"), "xfs.mkfs.inode_size=512");
    CHECK(std::abs(inode.log_ratio) < 0.02);
    CHECK(predict_ratio(*model, described("postgres", "ram"), {"ext4", {}}).log_ratio == 0.0);
    // Against a configuration that shares the choice only the rest counts.
    Configuration candidate{"xfs", {{"xfs.mount.atime", std::string("noatime")}}};
    CHECK(predict_ratio(*model, described("postgres", "ram"), candidate, {"xfs", {}}).log_ratio ==
          doctest::Approx(noatime.log_ratio));
}

TEST_CASE("what is borrowed from afar is drawn to nothing, and said to extrapolate") {
    const auto model = train_effect_model(knowledge(), tables());
    REQUIRE(model.has_value());
    const auto near = predict_ratio(*model, described("postgres", "ram"), {"xfs", {}});
    const auto far = predict_ratio(*model, {{"no-such-trait"}, "ram"}, {"xfs", {}});
    CHECK(far.extrapolates);
    CHECK(far.from.empty());
    CHECK(std::abs(far.log_ratio) < std::abs(near.log_ratio));
    CHECK(far.deviation > near.deviation);
    const auto unknown = predict_ratio(*model, described("postgres", "ram"), {"btrfs", {}});
    CHECK(unknown.extrapolates);
    CHECK(unknown.unmeasured == std::vector<std::string>{"btrfs"});
    CHECK(unknown.log_ratio == 0.0);
}

TEST_CASE("tables that contradict each other widen the interval until nine of ten lie inside") {
    std::vector<ReplayTable> apart = {generated("postgres", 0.5, 1), generated("mysql", -0.5, 2),
                                      generated("sqlite", 0.5, 3), generated("mail", -0.5, 4)};
    const auto agreeing = train_effect_model(knowledge(), tables()),
               contradicting = train_effect_model(knowledge(), apart);
    REQUIRE(agreeing.has_value());
    REQUIRE(contradicting.has_value());
    CHECK(contradicting->stretch > 1.5 * agreeing->stretch);
    for (const LeftOut& row : validate_effect_model(knowledge(), tables(), false)) {
        CAPTURE(row.table);
        CHECK(row.coverage >= 0.85);
        CHECK(row.rank_correlation > 0.7);
        CHECK(row.regret < 0.05);
        CHECK(row.against_default > -0.03);
    }
    CHECK(validate_effect_model(knowledge(), tables(), true).size() == 4);
}

TEST_CASE("a model is the same bytes twice, in any order of tables, and comes back from its file") {
    auto turned = tables();
    std::reverse(turned.begin(), turned.end());
    const auto model = train_effect_model(knowledge(), tables());
    const std::string text = effect_model_text(*model);
    CHECK(text == effect_model_text(*train_effect_model(knowledge(), turned)));
    const auto back = parse_effect_model(text, "m.json");
    REQUIRE(back.has_value());
    CHECK(effect_model_text(*back) == text);
    for (
        const char* bad :
        {"", "{", "[]", "{}", R"({"effect_model": {"schema_version": 2}})",
         R"({"effect_model": {"schema_version": 1, "stretch": 1}})",
         R"({"effect_model": {"schema_version": 1, "stretch": 1, "tables": [{}]}})",
         R"({"effect_model": {"schema_version": 1, "stretch": 1, "tables": [{"table": "a", "medium": "ram", "traits": [], "effects": {"xfs": [1]}}]}})"}) {
        CAPTURE(bad);
        const auto refused = parse_effect_model(bad, "m.json");
        REQUIRE_FALSE(refused.has_value());
        CHECK(refused.error().code == ErrorCode::kBadInput);
        CHECK(refused.error().context == "m.json");
    }
}

TEST_CASE("tables that teach nothing are refused") {
    CHECK_FALSE(train_effect_model(knowledge(), {}).has_value());
    auto unknown = generated("postgres", 0.1, 1);
    unknown.workload = "nothing-known";
    CHECK_FALSE(train_effect_model(knowledge(), {unknown}).has_value());
    auto few = generated("postgres", 0.1, 1);
    few.rows.resize(4);
    CHECK_FALSE(train_effect_model(knowledge(), {few}).has_value());
    auto failed = generated("postgres", 0.1, 1);
    for (auto& row : failed.rows)
        for (auto& repeat : row.repeats) repeat.failed = true;
    CHECK_FALSE(train_effect_model(knowledge(), {failed}).has_value());
}

TEST_CASE("the shipped model is what its tables teach") {
    std::vector<ReplayTable> shipped;
    for (const auto& entry :
         std::filesystem::directory_iterator(FSADVISE_SOURCE_DIR "/models/shipped/tables")) {
        if (entry.path().extension() != ".jsonl") continue;
        auto table = read_replay_table(entry.path().string());
        REQUIRE(table.has_value());
        shipped.push_back(std::move(*table));
    }
    const auto model = train_effect_model(knowledge(), shipped);
    REQUIRE(model.has_value());
    CHECK(effect_model_text(*model) == *read_file(FSADVISE_SOURCE_DIR "/models/shipped/model.json"));
}
