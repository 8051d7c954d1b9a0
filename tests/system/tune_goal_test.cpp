// Goals of tune on loop devices: a front, constraints that nothing keeps, and recovery after a crash.
#include <filesystem>
#include <set>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "tuner/study/study.h"

#include "support/command.h"
#include "support/loop.h"
#include "support/temporary_folder.h"

using namespace fsadvise;
using nlohmann::json;

namespace {

using Folder = test::MemoryFolder;

// The advice of a short study, or nothing where the machine cannot run one.
std::optional<json> tuned(const Folder& folder, const std::vector<std::string>& goal) {
    if (const auto reason = test::no_loop_devices()) {
        MESSAGE("SKIPPED: ", *reason);
        return std::nullopt;
    }
    std::vector<std::string> words = {"tune",
                                      "--workload",
                                      "postgres",
                                      "--fs",
                                      "ext4,xfs",
                                      "--scratch-file",
                                      folder.path / "scratch",
                                      "--size",
                                      "700M",
                                      "--study",
                                      folder.path / "s.sqlite",
                                      "--trial-seconds",
                                      "2",
                                      "--trials",
                                      "5",
                                      "--confirm",
                                      "2",
                                      "--json"};
    words.insert(words.end(), goal.begin(), goal.end());
    const auto result = test::run_fsadvise(words);
    CAPTURE(result.errors);
    REQUIRE(result.exit_code == 0);
    return json::parse(result.output);
}

}  // namespace

TEST_CASE("tune --pareto lists measured configurations that no other beats in both figures") {
    const Folder folder;
    const auto advice = tuned(folder, {"--pareto", "throughput,space"});
    if (!advice) return;
    const json& measured = advice->at("measured");
    CHECK(measured.at("objective") == "the front of throughput and space");
    const json& front = measured.at("front");
    REQUIRE_FALSE(front.empty());
    for (const json& a : front) {
        for (const json& b : front) {
            if (a == b) continue;
            const auto gain = [](const json& point, const char* figure) {
                return point.at("figures").at(figure).at("gain").get<double>();
            };
            const bool beaten =
                gain(b, "throughput") >= gain(a, "throughput") && gain(b, "space") >= gain(a, "space") &&
                (gain(b, "throughput") > gain(a, "throughput") || gain(b, "space") > gain(a, "space"));
            CHECK_FALSE(beaten);
        }
        CHECK(a.at("figures").at("space").at("value").get<double>() > 0);
    }
    const auto report = test::run_fsadvise({"report", folder.path / "s.sqlite", "--format", "text"});
    CHECK(report.exit_code == 0);
    CHECK(report.output.find("Best compromises") != std::string::npos);
}

TEST_CASE(
    "a constraint that nothing keeps: nothing but the default is recommended, and each figure is told") {
    const Folder folder;
    const auto advice = tuned(folder, {"--constraint", "space < 1MiB"});
    if (!advice) return;
    REQUIRE(advice->at("ranked").size() == 1);
    const auto study = tuner::Study::open(folder.path / "s.sqlite");
    REQUIRE(study.has_value());
    const auto trials = (*study)->trials();
    REQUIRE(trials.has_value());
    const json& violations = advice->at("measured").at("violations");
    std::size_t complete = 0;
    for (const auto& trial : *trials) complete += trial.state == "complete" ? 1 : 0;
    CHECK(complete >= 4);
    CHECK(violations.size() == complete + 1);  // and the default
    for (const json& text : violations)
        CHECK(text.get<std::string>().find("space < 1MiB") != std::string::npos);
}

TEST_CASE("recovery after a crash is timed when it is asked for") {
    const Folder folder;
    const auto advice = tuned(folder, {"--objective", "recovery-time"});
    if (!advice) return;
    const auto study = tuner::Study::open(folder.path / "s.sqlite");
    REQUIRE(study.has_value());
    const auto trials = (*study)->trials();
    REQUIRE(trials.has_value());
    int timed = 0;
    for (const auto& trial : *trials) {
        CAPTURE(trial.reason);
        CHECK(trial.state == "complete");
        for (const auto& measurement : trial.measurements) {
            const json metrics = json::parse(measurement.metrics);
            for (const char* side : {"candidate", "anchor"}) {
                const double seconds = metrics.at(side).at("recovery_s").get<double>();
                CHECK(seconds > 0);
                CHECK(seconds < 60);
            }
            ++timed;
        }
    }
    CHECK(timed >= 5);
    CHECK(advice->at("measured").at("metric").get<std::string>().find("recovery-time") != std::string::npos);
}
