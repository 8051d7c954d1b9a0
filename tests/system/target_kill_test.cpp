// A tuner killed with SIGKILL while an area is mounted: what is left, and how the next run deals with it.
#include <csignal>

#include <doctest/doctest.h>
#include <sys/wait.h>

#include "base/text.h"

#include "system/target_support.h"

using namespace fsadvise;
using namespace fsadvise::tuner;
using namespace fsadvise::tuner::target_test;
namespace fs = std::filesystem;

namespace {

// A process of its own that opens, formats and mounts, and is killed then. A fork would share the test's
// mount namespace, so the test program is started anew.
void hold_and_kill(const TargetRequest& request) {
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    const std::string wanted = request.device + "|" + request.scratch_file + "|" + request.work_directory;
    const pid_t child = ::fork();
    if (child == 0) {
        ::dup2(ends[1], 3);
        ::setenv("FSADVISE_TEST_HOLD", wanted.c_str(), 1);
        ::execl("/proc/self/exe", "holder", "--no-skip", "-tc=holder:*", nullptr);
        ::_exit(127);
    }
    ::close(ends[1]);
    char ready = 'n';
    const auto length = ::read(ends[0], &ready, 1);
    ::close(ends[0]);
    ::kill(child, SIGKILL);
    REQUIRE(::waitpid(child, nullptr, 0) == child);
    REQUIRE(length == 1);
    REQUIRE(ready == 'y');
}

}  // namespace

TEST_CASE("holder: mounts what the environment names and waits to be killed" * doctest::skip()) {
    const char* wanted = std::getenv("FSADVISE_TEST_HOLD");
    if (!wanted) return;
    const auto words = split(wanted, '|');
    TargetRequest request;
    request.device = request.erase = words.at(0);
    request.scratch_file = words.at(1);
    request.size_bytes = request.device.empty() ? kSize : 0;
    request.work_directory = words.at(2);
    const Commands commands{{"mkfs.ext4"}, "", "ext4"};
    SystemProcessRunner runner;
    auto target = open_target(request, runner);
    REQUIRE(target);
    REQUIRE((*target)->format(1, commands, {"-F"}));
    auto mounted = (*target)->mount(1, commands);
    REQUIRE(mounted);
    REQUIRE(::write(3, "y", 1) == 1);
    while (true) ::pause();
}

TEST_CASE("a killed run leaves no mount, no loop device and no file") {
    if (!can_run()) return;
    const TemporaryFolder folder;
    const TargetRequest request = request_for_file(folder);
    hold_and_kill(request);
    CHECK(soon([&] { return loops_over(folder) == 0; }));
    CHECK_FALSE(fs::exists(folder.file("scratch")));
    // Only an empty folder is left, and the next run sweeps it.
    SystemProcessRunner runner;
    CHECK(open_target(request, runner).has_value());
    CHECK(fs::is_empty(folder.file("work")));
}

TEST_CASE("partitions of a killed run are removed by the next one") {
    if (!can_run()) return;
    const TemporaryFolder folder;
    const TestDisk disk(folder);
    const SystemFileReader files;
    const TargetRequest request = request_for_disk(folder, disk.path);
    hold_and_kill(request);
    REQUIRE(partitions_of(files, disk.name).size() == 2);
    CHECK(soon([&] { return check_target(request).has_value(); }));
    CHECK(partitions_of(files, disk.name).size() == 2);  // a check changes nothing
    {
        SystemProcessRunner runner;
        auto target = open_target(request, runner);
        REQUIRE_MESSAGE(target, to_text(target.error()));
        CHECK((*target)->format(0, {{"mkfs.ext4"}, "", "ext4"}, {"-F"}).has_value());
    }
    CHECK(partitions_of(files, disk.name).empty());
}
