// knowledge verify: the comparison itself, and a sample against the running kernel.
#include "tuner/verify/verify.h"

#include <chrono>
#include <filesystem>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "base/fd.h"
#include "space/knowledge_files.h"
#include "tuner/target/guest.h"

#include "support/command.h"
#include "support/loop.h"
#include "support/temporary_folder.h"

using namespace fsadvise;

namespace {

const Knowledge& knowledge() {
    static const Knowledge kLoaded = Knowledge::load(embedded_knowledge()).value();
    return kLoaded;
}

Request machine() {
    Host host;
    host.kernel = "6.12";
    host.page_size_bytes = 4096;
    host.tools = {
        {"e2fsprogs", "1.47.0"}, {"xfsprogs", "6.1.0"}, {"btrfs-progs", "6.2"}, {"f2fs-tools", "1.15.0"}};
    return tuner::verify_request(host, 600ull << 20);
}

}  // namespace

TEST_CASE("a prediction that fails is a disagreement, whichever way it fails") {
    const tuner::VerifyCase plain{"default", "xfs defaults", {"xfs", {}}, 600ull << 20, {}};
    tuner::VerifyOutcome fine{true, true, {}, {}};
    CHECK(tuner::judge_case(knowledge(), machine(), plain, fine).disagreements.empty());
    CHECK_FALSE(
        tuner::judge_case(knowledge(), machine(), plain, {false, false, "no", {}}).disagreements.empty());
    CHECK_FALSE(
        tuner::judge_case(knowledge(), machine(), plain, {true, false, "no", {}}).disagreements.empty());
    const tuner::VerifyCase bad{
        "value", "barrier", {"xfs", {{"xfs.mount.barrier", false}}}, 600ull << 20, {}};
    CHECK(tuner::judge_case(knowledge(), machine(), bad, {true, false, "no", {}}).disagreements.empty());
    CHECK_FALSE(tuner::judge_case(knowledge(), machine(), bad, fine).disagreements.empty());
    fine.read_back.effective["xfs.mkfs.reflink"] = false;
    CHECK_FALSE(tuner::judge_case(knowledge(), machine(), plain, fine).disagreements.empty());
}

TEST_CASE("most constraints have an example that violates them") {
    for (const char* filesystem : {"ext4", "xfs", "btrfs", "f2fs"}) {
        std::vector<tuner::VerifySkip> skipped;
        const auto cases = tuner::verify_cases(knowledge(), machine(), filesystem, skipped);
        std::size_t examples = 0;
        for (const auto& item : cases) examples += item.kind == "constraint" ? 1 : 0;
        CAPTURE(filesystem);
        CHECK(cases.size() > 50);
        CHECK(2 * examples > knowledge().constraints_of(filesystem).size());
    }
}

TEST_CASE("a sample of the table holds on this kernel") {
    if (const auto why = test::no_loop_devices()) {
        MESSAGE("SKIPPED: " << *why);
        return;
    }
    const auto file =
        std::filesystem::temp_directory_path() / ("fsadvise-verify-" + std::to_string(::getpid()));
    const bool all = std::getenv("FSADVISE_TEST_ALL") != nullptr;
    const auto result =
        test::run_fsadvise({"knowledge", "verify", "--every", all ? "1" : "8", "-o", file.string()});
    CAPTURE(result.output);
    CAPTURE(result.errors);
    CHECK(result.exit_code == 0);
    const auto text = read_file(file.string());
    std::filesystem::remove(file);
    REQUIRE(text);
    const auto evidence = nlohmann::json::parse(*text);
    CHECK(evidence["tried"].get<int>() > 20);
    CHECK(evidence["disagree"] == 0);
    CHECK_FALSE(evidence["kernel"].get<std::string>().empty());
}

TEST_CASE("a guest that is stopped by a signal ends at once and leaves no folder") {
    SystemProcessRunner runner;
    if (const auto able = tuner::check_guest(runner); !able) {
        MESSAGE("SKIPPED: " << to_text(able.error()));
        return;
    }
    const test::TemporaryFolder folder("guest");
    const auto stopped =
        runner.run({{"env", "TMPDIR=" + folder.path(""), "timeout", "--preserve-status", "--signal=TERM", "4",
                     FSADVISE_BINARY, "knowledge", "verify", "--guest", "--fs", "f2fs"},
                    {},
                    std::chrono::seconds(60)});
    REQUIRE(stopped);
    CHECK_FALSE(stopped->timed_out);
    CHECK(stopped->exit_code == 143);
    CHECK_MESSAGE(std::filesystem::is_empty(folder.path("")), stopped->errors);
}

TEST_CASE("a stopped verify releases everything and says so") {
    if (const auto why = test::no_loop_devices()) {
        MESSAGE("SKIPPED: " << *why);
        return;
    }
    SystemProcessRunner runner;
    // timeout(1) sends the signal; --preserve-status reports how the program ended.
    const auto stopped = runner.run(
        {{"timeout", "--preserve-status", "--signal=TERM", "2", FSADVISE_BINARY, "knowledge", "verify"}, {}});
    REQUIRE(stopped);
    CHECK(stopped->exit_code == 143);
    CHECK(stopped->errors.find("stopped after") != std::string::npos);
    const auto loops = runner.run({{"losetup", "--list", "--noheadings", "--output", "BACK-FILE"}, {}});
    REQUIRE(loops);
    CHECK(loops->output.find("fsadvise-verify") == std::string::npos);
    CHECK(read_file("/proc/self/mountinfo").value_or("").find("/run/fsadvise/") == std::string::npos);
}
