// Scratch targets for real: a file, a disk, a partition; every filesystem formatted, mounted, unmounted.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "tuner/target/scratch_file.h"

#include "system/target_support.h"

using namespace fsadvise;
using namespace fsadvise::tuner;
using namespace fsadvise::tuner::target_test;
namespace fs = std::filesystem;

TEST_CASE("a scratch file: format, mount, unmount, and nothing left") {
    if (!can_run()) return;
    const TemporaryFolder folder;
    SystemProcessRunner runner;
    {
        auto target = open_target(request_for_file(folder), runner);
        REQUIRE_MESSAGE(target, to_text(target.error()));
        CHECK((*target)->areas() == 2);
        CHECK((*target)->area_bytes() == 349 * kMiB);
        CHECK((*target)->area_device(0) != (*target)->area_device(1));
        CHECK((*target)->stands_for() == "a loop file in RAM (tmpfs)");
        CHECK((*target)->medium() == "ram");
        CHECK_FALSE(fs::exists(folder.file("scratch")));
        CHECK(loops_over(folder) == 2);
        format_and_mount_all(**target);
    }
    CHECK(soon([&] { return loops_over(folder) == 0; }));
    CHECK_FALSE(fs::exists(folder.file("work")));  // it was made for this run
}

TEST_CASE("a scratch file that was left behind is used again") {
    if (!can_run()) return;
    const TemporaryFolder folder;
    std::ofstream(folder.file("scratch")) << kScratchMarker;
    SystemProcessRunner runner;
    auto target = open_target(request_for_file(folder), runner);
    REQUIRE_MESSAGE(target, to_text(target.error()));
    CHECK_FALSE(fs::exists(folder.file("scratch")));
}

TEST_CASE("a scratch file on a disk filesystem has its space reserved") {
    if (!can_run()) return;
    std::string pattern = "/var/tmp/fsadvise-test.XXXXXX";
    const std::string path = ::mkdtemp(pattern.data());
    SystemProcessRunner runner;
    TargetRequest request;
    request.scratch_file = path + "/scratch";
    request.size_bytes = kSize;
    const BackingPlace place = backing_place(SystemFileReader(), request.scratch_file);
    if (place.in_memory() || place.filesystem == "overlay") {
        MESSAGE("SKIPPED: /var/tmp is on ", place.filesystem);
    } else if (auto target = open_target(request, runner); target) {
        CHECK((*target)->medium() == "loop");
        CHECK((*target)->stands_for() ==
              fmt::format("a loop file on {} ({})", place.filesystem, place.mount_point));
        format_and_mount_all(**target);
    } else {
        MESSAGE("SKIPPED: ", to_text(target.error()));
    }
    fs::remove_all(path);
}

TEST_CASE("a device: partitions in the kernel only") {
    if (!can_run()) return;
    const TemporaryFolder folder;
    const TestDisk disk(folder);
    const SystemFileReader files;
    SystemProcessRunner runner;
    {
        auto target = open_target(request_for_disk(folder, disk.path), runner);
        REQUIRE_MESSAGE(target, to_text(target.error()));
        CHECK((*target)->area_device(0) == disk.path + "p1");
        CHECK((*target)->area_device(1) == disk.path + "p2");
        CHECK((*target)->stands_for() == "the device " + disk.path);
        CHECK((*target)->medium() == "ram");
        CHECK(partitions_of(files, disk.name).size() == 2);
        format_and_mount_all(**target);
        // Taken is taken.
        CHECK_FALSE(open_target(request_for_disk(folder, disk.path), runner));
    }
    CHECK(partitions_of(files, disk.name).empty());
    // No table was written: the next run finds it as blank as this one did.
    CHECK(check_target(request_for_disk(folder, disk.path)).has_value());
}

TEST_CASE("a partition as the device goes through loop devices") {
    if (!can_run()) return;
    const TemporaryFolder folder;
    const TestDisk disk(folder);
    run_tool({"addpart", disk.path, "3", "2048", std::to_string(690 * kMiB / 512)});
    SystemProcessRunner runner;
    {
        auto target = open_target(request_for_disk(folder, disk.path + "p3"), runner);
        REQUIRE_MESSAGE(target, to_text(target.error()));
        CHECK((*target)->stands_for() == "the device " + disk.path + "p3, through loop devices");
        format_and_mount_all(**target);
    }
    CHECK(soon([&] { return check_target(request_for_disk(folder, disk.path + "p3")).has_value(); }));
    run_tool({"delpart", disk.path, "3"});
}

TEST_CASE("a mount that is busy is detached, so that the run can go on") {
    if (!can_run()) return;
    const TemporaryFolder folder;
    SystemProcessRunner runner;
    auto target = open_target(request_for_file(folder), runner);
    REQUIRE_MESSAGE(target, to_text(target.error()));
    REQUIRE((*target)->format(0, {{"mkfs.ext4"}, "", "ext4"}, {"-F"}));
    auto mounted = (*target)->mount(0, {{"mkfs.ext4"}, "", "ext4"});
    REQUIRE(mounted);
    const auto busy = Fd::open((*mounted)->directory() + "/file", O_RDWR | O_CREAT, 0600);
    REQUIRE(busy);
    mounted->reset();
    CHECK(mount_points_of((*target)->area_device(0)).empty());
}
