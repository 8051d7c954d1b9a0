// fsadvise workload and capture on the command line: files in, files out, errors in one line.
#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "support/command.h"
#include "support/temporary_folder.h"

using fsadvise::test::check_refusal;
using fsadvise::test::run_fsadvise;
using fsadvise::test::TemporaryFolder;

namespace {

constexpr const char* kJob =
    "[db]\nrw=randrw\nbs=8k\nsize=1g\ndirect=1\nioengine=io_uring\niodepth=4\nfdatasync=1\n";

}  // namespace

TEST_CASE("an imported workload is advised on like a known one") {
    const TemporaryFolder folder("workload-cli");
    const auto job = folder.write("shop.fio", kJob), file = folder.path("shop.json");
    const auto imported = run_fsadvise({"workload", "import", job, "-o", file});
    CAPTURE(imported.errors);
    REQUIRE(imported.exit_code == 0);
    CHECK(imported.output.empty());
    CHECK(imported.errors.find("--workload " + file) != std::string::npos);
    const auto advice =
        run_fsadvise({"--workload", file, "--kernel", "6.1", "--distro", "debian12", "--json"});
    CAPTURE(advice.errors);
    REQUIRE(advice.exit_code == 0);
    const auto document = nlohmann::json::parse(advice.output);
    CHECK(document["request"]["workload"] == "shop");
    CHECK(document["ranked"].size() > 0);
    const auto shown = run_fsadvise({"workload", "show", file});
    CHECK(shown.output.find("shop") != std::string::npos);
    CHECK(shown.output.find("direct-io") != std::string::npos);
    CHECK(shown.output.find("4 clients on db, direct") != std::string::npos);
    CHECK(run_fsadvise({"explain", "--workload", file, "xfs"}).exit_code == 0);
    // On standard output without -o, notes on standard error only.
    const auto piped = run_fsadvise({"workload", "import", job, "--id", "mine"});
    CHECK(nlohmann::json::parse(piped.output)["id"] == "mine");
}

TEST_CASE("jobs that wait for others come and go as phases, limits and sizes with them") {
    const TemporaryFolder folder("workload-phases");
    const auto job = folder.write("two.fio",
                                  "[fill]\nrw=write\nbs=1m\nsize=64m\nfilename=x\n[read]\nstonewall\nrw="
                                  "randread\nsize=64m\nfilename=x\n"
                                  "bssplit=4k/75:16k/25\nrate_iops=500\n");
    const auto file = folder.path("two.json");
    REQUIRE(run_fsadvise({"workload", "import", job, "-o", file}).exit_code == 0);
    const auto shown = run_fsadvise({"workload", "show", file});
    CAPTURE(shown.output);
    CHECK(shown.output.find("phase-1: fill, 64 loops") != std::string::npos);
    CHECK(shown.output.find("phase-2: read; this one is the result") != std::string::npos);
    CHECK(shown.output.find("read 4KiB 75 % / 16KiB 25 %") != std::string::npos);
    CHECK(shown.output.find("500 loops a second") != std::string::npos);
    const auto exported = run_fsadvise({"workload", "export", file, "--to", "fio"});
    CAPTURE(exported.output);
    CHECK(exported.exit_code == 0);
    CHECK(exported.output.find("number_ios=64") != std::string::npos);
    CHECK(exported.output.find("stonewall=1") != std::string::npos);
    CHECK(exported.output.find("rate_iops=500") != std::string::npos);
    CHECK(exported.output.find("# lost") == std::string::npos);
    const auto again = run_fsadvise({"workload", "import", folder.write("again.fio", exported.output)});
    REQUIRE(again.exit_code == 0);
    const auto first = run_fsadvise({"workload", "show", file, "--json"});
    CHECK(nlohmann::json::parse(again.output)["load"] == nlohmann::json::parse(first.output)["load"]);
}

