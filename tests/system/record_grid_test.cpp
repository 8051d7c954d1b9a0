// tune --record-grid on loop devices: a grid is measured, killed in the middle, gone on with, and read again.
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <thread>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <sys/wait.h>
#include <unistd.h>

#include "support/command.h"
#include "support/loop.h"
#include "support/temporary_folder.h"

using namespace fsadvise;
using nlohmann::json;

namespace {

using Folder = test::MemoryFolder;

std::vector<std::string> record_words(const Folder& folder) {
    return {"tune",
            "--workload",
            "postgres",
            "--scratch-file",
            folder.path / "scratch",
            "--size",
            "300M",
            "--data",
            "16M",
            "--trial-seconds",
            "0.5",
            "--fs",
            "ext4,btrfs",
            "--record-grid",
            folder.path / "t.jsonl",
            "--grid",
            folder.path / "grid"};
}

void write_grid(const Folder& folder) {
    std::ofstream(folder.path / "grid") << "ext4\next4:-O ^has_journal\next4::noatime\nbtrfs\n";
}

std::vector<json> lines_of(const std::filesystem::path& file) {
    std::vector<json> result;
    std::ifstream stream(file);
    for (std::string line; std::getline(stream, line);) result.push_back(json::parse(line, nullptr, false));
    return result;
}

pid_t start(std::vector<std::string> words) {
    words.insert(words.begin(), FSADVISE_BINARY);
    const pid_t child = ::fork();
    if (child != 0) return child;
    std::vector<char*> argv;
    for (auto& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    const int null = ::open("/dev/null", O_WRONLY);
    ::dup2(null, 1);
    ::dup2(null, 2);
    ::execv(FSADVISE_BINARY, argv.data());
    ::_exit(127);
}

// Until the table has that many lines; false if that takes too long.
bool wait_for_lines(const std::filesystem::path& file, std::size_t count) {
    for (int i = 0; i < 1200; ++i) {
        if (std::filesystem::exists(file) && lines_of(file).size() >= count) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return false;
}

}  // namespace

TEST_CASE("record-grid measures every configuration, survives a kill and an interrupt, and goes on") {
    if (const auto reason = test::no_loop_devices()) {
        MESSAGE("SKIPPED: ", *reason);
        return;
    }
    const Folder folder;
    write_grid(folder);
    auto words = record_words(folder);
    words.insert(words.end(), {"--repeats", "2"});
    std::size_t lines = 2;
    for (const int signal_number : {SIGKILL, SIGINT}) {
        CAPTURE(signal_number);
        const pid_t child = start(words);
        const bool grew = wait_for_lines(folder.path / "t.jsonl", lines);
        ::kill(child, signal_number);
        int status = 0;
        ::waitpid(child, &status, 0);
        REQUIRE(grew);
        if (signal_number == SIGINT && WIFEXITED(status)) CHECK(WEXITSTATUS(status) == 130);
        lines = lines_of(folder.path / "t.jsonl").size() + 1;
    }
    const auto before = lines_of(folder.path / "t.jsonl");
    // As a stop in the middle of a write leaves it.
    std::ofstream(folder.path / "t.jsonl", std::ios::app) << "{\"configuration\":{\"files";
    const auto result = test::run_fsadvise(words);
    CAPTURE(result.errors);
    REQUIRE(result.exit_code == 0);
    CHECK_FALSE(std::filesystem::exists(folder.path / "scratch"));

    const auto table = lines_of(folder.path / "t.jsonl");
    REQUIRE(table.size() == 1 + 4 * 2);
    for (std::size_t i = 0; i < before.size(); ++i) CHECK(table[i] == before[i]);
    const json& header = table.front().at("replay_table");
    CHECK(header.at("schema_version") == 1);
    CHECK(header.at("workload") == "postgres");
    CHECK(header.at("media") == "ram");
    CHECK(header.at("anchor").at("filesystem") == "ext4");
    std::map<std::string, int> repeats;
    for (std::size_t i = 1; i < table.size(); ++i) {
        const json& row = table[i];
        REQUIRE(row.is_object());
        CAPTURE(row.dump());
        CHECK(row.at("state") == "complete");
        ++repeats[row.at("configuration").dump()];
        CHECK(row.at("area") == row.at("repeat").get<int>() % 2);
        for (const auto& [name, value] : row.at("metrics").items()) {
            CAPTURE(name);
            CHECK(header.at("metrics").contains(name));
            CHECK(value.is_number());
            if (name != "log_ratio") CHECK(value.get<double>() > 0);
        }
        for (const char* name : {"log_ratio", "deviation", "operations", "p99_ns", "space", "cpu",
                                 "format_seconds", "mount_seconds"})
            CHECK(row.at("metrics").contains(name));
        CHECK(row.at("anchor").at("operations").get<double>() > 0);
    }
    CHECK(repeats.size() == 4);
    for (const auto& [configuration, count] : repeats) {
        CAPTURE(configuration);
        CHECK(count == 2);
    }
    // Nothing is left to measure, and other conditions are refused.
    CHECK(test::run_fsadvise(words).exit_code == 0);
    CHECK(lines_of(folder.path / "t.jsonl") == table);
    words.insert(words.end(), {"--seed", "9"});
    const auto refused = test::run_fsadvise(words);
    CHECK(refused.exit_code == 2);
    CHECK(refused.errors.find("seed") != std::string::npos);
}

TEST_CASE(
    "record-grid keeps a configuration that fails as a row with its reason, and no path of the machine") {
    if (const auto reason = test::no_loop_devices()) {
        MESSAGE("SKIPPED: ", *reason);
        return;
    }
    const Folder folder;
    // Far more inodes than the area has room for: mkfs refuses, whatever its version.
    std::ofstream(folder.path / "grid") << "ext4\next4:-N 4000000000\n";
    auto words = record_words(folder);
    words.insert(words.end(), {"--repeats", "1"});
    const auto result = test::run_fsadvise(words);
    CAPTURE(result.errors);
    if (result.exit_code == 3) {
        // The knowledge saw it first, which is as good: nothing was formatted.
        CHECK(result.errors.find("grid:2") != std::string::npos);
        return;
    }
    REQUIRE(result.exit_code == 0);
    const auto table = lines_of(folder.path / "t.jsonl");
    REQUIRE(table.size() == 3);
    int failed = 0;
    for (std::size_t i = 1; i < table.size(); ++i) {
        if (table[i].at("state") == "complete") continue;
        ++failed;
        const auto reason = table[i].at("reason").get<std::string>();
        CHECK_FALSE(reason.empty());
        CHECK(reason.find("/dev/loop") == std::string::npos);
        CHECK(reason.find("/dev/shm") == std::string::npos);
    }
    CHECK(failed == 1);
}

TEST_CASE("a budget ends recording in an orderly way: status 5, and the same command goes on") {
    if (const auto reason = test::no_loop_devices()) {
        MESSAGE("SKIPPED: ", *reason);
        return;
    }
    const Folder folder;
    write_grid(folder);
    auto words = record_words(folder);
    words.insert(words.end(), {"--repeats", "50", "--budget", "3s"});
    const auto result = test::run_fsadvise(words);
    CAPTURE(result.errors);
    CHECK(result.exit_code == 5);
    CHECK(result.errors.find("same command") != std::string::npos);
    const std::size_t lines = lines_of(folder.path / "t.jsonl").size();
    CHECK(lines >= 2);
    CHECK(lines < 20);
}
