// Compares what a batch predicts for mkfs, mount and remount with what really happened when it was tried.
//
// Data: data/oracle_*.jsonl, rows of docs/batch.md with their outcome: mkfs_ok, mount_ok (null = not tried),
// effective (the kernel's listing), remount_ok, changed (by the listing). "beyond" says why a trial's outcome
// depends on something that no row states.
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "advice/batch.h"
#include "base/text.h"
#include "space/spelling.h"

namespace {

using namespace fsadvise;
using nlohmann::json;

// The machine of the trials: Debian 12 tools. Of the device nothing is said, as in a row that a user writes: the
// trials ran on loop devices over sparse files, which is what a batch assumes.
Host oracle_host() {
    Host host;
    host.kernel = "6.18.44";
    host.architecture = "x86_64";
    host.distribution = "debian";
    host.distribution_version = "12";
    host.cores = 2;
    host.page_size_bytes = 4096;
    host.tools = {
        {"e2fsprogs", "1.47.0"}, {"xfsprogs", "6.1.0"}, {"btrfs-progs", "6.2"}, {"f2fs-tools", "1.15.0"}};
    return host;
}

struct Score {
    std::size_t trials = 0, right = 0;
    std::size_t false_ok = 0;      // failed, predicted to work: the worst outcome
    std::size_t false_alarms = 0;  // worked, predicted to fail
    std::size_t beyond = 0;        // failed for a reason that no row states
    std::size_t remounts = 0, changes_right = 0;
    std::size_t listings = 0, listings_right = 0;
};

// "mkfs", "mount", "remount" or "works": where it stops.
std::string actual(const json& row) {
    if (!row.at("mkfs_ok").get<bool>()) return "mkfs";
    if (row.value("mount_ok", json()) == false) return "mount";
    return row.value("remount_ok", json()) == false ? "remount" : "works";
}
std::string predicted(const json& row, const BatchVerdict& verdict) {
    if (verdict.mkfs == BatchVerdict::Mkfs::kRefused) return "mkfs";
    if (row.value("mount_ok", json()).is_null()) return "works";
    if (verdict.mount == BatchVerdict::Mount::kRefused) return "mount";
    return verdict.remount == BatchVerdict::Remount::kRefused ? "remount" : "works";
}

// Words that say the same as the kernel's listing, whichever way either is spelled.
bool lists(const Knowledge& knowledge, const json& row, const std::vector<std::string>& words) {
    const std::string filesystem = row.at("fs"), listing = row.at("effective");
    const auto listed = split(listing, ',');
    const Configuration real =
        configuration_of(filesystem, {}, parse_mount_options(knowledge, filesystem, listing));
    return std::all_of(words.begin(), words.end(), [&](const std::string& word) {
        if (std::find(listed.begin(), listed.end(), word) != listed.end()) return true;
        if (word == "strictatime") return listing.find("atime") == std::string::npos;
        const Configuration said =
            configuration_of(filesystem, {}, parse_mount_options(knowledge, filesystem, word));
        return std::all_of(said.values.begin(), said.values.end(), [&](const auto& entry) {
            const auto found = real.values.find(entry.first);
            return found != real.values.end() && equal(found->second, entry.second);
        });
    });
}

void judge(const Knowledge& knowledge, const std::string& origin, const json& row,
           const BatchVerdict& verdict, Score& score) {
    ++score.trials;
    const std::string is = actual(row), said = predicted(row, verdict);
    const auto complain = [&](const std::string& what) {
        MESSAGE(fmt::format("{}: {} mount '{}' remount '{}': {} ({}; {})", origin, row.at("mkfs").dump(),
                            row.at("mount").dump(), row.value("remount", "-"), what,
                            join(verdict.findings, " "), verdict.why));
    };
    if (is == said) {
        ++score.right;
    } else if (said == "works" && row.contains("beyond")) {
        ++score.beyond;
    } else if (said == "works") {
        ++score.false_ok;
        complain(is + " fails, predicted to work");
    } else {
        if (is == "works") ++score.false_alarms;
        complain(fmt::format("{} expected, predicted to fail at {}", is, said));
    }
    if (is == "works" && said == "works" && row.contains("changed")) {
        ++score.remounts;
        if (row.at("changed") == verdict.changed)
            ++score.changes_right;
        else
            complain(fmt::format("the remount changes: {}", row.at("changed").dump()));
    }
    if (row.contains("effective") && verdict.mount == BatchVerdict::Mount::kOk) {
        ++score.listings;
        if (lists(knowledge, row, verdict.effective))
            ++score.listings_right;
        else
            complain(fmt::format("predicted {}, listed {}", join(verdict.effective, ","),
                                 row.at("effective").dump()));
    }
}

}  // namespace

TEST_CASE("predicted outcome of mkfs, mount and remount agrees with trials") {
    const auto directory = read_knowledge_directory(FSADVISE_SOURCE_DIR "/knowledge");
    REQUIRE(directory);
    const auto files = directory->view();
    const auto knowledge = Knowledge::load(files);
    REQUIRE_MESSAGE(knowledge, (knowledge ? "" : to_text(knowledge.error())));
    const Host host = oracle_host();

    std::size_t files_read = 0;
    for (const auto& entry :
         std::filesystem::directory_iterator(FSADVISE_SOURCE_DIR "/tests/knowledge/data")) {
        const std::string name = entry.path().filename().string();
        if (!name.starts_with("oracle_")) continue;
        ++files_read;
        CAPTURE(name);
        Score score;
        std::ifstream file(entry.path());
        std::string line;
        for (int number = 1; std::getline(file, line); ++number) {
            const json row = json::parse(line);
            const auto input = batch_row(*knowledge, host, row);
            REQUIRE_MESSAGE(input, (input ? "" : to_text(input.error())));
            judge(*knowledge, fmt::format("{}:{}", name, number), row, judge_row(*knowledge, *input), score);
        }
        const std::size_t counted = score.trials - score.beyond;
        MESSAGE(fmt::format(
            "{}: {} trials, {:.1f} % right, {} false ok, {} false alarms, {} beyond; "
            "{} of {} remounts change as predicted, {} of {} listings as predicted",
            name, score.trials, 100.0 * static_cast<double>(score.right) / static_cast<double>(counted),
            score.false_ok, score.false_alarms, score.beyond, score.changes_right, score.remounts,
            score.listings_right, score.listings));
        CHECK(score.trials >= 30);
        CHECK(score.false_ok == 0);
        CHECK(score.right * 100 >= counted * 99);
        CHECK(score.changes_right * 100 >= score.remounts * 95);
        CHECK(score.listings_right * 100 >= score.listings * 90);
    }
    CHECK(files_read >= 10);
}
