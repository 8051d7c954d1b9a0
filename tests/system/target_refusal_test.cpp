// Scratch targets that must refuse, each with its reason, and leave everything as it was.
#include <doctest/doctest.h>

#include "system/target_support.h"

using namespace fsadvise;
using namespace fsadvise::tuner;
using namespace fsadvise::tuner::target_test;
namespace fs = std::filesystem;

namespace {

std::string refusal(const TargetRequest& request) {
    SystemProcessRunner runner;
    const auto checked = check_target(request);
    const auto opened = open_target(request, runner);
    REQUIRE_FALSE(opened);
    REQUIRE_FALSE(checked);
    CHECK(to_text(opened.error()) == to_text(checked.error()));
    return checked.error().message;
}

// A DOS table with one Linux partition of 100 MiB.
void write_partition_table(const std::string& device) {
    const auto disk = Fd::open(device, O_RDWR);
    REQUIRE(disk);
    std::string sector(512, '\0');
    sector[446 + 4] = '\x83';
    sector[446 + 9] = '\x08';   // starts at sector 2048
    sector[446 + 13] = '\x20';  // 204800 sectors, little endian
    sector[446 + 14] = '\x03';
    sector[510] = '\x55';
    sector[511] = '\xAA';
    REQUIRE(::pwrite(disk->get(), sector.data(), sector.size(), 0) == 512);
    REQUIRE(::fsync(disk->get()) == 0);
}

}  // namespace

TEST_CASE("a device that carries something is refused, unless told to overwrite") {
    if (!can_run()) return;
    const TemporaryFolder folder;
    const TestDisk disk(folder);
    const SystemFileReader files;
    SystemProcessRunner runner;
    TargetRequest request = request_for_disk(folder, disk.path);

    run_tool({"mkfs.ext4", "-q", "-F", "-L", "precious", disk.path});
    CHECK(refusal(request) == "carries a signature (ext4, label 'precious')");
    run_tool({"wipefs", "-q", "-a", disk.path});
    run_tool({"mkswap", disk.path});
    CHECK(refusal(request) == "carries a signature (swap)");
    run_tool({"wipefs", "-q", "-a", disk.path});

    write_partition_table(disk.path);
    CHECK(refusal(request) == "carries a partition table (dos)");
    request.overwrite_signature = true;
    CHECK(check_target(request).has_value());
    request.overwrite_signature = false;
    CHECK(refusal(request) == "carries a partition table (dos)");  // the check has changed nothing
    request.overwrite_signature = true;
    {
        auto target = open_target(request, runner);
        REQUIRE_MESSAGE(target, to_text(target.error()));
        format_and_mount_all(**target);
    }
    request.overwrite_signature = false;
    CHECK(check_target(request).has_value());
    CHECK(partitions_of(files, disk.name).empty());
}

TEST_CASE("a device in use is refused whatever is said") {
    if (!can_run()) return;
    const TemporaryFolder folder;
    const TestDisk disk(folder);
    TargetRequest request = request_for_disk(folder, disk.path);
    request.overwrite_signature = true;

    SUBCASE("mounted") {
        run_tool({"mkfs.ext4", "-q", "-F", disk.path});
        fs::create_directory(folder.file("mnt"));
        run_tool({"mount", "-t", "ext4", disk.path, folder.file("mnt")});
        CHECK(refusal(request) == "is mounted at " + folder.file("mnt"));
        run_tool({"umount", folder.file("mnt")});
    }
    SUBCASE("mounted partition") {
        run_tool({"addpart", disk.path, "1", "2048", "400000"});
        run_tool({"mkfs.ext4", "-q", "-F", disk.path + "p1"});
        fs::create_directory(folder.file("mnt"));
        run_tool({"mount", "-t", "ext4", disk.path + "p1", folder.file("mnt")});
        CHECK(refusal(request) == disk.name + "p1 is mounted at " + folder.file("mnt"));
        run_tool({"umount", folder.file("mnt")});
        // Not ours by size, and no table explains it.
        CHECK(refusal(request) == "has partitions in the kernel that no table on it explains");
        run_tool({"delpart", disk.path, "1"});
    }
    SUBCASE("below a loop device") {
        const auto backing = Fd::open(disk.path, O_RDWR);
        REQUIRE(backing);
        const auto loop = LoopDevice::attach(backing->get(), disk.path, 0, kSize);
        REQUIRE(loop);
        CHECK(refusal(request).starts_with("lies below the loop device loop"));
    }
    SUBCASE("claimed") {
        const auto claim = Fd::open(disk.path, O_RDONLY | O_EXCL);
        REQUIRE(claim);
        CHECK(refusal(request).starts_with("is held by another program or kernel subsystem"));
    }
    SUBCASE("too small") {
        TemporaryFolder other;
        const TestDisk small(other, 200 * kMiB);
        CHECK(refusal(request_for_disk(other, small.path)) ==
              "is too small: 200MiB, two areas need at least 258MiB");
    }
}

TEST_CASE("refused formats and mounts say why") {
    if (!can_run()) return;
    const TemporaryFolder folder;
    SystemProcessRunner runner;
    auto target = open_target(request_for_file(folder), runner);
    REQUIRE_MESSAGE(target, to_text(target.error()));
    const auto formatted = (*target)->format(0, {{"mkfs.ext4", "-b", "1000"}, "", "ext4"}, {"-F"});
    REQUIRE_FALSE(formatted);
    CHECK(formatted.error().code == ErrorCode::kRunFailed);
    CHECK(formatted.error().message.find("block size") != std::string::npos);
    REQUIRE((*target)->format(0, {{"mkfs.ext4"}, "", "ext4"}, {"-F"}));
    const auto mounted = (*target)->mount(0, {{"mkfs.ext4"}, "nosuchoption", "ext4"});
    REQUIRE_FALSE(mounted);
    CHECK(mounted.error().code == ErrorCode::kRunFailed);
    if (::access("/dev/kmsg", R_OK) == 0) {
        CHECK(mounted.error().message.find("the kernel says") != std::string::npos);
        CHECK(mounted.error().message.find("nosuchoption") != std::string::npos);
    }
    CHECK((*target)->mount(0, {{"mkfs.ext4"}, "", "ext4"}).has_value());
}
