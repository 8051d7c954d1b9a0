// Scratch targets for real: loop devices, kernel partitions, mkfs, mount, refusals, and a kill in the middle.
//
// Everything here happens on files below /dev/shm and loop devices made by the test. Needs root and loop
// devices.
#include "tuner/target/target.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/file_reader.h"
#include "base/text.h"
#include "base/units.h"
#include "host/mount_table.h"
#include "host/sysfs_block.h"
#include "tuner/target/area_layout.h"
#include "tuner/target/loop_device.h"
#include "tuner/target/mount_namespace.h"
#include "tuner/target/scratch_file.h"

using namespace fsadvise;
using namespace fsadvise::tuner;

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kSize = 700 * kMiB;  // areas large enough for XFS

bool can_run() {
    if (::geteuid() != 0) {
        MESSAGE("SKIPPED: formatting and mounting need root");
        return false;
    }
    if (::access("/dev/loop-control", R_OK | W_OK) != 0) {
        MESSAGE("SKIPPED: no loop devices here");
        return false;
    }
    if (!enter_private_mount_namespace()) {
        MESSAGE("SKIPPED: no private mount namespace here");
        return false;
    }
    return true;
}

class TemporaryFolder {
  public:
    TemporaryFolder() {
        std::string pattern = "/dev/shm/fsadvise-test.XXXXXX";
        path_ = ::mkdtemp(pattern.data());
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    [[nodiscard]] std::string file(const std::string& name) const { return path_ + "/" + name; }
    [[nodiscard]] const std::string& path() const { return path_; }

  private:
    std::string path_;
};

// A loop device that plays the disk to be erased.
struct TestDisk {
    explicit TestDisk(const TemporaryFolder& folder, std::uint64_t size_bytes = kSize)
        : file(*Fd::open(folder.file("disk"), O_RDWR | O_CREAT | O_EXCL, 0600)) {
        REQUIRE(::ftruncate(file.get(), static_cast<off_t>(size_bytes)) == 0);
        auto loop = LoopDevice::attach(file.get(), folder.file("disk"), 0, size_bytes);
        REQUIRE(loop);
        path = loop->path();
        keeper = loop->release_descriptor();
        name = path.substr(5);
    }
    Fd file, keeper;
    std::string path, name;
};

struct FileSystem {
    const char* id;
    const char* mkfs;
    const char* force;
    const char* options;
    long magic;
};
// EXT4_SUPER_MAGIC, XFS_SUPER_MAGIC, BTRFS_SUPER_MAGIC of <linux/magic.h>
const FileSystem kFileSystems[] = {{"ext4", "mkfs.ext4", "-F", "noatime", 0xEF53},
                                   {"xfs", "mkfs.xfs", "-f", "logbsize=256k", 0x58465342},
                                   {"btrfs", "mkfs.btrfs", "-f", "", 0x9123683E}};

Commands commands_of(const FileSystem& system) {
    return {{system.mkfs}, system.options, system.id};
}

bool is_available(const FileSystem& system, SystemProcessRunner& runner) {
    const std::string known = SystemFileReader().read("/proc/filesystems").value_or("");
    if (!runner.find(system.mkfs).empty() &&
        known.find(std::string("\t") + system.id + "\n") != std::string::npos) {
        return true;
    }
    MESSAGE("SKIPPED: ", system.id, " is not available here");
    return false;
}

std::vector<std::string> mount_points_of(const std::string& device) {
    std::vector<std::string> found;
    for (const MountEntry& entry :
         parse_mountinfo(SystemFileReader().read("/proc/self/mountinfo").value_or(""))) {
        if (entry.source == device) found.push_back(entry.directory);
    }
    return found;
}

// Loop devices over files in this folder; others on the machine are not our business.
std::size_t loops_over(const TemporaryFolder& folder) {
    const SystemFileReader files;
    std::size_t count = 0;
    for (const std::string& disk : files.list("/sys/block")) {
        const auto backing = block_text(files, disk, "loop/backing_file");
        if (backing && backing->starts_with(folder.path())) ++count;
    }
    return count;
}

// The kernel detaches a closed loop device a moment later.
template <class Condition>
bool soon(Condition condition) {
    for (int attempt = 0; attempt < 100; ++attempt) {
        if (condition()) return true;
        ::usleep(50'000);
    }
    return condition();
}

void format_and_mount_all(Target& target) {
    SystemProcessRunner runner;
    for (const FileSystem& system : kFileSystems) {
        if (!is_available(system, runner)) continue;
        CAPTURE(system.id);
        for (int area = 0; area < target.areas(); ++area) {
            const auto seconds = target.format(area, commands_of(system), {system.force});
            REQUIRE_MESSAGE(seconds, to_text(seconds.error()));
            CHECK(*seconds > 0);
        }
        std::string directories[2];
        {
            auto first = target.mount(0, commands_of(system));
            REQUIRE_MESSAGE(first, to_text(first.error()));
            auto second = target.mount(1, commands_of(system));
            REQUIRE_MESSAGE(second, to_text(second.error()));
            directories[0] = (*first)->directory();
            directories[1] = (*second)->directory();
            CHECK(directories[0] != directories[1]);
            for (int area = 0; area < 2; ++area) {
                struct statfs status {};
                REQUIRE(::statfs(directories[area].c_str(), &status) == 0);
                CHECK(status.f_type == system.magic);
                std::ofstream(directories[area] + "/file") << "content";
                CHECK(fs::file_size(directories[area] + "/file") == 7);
                CHECK(mount_points_of(target.area_device(area)) ==
                      std::vector<std::string>{directories[area]});
            }
        }
        for (int area = 0; area < 2; ++area) {
            CHECK(mount_points_of(target.area_device(area)).empty());
            CHECK(fs::is_empty(directories[area]));
        }
    }
}

TargetRequest request_for_file(const TemporaryFolder& folder, std::uint64_t size_bytes = kSize) {
    TargetRequest request;
    request.scratch_file = folder.file("scratch");
    request.size_bytes = size_bytes;
    request.work_directory = folder.file("work");
    return request;
}

TargetRequest request_for_disk(const TemporaryFolder& folder, const std::string& path) {
    TargetRequest request;
    request.device = request.erase = path;
    request.work_directory = folder.file("work");
    return request;
}

std::string refusal(const TargetRequest& request) {
    SystemProcessRunner runner;
    const auto checked = check_target(request);
    const auto opened = open_target(request, runner);
    REQUIRE_FALSE(opened);
    REQUIRE_FALSE(checked);
    CHECK(to_text(opened.error()) == to_text(checked.error()));
    return checked.error().message;
}

void run_tool(std::vector<std::string> argv, std::string input = {}) {
    SystemProcessRunner runner;
    const auto result = run_checked(runner, {std::move(argv), std::move(input)});
    REQUIRE_MESSAGE(result, to_text(result.error()));
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
    CHECK(fs::is_empty(folder.file("work")));
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