TEST_CASE("a file of a known id takes its place, and its traits decide") {
    const TemporaryFolder folder("workload-own");
    const auto shown = run_fsadvise({"workload", "show", "postgres", "--json"});
    REQUIRE(shown.exit_code == 0);
    auto document = nlohmann::json::parse(shown.output);
    document["title"] = "Our own PostgreSQL";
    const auto file = folder.write("postgres.json", document.dump());
    const auto advice = run_fsadvise({"--workload", file, "--kernel", "6.1"});
    CAPTURE(advice.errors);
    CHECK(advice.exit_code == 0);
    CHECK(advice.output.find("Our own PostgreSQL") != std::string::npos);
    document["traitz"] = document["traits"];
    check_refusal({"--workload", folder.write("bad.json", document.dump())}, 3,
                  {"bad.json", "traitz", "traits"});
    document.erase("traitz");
    document["load"]["streams"][0]["steps"][0]["operation"] = "raed";
    check_refusal({"--workload", folder.write("bad.json", document.dump())}, 3, {"bad.json", "raed", "read"});
    document["load"]["streams"][0]["steps"][0]["operation"] = "read";
    // What contradicts itself is refused with the place in the file.
    const nlohmann::json sound = document;
    document["load"]["file_sets"][0]["files"] = 0;
    check_refusal({"--workload", folder.write("bad.json", document.dump())}, 3,
                  {"bad.json", "/file_sets/0/files", "zero files"});
    document = sound;
    for (auto& stream : document["load"]["streams"]) stream["counts"] = false;
    check_refusal({"--workload", folder.write("bad.json", document.dump())}, 3,
                  {"bad.json", "no stream counts", "counts"});
    document["load"] = nullptr;
    check_refusal({"--workload", folder.write("bad.json", document.dump())}, 3, {"bad.json"});
    check_refusal({"--workload", folder.path("absent.json")}, 3, {"absent.json"});
    check_refusal({"--workload", folder.write("text.json", "no")}, 3, {"text.json", "JSON"});
}

TEST_CASE("list, show and export know ids and aliases") {
    CHECK(run_fsadvise({"workload", "list"}).output.find("postgres") != std::string::npos);
    CHECK(run_fsadvise({"workload", "show", "postgresql"}).output.find("commit 8KiB on wal") !=
          std::string::npos);
    const auto exported = run_fsadvise({"workload", "export", "postgres", "--to", "fio"});
    CHECK(exported.exit_code == 0);
    CHECK(exported.output.find("[backend-heap]") != std::string::npos);
    CHECK(exported.output.find("# lost: ") != std::string::npos);
    CHECK(exported.errors.find("lost: ") != std::string::npos);
    CHECK(run_fsadvise({"workload", "export", "postgres", "--to", "fio", "--quiet"}).errors.empty());
    check_refusal({"workload", "show", "postgers"}, 2, {"did you mean 'postgres'"});
    check_refusal({"workload", "export", "postgres", "--to", "fo"}, 2, {"--to"});
    check_refusal({"workload"}, 2, {"subcommand"});
}

TEST_CASE("files that cannot be imported are bad input, lenient imports list what is lost") {
    const TemporaryFolder folder("workload-bad");
    const auto job = folder.write("v.fio", std::string(kJob) + "verify=md5\n");
    check_refusal({"workload", "import", job}, 3, {"v.fio:9", "verify", "--lenient"});
    const auto lenient = run_fsadvise({"workload", "import", job, "--lenient"});
    CHECK(lenient.exit_code == 0);
    CHECK(lenient.errors.find("note: not carried over:") != std::string::npos);
    CHECK(nlohmann::json::parse(lenient.output)["notes"].dump().find("verify=md5") != std::string::npos);
    check_refusal({"workload", "import", folder.write("x", "")}, 3, {"empty"});
    check_refusal({"workload", "import", "/nonexistent/x"}, 3, {"/nonexistent/x"});
    check_refusal({"workload", "import", job, "--section", "bd"}, 2, {"did you mean 'db'"});
    check_refusal({"workload", "import", job, job}, 2, {"blktrace"});
    check_refusal({"workload", "import", job, "--id", "Mine"}, 2, {"mine"});
    check_refusal({"workload", "import", job, "--from", "blktrace"}, 3, {"byte 0", "magic"});
}

TEST_CASE("a capture names what it cannot watch") {
    check_refusal({"capture"}, 2, {"--path DIR"});
    check_refusal({"capture", "--path", "/nonexistent/x"}, 2, {"/nonexistent/x"});
    check_refusal({"capture", "--path", "/tmp", "--seconds", "0"}, 2, {"--seconds"});
    check_refusal({"capture", "--path", "/tmp", "--seconds", "soon"}, 2, {"--seconds"});
    check_refusal({"capture", "--device", "/dev/null"}, 2, {"/dev/null", "block device"});
}
