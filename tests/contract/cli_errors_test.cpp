// Bad input on the command line: one clear line, the documented exit status, nothing touched.
#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/command.h"

using fsadvise::test::check_refusal;
using fsadvise::test::run_fsadvise;

namespace {

std::filesystem::path fresh_folder(const char* name) {
    const auto folder = std::filesystem::temp_directory_path() /
                        (std::string("fsadvise-cli-") + name + std::to_string(::getpid()));
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    return folder;
}

}  // namespace

TEST_CASE("unknown words name the nearest known one") {
    check_refusal({"--workload", "postgers"}, 2, {"postgers", "did you mean 'postgres'"});
    check_refusal({"--wrokload", "postgres"}, 2, {"--wrokload", "did you mean '--workload'"});
    check_refusal({"recomend"}, 2, {"recomend", "did you mean 'recommend'"});
    check_refusal({"--workload", "postgres", "--require", "snapshot"}, 2, {"did you mean 'snapshots'"});
    check_refusal({"--workload", "postgres", "--media", "nvm"}, 2, {"did you mean 'nvme'"});
    check_refusal({"--workload", "postgres", "--fs", "ext5"}, 2, {"ext5", "did you mean 'ext4'"});
    check_refusal({"--workload", "postgres", "--distro", "debain12"}, 2, {"did you mean 'debian12'"});
}

TEST_CASE("malformed values are refused") {
    check_refusal({"--workload", "postgres", "--size", "12X"}, 2, {"12X", "--size"});
    check_refusal({"--workload", "postgres", "--size", "0"}, 2, {"--size"});
    check_refusal({"--workload", "postgres", "--cores", "0"}, 2, {"--cores"});
    check_refusal({"--workload", "postgres", "--kernel", "new"}, 2, {"--kernel"});
    check_refusal({"--workload", "postgres", "--durability", "strikt"}, 2, {"did you mean 'strict'"});
    check_refusal({"--cores", "4"}, 2, {"no workload", "postgres"});
}

TEST_CASE("files that are missing or malformed are bad input") {
    check_refusal({"check", "/nonexistent/fstab"}, 3, {"/nonexistent/fstab", "No such file"});
    check_refusal({"report", "/nonexistent/study"}, 3, {"/nonexistent/study"});
    const auto folder = fresh_folder("files");
    std::ofstream(folder / "host.json") << "{\"kernel\": \"6.1\", \"coers\": 4}";
    check_refusal({"--workload", "postgres", "--host", folder / "host.json"}, 3, {"coers", "cores"});
    std::ofstream(folder / "text.json") << "not json";
    check_refusal({"--workload", "postgres", "--host", folder / "text.json"}, 3, {"not JSON"});
    check_refusal({"--workload", "postgres", "--knowledge", folder / "absent"}, 3, {"absent"});
    std::filesystem::remove_all(folder);
}

TEST_CASE("a malformed knowledge file is named with the place in it") {
    const auto folder = fresh_folder("knowledge");
    std::filesystem::copy(std::filesystem::path(FSADVISE_SOURCE_DIR) / "knowledge", folder / "k",
                          std::filesystem::copy_options::recursive);
    std::ofstream(folder / "k/rules/zz-broken.json")
        << R"({"schema_version": 1, "kind": "rules", "rules": [{"id": "R-X-001", "wen": "true", "then": []}]})";
    check_refusal({"--workload", "postgres", "--knowledge", folder / "k"}, 3,
                  {"zz-broken.json", "/rules/0", "wen"});
    std::filesystem::remove_all(folder);
}

TEST_CASE("a tune that cannot start touches nothing and says what to do") {
    const auto folder = fresh_folder("tune");
    const std::string study = folder / "s.sqlite";
    check_refusal({"tune", "--workload", "postgres"}, 2, {"--scratch-file"});
    check_refusal({"tune", "--workload", "postgres", "--scratch-file", folder / "s"}, 2, {"--size"});
    check_refusal({"tune", "--workload", "postgres", "--device", "/dev/fsadvise-none", "--erase",
                   "/dev/fsadvise-none", "--study", study},
                  4, {"/dev/fsadvise-none"});
    check_refusal(
        {"tune", "--workload", "postgres", "--device", "/dev/null", "--erase", "/dev/zero", "--study", study},
        2, {"/dev/null"});
    std::ofstream(folder / "mine") << "my own data";
    check_refusal({"tune", "--workload", "postgres", "--scratch-file", folder / "mine", "--size", "2G",
                   "--study", study},
                  4, {"mine"});
    std::ifstream mine(folder / "mine");
    CHECK(std::string(std::istreambuf_iterator<char>(mine), {}) == "my own data");
    CHECK_FALSE(std::filesystem::exists(study));
    std::filesystem::remove_all(folder);
}

TEST_CASE("no arguments: three examples, help on every level, a version") {
    const auto bare = run_fsadvise({});
    CHECK(bare.exit_code == 0);
    CHECK(bare.output.find("fsadvise --workload postgres --cores 4") != std::string::npos);
    CHECK(run_fsadvise({"--help"}).exit_code == 0);
    CHECK(run_fsadvise({"--version"}).output.starts_with("fsadvise "));
    for (const char* command : {"recommend", "tune", "check", "report", "probe"}) {
        const auto help = run_fsadvise({command, "--help"});
        CHECK(help.exit_code == 0);
        CHECK(help.output.find("--output") != std::string::npos);
    }
}

TEST_CASE("a full or closed output is an error, not a success") {
    if (::access("/dev/full", W_OK) != 0) {
        MESSAGE("SKIPPED: no /dev/full here");
        return;
    }
    ::fsadvise::SystemProcessRunner runner;
    const auto result =
        runner.run({{"sh", "-c", std::string(FSADVISE_BINARY) + " --workload postgres >/dev/full"}, {}});
    REQUIRE(result.has_value());
    CHECK(result->exit_code == 5);
    CHECK(result->errors.find("No space left") != std::string::npos);
}
