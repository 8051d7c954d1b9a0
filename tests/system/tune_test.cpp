// The whole tune path on a real loop device: ext4, XFS and Btrfs are formatted, mounted, run and unmounted.
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <sys/wait.h>
#include <unistd.h>

#include "tuner/study/study.h"

#include "support/command.h"
#include "support/temporary_folder.h"

using namespace fsadvise;
using nlohmann::json;

namespace {

// What a run on this folder left: loop devices over its files (a mount would keep one attached), and mount
// point folders whose process is gone. Other users of the machine may come and go meanwhile.
std::set<std::string> leftovers(const std::filesystem::path& folder) {
    std::set<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator("/sys/block")) {
        std::ifstream backing(entry.path() / "loop/backing_file");
        std::string file;
        if (std::getline(backing, file) && file.find(folder.string()) != std::string::npos)
            found.insert(file);
    }
    for (const char* parent : {"/run/fsadvise", "/dev/shm"}) {
        if (!std::filesystem::exists(parent)) continue;
        for (const auto& entry : std::filesystem::directory_iterator(parent)) {
            const std::string name = entry.path().filename();
            if (!name.starts_with("fsadvise.")) continue;
            const auto owner = static_cast<pid_t>(std::atoi(name.c_str() + std::string("fsadvise.").size()));
            if (owner > 0 && ::kill(owner, 0) != 0) found.insert(entry.path());
        }
    }
    return found;
}

bool can_tune() {
    if (::geteuid() != 0) {
        MESSAGE("SKIPPED: formatting and mounting need root");
        return false;
    }
    if (::access("/dev/loop-control", W_OK) != 0) {
        MESSAGE("SKIPPED: no loop devices here");
        return false;
    }
    return true;
}

using Folder = test::MemoryFolder;

std::vector<std::string> tune_words(const Folder& folder, const std::string& study) {
    return {"tune",
            "--workload",
            "postgres",
            "--scratch-file",
            folder.path / "scratch",
            "--size",
            "1300M",
            "--study",
            folder.path / study,
            "--trial-seconds",
            "0.5",
            "--seed",
            "3",
            "--fs",
            "ext4,xfs,btrfs"};
}

}  // namespace

TEST_CASE("tune formats, mounts, measures and confirms all three filesystems and leaves nothing behind") {
    if (!can_tune()) return;
    const Folder folder;
    auto words = tune_words(folder, "s.sqlite");
    words.insert(words.end(), {"--trials", "7", "--confirm", "2", "--json"});
    const auto result = test::run_fsadvise(words);
    CAPTURE(result.errors);
    REQUIRE(result.exit_code == 0);
    CHECK(leftovers(folder.path) == std::set<std::string>{});
    CHECK_FALSE(std::filesystem::exists(folder.path / "scratch"));

    const json advice = json::parse(result.output);
    CHECK(advice.at("schema_version") == 1);
    REQUIRE(advice.at("ranked").size() >= 1);
    CHECK(advice.at("measured").at("complete") == true);
    CHECK(advice.at("measured").at("stands_for").get<std::string>().find("RAM") != std::string::npos);

    const auto study = tuner::Study::open(folder.path / "s.sqlite");
    REQUIRE(study.has_value());
    const auto trials = (*study)->trials();
    REQUIRE(trials.has_value());
    CHECK(trials->size() == 7);
    std::set<std::string> measured;
    for (const auto& trial : *trials) {
        CAPTURE(trial.reason);
        CHECK(trial.state == "complete");
        for (const auto& measurement : trial.measurements) {
            const json metrics = json::parse(measurement.metrics);
            CHECK(metrics.at("candidate").at("operations").get<std::uint64_t>() > 0);
            CHECK(metrics.at("anchor").at("operations").get<std::uint64_t>() > 0);
            CHECK(json::parse(measurement.effective).size() > 3);  // it was read back
            measured.insert(trial.configuration.filesystem);
        }
    }
    CHECK(measured == std::set<std::string>{"ext4", "xfs", "btrfs"});

    for (const char* format : {"markdown", "text", "json", "shell"}) {
        const auto report = test::run_fsadvise({"report", folder.path / "s.sqlite", "--format", format});
        CAPTURE(report.errors);
        CHECK(report.exit_code == 0);
        CHECK(report.output.size() > 300);
    }
}

TEST_CASE("an interrupted tune cleans up, keeps the study and resumes with the same next candidate") {
    if (!can_tune()) return;
    const Folder folder;
    auto words = tune_words(folder, "s.sqlite");
    words.insert(words.end(), {"--trials", "6", "--confirm", "2"});
    for (const int signal_number : {SIGINT, SIGTERM}) {
        CAPTURE(signal_number);
        auto argv_words = words;
        if (signal_number == SIGTERM) argv_words = {"tune", "--resume", "--study", folder.path / "s.sqlite"};
        argv_words.insert(argv_words.begin(), FSADVISE_BINARY);
        const pid_t child = ::fork();
        if (child == 0) {
            std::vector<char*> argv;
            for (auto& word : argv_words) argv.push_back(word.data());
            argv.push_back(nullptr);
            ::close(1);
            ::close(2);
            ::open("/dev/null", O_WRONLY);
            ::open("/dev/null", O_WRONLY);
            ::execv(FSADVISE_BINARY, argv.data());
            ::_exit(127);
        }
        // Long enough to be in the middle of a trial.
        std::this_thread::sleep_for(std::chrono::milliseconds(3500));
        ::kill(child, signal_number);
        int status = 0;
        ::waitpid(child, &status, 0);
        REQUIRE(WIFEXITED(status));
        CHECK(WEXITSTATUS(status) == 128 + signal_number);
        CHECK(leftovers(folder.path) == std::set<std::string>{});
    }
    Configuration stopped_at;
    int trials_before = 0;
    {
        const auto study = tuner::Study::open(folder.path / "s.sqlite");
        REQUIRE(study.has_value());
        const auto trials = (*study)->trials();
        REQUIRE(trials.has_value());
        REQUIRE_FALSE(trials->empty());
        stopped_at = trials->back().configuration;
        trials_before = static_cast<int>(trials->size());
    }
    const auto resumed =
        test::run_fsadvise({"tune", "--resume", "--study", folder.path / "s.sqlite", "--json"});
    CAPTURE(resumed.errors);
    REQUIRE(resumed.exit_code == 0);
    CHECK(leftovers(folder.path) == std::set<std::string>{});
    const auto study = tuner::Study::open(folder.path / "s.sqlite");
    const auto trials = (*study)->trials();
    REQUIRE(trials.has_value());
    // What was in hand at the stop was run again, and a run without a stop proposes the same sequence.
    CHECK(std::any_of(trials->begin(), trials->end(), [&](const auto& trial) {
        return trial.configuration == stopped_at && trial.state == "complete";
    }));
    CHECK(static_cast<int>(trials->size()) >= trials_before);
    CHECK(json::parse(resumed.output).at("measured").at("complete") == true);
}

TEST_CASE("a study file is never overwritten") {
    if (!can_tune()) return;
    const Folder folder;
    std::ofstream(folder.path / "s.sqlite") << "precious";
    auto words = tune_words(folder, "s.sqlite");
    words.insert(words.end(), {"--trials", "2"});
    const auto result = test::run_fsadvise(words);
    CHECK(result.exit_code == 2);
    CHECK(result.errors.find("--resume") != std::string::npos);
    std::ifstream kept(folder.path / "s.sqlite");
    CHECK(std::string(std::istreambuf_iterator<char>(kept), {}) == "precious");
}
