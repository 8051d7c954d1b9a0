// What every driver promises: it lays out, starts, runs slices, pauses, stops and leaves nothing; and refuses
// in words that help. A driver whose programs are missing is a reported skip.
#include <chrono>
#include <set>
#include <thread>

#include <doctest/doctest.h>

#include "tuner/drivers/child.h"
#include "tuner/drivers/driver_run.h"

#include "support/driver.h"

using namespace fsadvise;
using namespace fsadvise::tuner;

namespace {

void check_contract(const std::string& id) {
    if (!test::can_drive(id)) return;
    const test::OpenFolder folder;
    const std::string directory = folder.file("area");
    const DriverTask task = test::tiny_task(id);
    const auto driver = find_driver(id);
    REQUIRE(driver);

    CHECK_FALSE(is_initialised(task, directory));
    const auto filled = initialise(task, directory);
    REQUIRE_MESSAGE(filled, to_text(filled.error()));
    CHECK(is_initialised(task, directory));
    CHECK(descendants(::getpid()).empty());  // nothing is left running
    CHECK(test::private_folders() == 0);
    // Data that are there are never overwritten.
    const auto again = initialise(task, directory);
    REQUIRE_FALSE(again);
    CHECK(again.error().code == ErrorCode::kUnavailable);
    CHECK(is_initialised(task, directory));

    {
        auto session = start(task, directory);
        REQUIRE_MESSAGE(session, to_text(session.error()));
        for (int slice_number = 0; slice_number < 3; ++slice_number) {
            if (slice_number > 0) (*session)->resume();
            const auto slice = (*session)->run_slice(std::max(0.2, (*driver)->slice_seconds()));
            REQUIRE_MESSAGE(slice, to_text(slice.error()));
            CHECK(slice->operations > 0);
            CHECK(slice->seconds > 0);
            CHECK(slice->operations_per_s() > 0);
            // A transaction that loses a deadlock is reported and tried again; most must succeed.
            CHECK(static_cast<double>(slice->errors) <= 0.5 * slice->operations);
            CHECK(slice->latency.maximum() < 60'000'000'000);
            const auto paused = (*session)->pause();
            REQUIRE_MESSAGE(paused, to_text(paused.error()));
        }
    }
    CHECK(descendants(::getpid()).empty());
    CHECK_FALSE(std::filesystem::exists(directory));  // it was made for the run
    CHECK(test::private_folders() == 0);
}

}  // namespace

TEST_CASE("driver pgbench keeps the contract") {
    check_contract("pgbench");
}
TEST_CASE("driver mariadb keeps the contract") {
    check_contract("mariadb");
}
TEST_CASE("driver sqlite keeps the contract") {
    check_contract("sqlite");
}
TEST_CASE("driver dbench keeps the contract") {
    check_contract("dbench");
}
TEST_CASE("driver nginx keeps the contract") {
    check_contract("nginx");
}
TEST_CASE("driver build keeps the contract") {
    check_contract("build");
}
TEST_CASE("driver git keeps the contract") {
    check_contract("git");
}
TEST_CASE("driver command keeps the contract") {
    check_contract("command");
}

TEST_CASE("every driver is in the contract test, described and has sound defaults") {
    const std::set<std::string> tested = {"pgbench", "mariadb", "sqlite", "dbench",
                                          "nginx",   "build",   "git",    "command"};
    std::set<std::string> known;
    for (const Driver* driver : drivers()) {
        CAPTURE(driver->id());
        known.insert(driver->id());
        CHECK_FALSE(driver->title().empty());
        CHECK_FALSE(driver->about().empty());
        CHECK_FALSE(driver->operation().empty());
        CHECK(driver->whole_runs() == (driver->slice_seconds() == 0));
        CHECK(driver->slice_seconds() <= 1);
        for (const Program& program : driver->programs()) CHECK_FALSE(program.package.empty());
        if (driver->id() == "command") continue;  // has no default command
        const auto task = resolve_task(driver->id(), {});
        REQUIRE_MESSAGE(task, to_text(task.error()));
        CHECK(task->options.size() == driver->options().size());
        const auto factor = fitting_size_factor(*driver, *task, 1ull << 40);
        REQUIRE(factor);
        CHECK(*factor == 1);
        const auto small = fitting_size_factor(*driver, *task, 1ull << 30);
        REQUIRE_MESSAGE(small, to_text(small.error()));
        CHECK(*small > 0);
        CHECK(*small <= 1);
        const auto none = fitting_size_factor(*driver, *task, 1ull << 20);
        REQUIRE_FALSE(none);
        CHECK(none.error().code == ErrorCode::kUnavailable);
    }
    CHECK(known == tested);
}

TEST_CASE("the tests of a published comparison are settings of the drivers") {
    for (const char* id : {"sqlite-1", "sqlite-8", "dbench-6", "mariadb-128", "mariadb-256", "mariadb-512",
                           "pgbench-100-read-write", "pgbench-1000-read-write", "pgbench-1000-read-only"}) {
        CAPTURE(id);
        const auto task = resolve_task(id, {});
        REQUIRE_MESSAGE(task, to_text(task.error()));
        const auto driver = find_driver(task->driver);
        REQUIRE(driver);
        CHECK(fitting_size_factor(**driver, *task, 1ull << 40).value_or(0) == 1);
    }
    CHECK(resolve_task("sqlite-8", {})->number("copies") == 8);
    CHECK(resolve_task("sqlite-8", {{"copies", "3"}})->number("copies") == 3);  // one's own option wins
    CHECK(resolve_task("pgbench-1000-read-only", {})->text("mode") == "read-only");
    CHECK(resolve_task("mariadb-512", {})->number("clients") == 512);
}

TEST_CASE("drivers refuse what they do not know with the nearest word") {
    const auto check_refusal = [](const Result<DriverTask>& task, const char* words) {
        REQUIRE_FALSE(task);
        CHECK(task.error().code == ErrorCode::kUsage);
        CAPTURE(to_text(task.error()));
        CHECK(to_text(task.error()).find(words) != std::string::npos);
    };
    check_refusal(resolve_task("pgbnch", {}), "did you mean 'pgbench'");
    check_refusal(resolve_task("pgbench", {{"client", "3"}}), "did you mean 'clients'");
    check_refusal(resolve_task("pgbench", {{"clients", "many"}}), "whole number from 1 to 2000");
    check_refusal(resolve_task("pgbench", {{"clients", "0"}}), "whole number from 1 to 2000");
    check_refusal(resolve_task("pgbench", {{"clients", "3x"}}), "whole number from 1 to 2000");
    check_refusal(resolve_task("pgbench", {{"mode", "readonly"}}), "did you mean 'read-only'");
    check_refusal(resolve_task("command", {}), "no command given");
    check_refusal(resolve_task("command", {{"command", "true"}}), "{dir}");
    check_refusal(resolve_task("command", {{"command", "cat {dir}/a | wc"}}), "one simple command");
    check_refusal(resolve_task("command", {{"command", "ls {dir}"}, {"metric-regex", "("}}),
                  "not a regular expression");
    check_refusal(resolve_task("command", {{"command", "ls {dir}"}, {"metric-json-pointer", "a"}}),
                  "begins with /");
    const auto missing = resolve_task("command", {{"command", "no-such-program {dir}"}});
    REQUIRE_FALSE(missing);
    CHECK(missing.error().code == ErrorCode::kUnavailable);
}

TEST_CASE("a command's metric is read from JSON or text, and lower can be better") {
    const test::OpenFolder folder;
    const auto rate = [&](std::map<std::string, std::string> options) -> Result<double> {
        FSADVISE_ASSIGN(const DriverTask task, resolve_task("command", options));
        FSADVISE_ASSIGN(const auto session, prepare(task, folder.file("area")));
        FSADVISE_ASSIGN(const Slice slice, session->run_slice(1));
        return slice.operations_per_s();
    };
    const std::string json = "echo '{\"jobs\": [{\"iops\": 250.5}], \"where\": \"{dir}\"}'";
    CHECK(rate({{"command", json}, {"metric-json-pointer", "/jobs/0/iops"}}).value_or(0) ==
          doctest::Approx(250.5));
    CHECK(rate({{"command", json}, {"metric-regex", "iops\": ([0-9.]+)"}, {"better", "lower"}}).value_or(0) ==
          doctest::Approx(1 / 250.5));
    const auto wrong_place = rate({{"command", json}, {"metric-json-pointer", "/jobs/1/iops"}});
    REQUIRE_FALSE(wrong_place);
    CHECK(wrong_place.error().code == ErrorCode::kRunFailed);
    const auto no_match = rate({{"command", json}, {"metric-regex", "bandwidth=([0-9]+)"}});
    REQUIRE_FALSE(no_match);
    CHECK(to_text(no_match.error()).find("matches nothing") != std::string::npos);
    const auto failed = rate({{"command", "ls {dir}/not-there"}});
    REQUIRE_FALSE(failed);
    CHECK(failed.error().code == ErrorCode::kRunFailed);
    CHECK(to_text(failed.error()).find("No such file") != std::string::npos);
    // The time of the run itself is the metric where none is named.
    const auto timed = rate({{"command", "sleep 0.2 {dir}"}});
    REQUIRE_FALSE(timed);  // sleep refuses the directory: the failure is seen although a time was taken
}

TEST_CASE("a duet of a driver alternates and a single run counts") {
    const test::OpenFolder folder;
    const DriverTask task = test::tiny_task("sqlite");
    EngineOptions options;
    options.seconds = 1.2;
    options.warmup_seconds = 0.2;
    const auto duet = run_driver_duet(task, folder.file("a"), folder.file("b"), options);
    REQUIRE_MESSAGE(duet, to_text(duet.error()));
    CHECK(duet->log_ratios.size() >= 2);
    CHECK(duet->candidate.window_rates.size() == duet->anchor.window_rates.size());
    CHECK(duet->candidate.operations > 0);
    CHECK(duet->candidate.latency.count() > 0);
    CHECK(std::abs(duet->log_ratio) < 1);
    CHECK(duet->log_ratio_deviation > 0);
    const auto single = run_driver_single(task, folder.file("c"), options);
    REQUIRE_MESSAGE(single, to_text(single.error()));
    CHECK(single->seconds >= 1.0);
    CHECK(single->rate() > 0);
    for (const char* side : {"a", "b", "c"}) CHECK_FALSE(std::filesystem::exists(folder.file(side)));

    // A stop ends the run early and says so.
    const auto begin = std::chrono::steady_clock::now();
    options.seconds = 60;
    options.stop = [&] { return std::chrono::steady_clock::now() - begin > std::chrono::milliseconds(1500); };
    const auto stopped = run_driver_duet(task, folder.file("a"), folder.file("b"), options);
    CHECK((!stopped ? stopped.error().code == ErrorCode::kInterrupted : stopped->stopped));
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(30));
}
