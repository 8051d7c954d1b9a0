// `fsadvise bench` for real: a directory, a configuration on a loop device, two configurations side by side.
#include <cmath>
#include <filesystem>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "support/command.h"
#include "support/loop.h"
#include "support/temporary_folder.h"

using fsadvise::test::run_fsadvise;
using nlohmann::json;

namespace {

using Folder = fsadvise::test::MemoryFolder;

json parsed(const fsadvise::ProcessResult& result) {
    CAPTURE(result.errors);
    REQUIRE(result.exit_code == 0);
    return json::parse(result.output);
}

}  // namespace

TEST_CASE("bench measures a directory and leaves nothing in it") {
    const Folder folder;
    const auto result = parsed(run_fsadvise({"bench", "--workload", "sqlite", "--path", folder.path, "--data",
                                             "16M", "--seconds", "1", "--json", "--quiet"}));
    const json& place = result["places"][0];
    CHECK(place["operations"] > 0);
    std::uint64_t counted = 0;
    for (const json& bucket : place["latency"]["histogram"]) counted += bucket[1].get<std::uint64_t>();
    CHECK(counted == place["latency"]["count"]);
    CHECK(place["operations"].get<double>() / place["seconds"].get<double>() ==
          doctest::Approx(place["operations_per_s"].get<double>()));
    CHECK(std::filesystem::is_empty(folder.path));
}

TEST_CASE("bench compares two configurations on fresh formats, and measures one") {
    if (const auto reason = fsadvise::test::no_loop_devices()) {
        MESSAGE("SKIPPED: " << *reason);
        return;
    }
    const Folder folder;
    const std::string scratch = folder.path / "scratch";
    const std::vector<std::string> common = {"bench", "--workload", "sqlite", "--scratch-file",
                                             scratch, "--size",     "1400M",  "--seconds",
                                             "1",     "--json",     "--quiet"};
    auto words = common;
    words.insert(words.end(), {"--compare", "ext4", "ext4:-O ^has_journal", "--durability", "scratch",
                               "--replicates", "4"});
    auto result = parsed(run_fsadvise(words));
    CHECK(result["comparison"]["replicates"].size() == 4);
    const json& comparison = result["comparison"];
    CHECK(comparison["interval"][0] < comparison["ratio"]);
    CHECK(comparison["ratio"] < comparison["interval"][1]);
    CHECK(comparison["replicates"][1]["swapped"] == true);
    CHECK(result["places"][1]["commands"][0].get<std::string>().find("^has_journal") != std::string::npos);

    words = common;
    words.insert(words.end(), {"--config", "xfs::noatime"});
    result = parsed(run_fsadvise(words));
    CHECK(result["places"][0]["mount_options"].get<std::string>().find("noatime") != std::string::npos);
    CHECK(result["places"][0]["format_s"] > 0);
    CHECK_FALSE(result.contains("comparison"));
    CHECK_FALSE(std::filesystem::exists(scratch));
}
