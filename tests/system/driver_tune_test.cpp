// A whole study whose load is a real application.
#include <csignal>
#include <filesystem>
#include <thread>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "tuner/study/study.h"

#include "support/command.h"
#include "support/driver.h"
#include "support/loop.h"

using namespace fsadvise;
using nlohmann::json;

namespace {

std::vector<std::string> tune_words(const test::OpenFolder& folder, std::vector<std::string> more) {
    std::vector<std::string> words = {"tune",
                                      "--workload",
                                      "sqlite",
                                      "--fs",
                                      "ext4",
                                      "--scratch-file",
                                      folder.file("scratch"),
                                      "--size",
                                      "300M",
                                      "--study",
                                      folder.file("s.sqlite"),
                                      "--trials",
                                      "2",
                                      "--confirm",
                                      "2",
                                      "--trial-seconds",
                                      "0.8"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

void check_study(const test::OpenFolder& folder, const std::string& driver) {
    const auto study = tuner::Study::open(folder.file("s.sqlite"));
    REQUIRE(study);
    const json load = json::parse((*study)->get("load").value_or("{}"));
    CHECK(load.value("driver", "") == driver);
    CHECK(load.at("options").size() > 0);
    const auto trials = (*study)->trials();
    REQUIRE(trials);
    CHECK(trials->size() == 2);
    for (const auto& trial : *trials) {
        CAPTURE(trial.reason);
        CHECK(trial.state == "complete");
        for (const auto& measurement : trial.measurements) {
            const json metrics = json::parse(measurement.metrics);
            CHECK(metrics.at("candidate").at("operations_per_s").get<double>() > 0);
            CHECK(metrics.at("candidate").at("slice_rates").size() >= 2);
            CHECK_FALSE(
                metrics.at("candidate").contains("cpu_s_per_operation"));  // not known of an application
        }
    }
}

}  // namespace

TEST_CASE("tune with a driver measures, records the driver and can be reported") {
    if (const auto reason = test::no_loop_devices()) {
        MESSAGE("SKIPPED: ", *reason);
        return;
    }
    const test::OpenFolder folder;
    const auto result = test::run_fsadvise(tune_words(
        folder, {"--driver", "sqlite-8", "--driver-option", "copies=2", "--driver-option", "rows=500"}));
    CAPTURE(result.errors);
    REQUIRE(result.exit_code == 0);
    check_study(folder, "sqlite");
    const auto report = test::run_fsadvise({"report", folder.file("s.sqlite")});
    CHECK(report.exit_code == 0);
}

TEST_CASE("tune with a command reads its metric; one that fails is a reason in the study") {
    if (const auto reason = test::no_loop_devices()) {
        MESSAGE("SKIPPED: ", *reason);
        return;
    }
    const test::OpenFolder folder;
    const auto result = test::run_fsadvise(
        tune_words(folder, {"--command", "dd if=/dev/zero of={dir}/file bs=1M count=4 conv=fsync",
                            "--metric-regex", "copied, ([0-9.e-]+) s", "--lower-is-better"}));
    CAPTURE(result.errors);
    REQUIRE(result.exit_code == 0);
    check_study(folder, "command");

    const test::OpenFolder other;
    const auto failed = test::run_fsadvise(tune_words(other, {"--command", "ls {dir}/missing"}));
    CHECK(failed.exit_code == 5);
    CHECK(failed.errors.find("No such file") != std::string::npos);
    const auto study = tuner::Study::open(other.file("s.sqlite"));
    REQUIRE(study);
    const auto trials = (*study)->trials();
    REQUIRE(trials);
    REQUIRE(trials->size() == 1);
    CHECK(trials->front().state == "failed");
    CHECK(trials->front().reason.find("No such file") != std::string::npos);
}

TEST_CASE("wrong driver options are refused before anything is touched") {
    const test::OpenFolder folder;
    const auto refused = [&](std::vector<std::string> more, const char* words) {
        const auto result = test::run_fsadvise(tune_words(folder, std::move(more)));
        CAPTURE(result.errors);
        CHECK(result.exit_code == 2);
        CHECK(result.errors.find(words) != std::string::npos);
        CHECK_FALSE(std::filesystem::exists(folder.file("s.sqlite")));
        CHECK_FALSE(std::filesystem::exists(folder.file("scratch")));
    };
    refused({"--driver", "sqlit"}, "did you mean 'sqlite'");
    refused({"--driver", "sqlite", "--driver-option", "copis=2"}, "did you mean 'copies'");
    refused({"--driver", "sqlite", "--driver-option", "copies"}, "has no value");
    refused({"--driver-option", "copies=2"}, "no driver named");
    refused({"--driver", "sqlite", "--command", "ls {dir}"}, "two loads");
    refused({"--metric-regex", "x"}, "add --command");
    refused({"--command", "ls"}, "{dir}");
}
