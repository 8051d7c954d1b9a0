// Every script in examples/ runs as its own comment promises.
#include <filesystem>
#include <set>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "support/command.h"
#include "support/loop.h"
#include "support/replay_generator.h"
#include "support/temporary_folder.h"

using namespace fsadvise;

namespace {

ProcessResult run_example(const std::string& name) {
    SystemProcessRunner runner;
    const std::string script = std::string(FSADVISE_SOURCE_DIR) + "/examples/" + name;
    const auto result = runner.run(
        {{"env", std::string("FSADVISE=") + FSADVISE_BINARY, "CONFIRM=2", "TRIALS=3", "sh", script},
         {},
         std::chrono::minutes(5)});
    return result ? *result : ProcessResult{127, false, {}, to_text(result.error())};
}

}  // namespace

TEST_CASE("every example is known here") {
    const std::set<std::string> known = {"README.md", "advise.sh",    "recipes.sh",     "check-recipes.sh",
                                         "tune.sh",   "provision.sh", "optuna_study.py"};
    std::set<std::string> found;
    for (const auto& entry :
         std::filesystem::directory_iterator(std::string(FSADVISE_SOURCE_DIR) + "/examples")) {
        found.insert(entry.path().filename());
    }
    CHECK(found == known);
}

TEST_CASE("examples/advise.sh") {
    const auto result = run_example("advise.sh");
    CAPTURE(result.errors);
    CHECK(result.exit_code == 0);
    CHECK(result.output.find("mkfs.xfs") != std::string::npos);
    CHECK(result.output.find("backup on: btrfs") != std::string::npos);
}

TEST_CASE("examples/check-recipes.sh") {
    const auto result = run_example("check-recipes.sh");
    CAPTURE(result.output);
    CHECK(result.exit_code == 0);
    std::size_t fail = 0, work = 0;
    for (std::size_t at = 0; (at = result.output.find("does not mount", at)) != std::string::npos; ++at)
        ++fail;
    for (std::size_t at = 0; (at = result.output.find("formats and mounts", at)) != std::string::npos; ++at)
        ++work;
    CHECK(fail >= 4);
    CHECK(work == 2);
}

TEST_CASE("examples/tune.sh") {
    if (const auto reason = test::no_loop_devices()) {
        MESSAGE("SKIPPED: " << *reason);
        return;
    }
    const auto result = run_example("tune.sh");
    CAPTURE(result.errors);
    CHECK(result.exit_code == 0);
    CHECK(result.output.find("# Filesystem advice for") != std::string::npos);
}

TEST_CASE("examples/provision.sh writes a script that shellcheck accepts") {
    const auto result = run_example("provision.sh");
    CHECK(result.exit_code == 0);
    CHECK(result.output.starts_with("#!/bin/sh\n"));
    SystemProcessRunner runner;
    if (runner.find("shellcheck").empty()) {
        MESSAGE("SKIPPED: shellcheck is not installed");
        return;
    }
    const auto checked = runner.run({{"shellcheck", "-"}, result.output});
    REQUIRE(checked.has_value());
    CAPTURE(checked->output);
    CHECK(checked->exit_code == 0);
}

TEST_CASE("examples/optuna_study.py drives a replay") {
    SystemProcessRunner runner;
    const auto have = runner.run({{"/usr/bin/python3", "-c", "import optuna"}, {}, std::chrono::minutes(1)});
    if (!have || have->exit_code != 0) {
        MESSAGE("SKIPPED: no optuna for /usr/bin/python3");
        return;
    }
    const test::TemporaryFolder folder("optuna");
    test::GeneratedTableOptions small;
    small.singles = 5, small.combinations = 3, small.repeats = 2;
    const std::string table = folder.write("t.jsonl", test::generated_table(small));
    const auto result =
        runner.run({{"/usr/bin/python3", std::string(FSADVISE_SOURCE_DIR) + "/examples/optuna_study.py",
                     table, "--trials", "15", "--fsadvise", FSADVISE_BINARY},
                    {},
                    std::chrono::minutes(2)});
    REQUIRE(result.has_value());
    CAPTURE(result->errors);
    CHECK(result->exit_code == 0);
    const auto line = nlohmann::json::parse(result->output, nullptr, false);
    REQUIRE(line.is_object());
    REQUIRE(line["regret"].size() == 15);
    CHECK(line["regret"].back() <= line["regret"].front());
}
