// explain, knowledge and the outputs of check as commands.
#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "support/command.h"

using fsadvise::test::run_fsadvise;

namespace {

struct Folder {
    std::filesystem::path path =
        std::filesystem::temp_directory_path() / ("fsadvise-know-" + std::to_string(::getpid()));
    Folder() { std::filesystem::create_directories(path); }
    ~Folder() { std::filesystem::remove_all(path); }
    std::string write(const std::string& name, const std::string& text) const {
        std::ofstream(path / name) << text;
        return path / name;
    }
};

constexpr const char* kTable = "# mine\nUUID=1 /a xfs noatime,nobarrier 0 0\n";

}  // namespace

TEST_CASE("explain answers for ids and options, and names the nearest for others") {
    CHECK(run_fsadvise({"explain", "xfs", "nobarrier"}).output.find("4.19") != std::string::npos);
    CHECK(run_fsadvise({"explain", "-m", "reflink=0"}).output.find("xfs.mkfs.reflink") != std::string::npos);
    CHECK(run_fsadvise({"explain", "-o", "noatime"}).output.find("ext4.mount.atime") != std::string::npos);
    CHECK_FALSE(std::filesystem::exists("noatime"));
    const auto json = nlohmann::json::parse(run_fsadvise({"explain", "--json", "postgres"}).output);
    CHECK(json["explanations"][0]["kind"] == "workload");
    const auto wrong = run_fsadvise({"explain", "nobarier"});
    CHECK(wrong.exit_code == 2);
    CHECK(wrong.errors.find("nobarrier") != std::string::npos);
    CHECK(run_fsadvise({"explain"}).exit_code == 2);
}

TEST_CASE("explain shows the path to a decision, from a workload or from an advice") {
    const Folder folder;
    const std::vector<std::string> where{"--kernel", "6.1", "--cores", "4"};
    auto words = std::vector<std::string>{"explain", "--workload", "postgres"};
    words.insert(words.end(), where.begin(), where.end());
    CHECK(run_fsadvise(words).output.find("therefore") != std::string::npos);
    const std::string advice = folder.path / "advice.json";
    words = {"recommend", "--workload", "postgres", "--json", "-o", advice};
    words.insert(words.end(), where.begin(), where.end());
    REQUIRE(run_fsadvise(words).exit_code == 0);
    CHECK(run_fsadvise({"explain", "--advice", advice}).output.find("therefore") != std::string::npos);
    CHECK(run_fsadvise({"explain", "--advice", folder.write("x.json", "[]")}).exit_code == 3);
}

TEST_CASE("knowledge list and graph") {
    for (const char* what :
         {"parameters", "rules", "workloads", "constraints", "evidence", "filesystems", "findings"}) {
        const auto json = nlohmann::json::parse(run_fsadvise({"knowledge", "list", what, "--json"}).output);
        CHECK(json["items"].size() > 3);
    }
    CHECK(run_fsadvise({"knowledge", "list", "--fs", "xfs"}).output.find("ext4.") == std::string::npos);
    CHECK(run_fsadvise({"knowledge", "list", "--fs", "xsf"}).exit_code == 2);
    CHECK(run_fsadvise({"knowledge", "graph", "no-such-thing"}).exit_code == 2);
    CHECK(run_fsadvise({"knowledge"}).exit_code == 2);
    const auto graph = run_fsadvise({"knowledge", "graph", "xfs.mkfs.reflink"});
    CHECK(graph.output.starts_with("digraph"));
}

TEST_CASE("Graphviz accepts the graphs") {
    fsadvise::SystemProcessRunner runner;
    if (runner.find("dot").empty()) {
        MESSAGE("SKIPPED: graphviz is not installed");
        return;
    }
    for (const char* focus : {"xfs.mkfs.reflink", "postgres", "btrfs"}) {
        CAPTURE(focus);
        const auto graph = run_fsadvise({"knowledge", "graph", focus});
        const auto drawn = runner.run({{"dot", "-Tsvg"}, graph.output});
        REQUIRE(drawn);
        CHECK(drawn->exit_code == 0);
        CHECK(drawn->output.find("<svg") != std::string::npos);
    }
}

TEST_CASE("check prints SARIF, a corrected file, and what an upgrade breaks") {
    const Folder folder;
    const std::string table = folder.write("fstab", kTable);
    const auto sarif =
        nlohmann::json::parse(run_fsadvise({"check", "--kernel", "6.1", "--format", "sarif", table}).output);
    CHECK(sarif["version"] == "2.1.0");
    CHECK_FALSE(sarif["runs"][0]["results"].empty());
    CHECK(run_fsadvise({"check", "--kernel", "6.1", "--fix", table}).output ==
          "# mine\nUUID=1 /a xfs noatime 0 0\n");
    const std::string out = folder.path / "fixed";
    CHECK(run_fsadvise({"check", "--kernel", "6.1", "--fix", "-o", out, table}).output.empty());
    CHECK(std::filesystem::file_size(out) > 10);
    CHECK(run_fsadvise({"check", "--fix", "--mounted"}).exit_code == 2);
    CHECK(run_fsadvise({"check"}).exit_code == 2);
    const auto quiet = run_fsadvise({"check", "--kernel", "4.9", "--upgrade-to", "4.14", "--json", table});
    CHECK(nlohmann::json::parse(quiet.output)["findings"].empty());
    const auto breaks = run_fsadvise({"check", "--kernel", "4.9", "--upgrade-to", "6.1", table});
    CHECK(breaks.exit_code == 1);
    CHECK(breaks.output.find("nobarrier") != std::string::npos);
    const std::string quieted = folder.write(
        "fstab2", "# fsadvise: ignore mount-option-removed old kernel\nUUID=1 /a xfs nobarrier 0 0\n");
    const auto suppressed = run_fsadvise({"check", "--kernel", "6.1", quieted});
    CHECK(suppressed.exit_code == 0);
    CHECK(suppressed.output.find("1 suppressed") != std::string::npos);
}

TEST_CASE("check --mounted only reads") {
    const auto result = run_fsadvise({"check", "--mounted", "--fail-on", "never"});
    CHECK(result.exit_code == 0);
    CHECK(result.output.find("speak of filesystems") != std::string::npos);
}

TEST_CASE("verify without root says so and touches nothing") {
    if (::geteuid() == 0) {
        MESSAGE("SKIPPED: running as root");
        return;
    }
    CHECK(run_fsadvise({"knowledge", "verify"}).exit_code == 4);
}
