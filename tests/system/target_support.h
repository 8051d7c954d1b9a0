// What the tests of scratch targets share: files below /dev/shm, a loop device that plays the disk, and one
// round of formatting and mounting every filesystem. Needs root and loop devices; can_run() reports the skip.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/file_reader.h"
#include "base/units.h"
#include "host/mount_table.h"
#include "host/sysfs_block.h"
#include "tuner/target/loop_device.h"
#include "tuner/target/mount_namespace.h"
#include "tuner/target/target.h"

namespace fsadvise::tuner::target_test {

namespace fs = std::filesystem;

inline constexpr std::uint64_t kSize = 700 * kMiB;  // areas large enough for XFS

inline bool can_run() {
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
inline const FileSystem kFileSystems[] = {{"ext4", "mkfs.ext4", "-F", "noatime", 0xEF53},
                                          {"xfs", "mkfs.xfs", "-f", "logbsize=256k", 0x58465342},
                                          {"btrfs", "mkfs.btrfs", "-f", "", 0x9123683E}};

inline Commands commands_of(const FileSystem& system) {
    return {{system.mkfs}, system.options, system.id};
}

inline bool is_available(const FileSystem& system, SystemProcessRunner& runner) {
    const std::string known = SystemFileReader().read("/proc/filesystems").value_or("");
    if (!runner.find(system.mkfs).empty() &&
        known.find(std::string("\t") + system.id + "\n") != std::string::npos) {
        return true;
    }
    MESSAGE("SKIPPED: ", system.id, " is not available here");
    return false;
}

inline std::vector<std::string> mount_points_of(const std::string& device) {
    std::vector<std::string> found;
    for (const MountEntry& entry :
         parse_mountinfo(SystemFileReader().read("/proc/self/mountinfo").value_or(""))) {
        if (entry.source == device) found.push_back(entry.directory);
    }
    return found;
}

// Loop devices over files in this folder; others on the machine are not our business.
inline std::size_t loops_over(const TemporaryFolder& folder) {
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

inline void format_and_mount_all(Target& target) {
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

inline TargetRequest request_for_file(const TemporaryFolder& folder, std::uint64_t size_bytes = kSize) {
    TargetRequest request;
    request.scratch_file = folder.file("scratch");
    request.size_bytes = size_bytes;
    request.work_directory = folder.file("work");
    return request;
}

inline TargetRequest request_for_disk(const TemporaryFolder& folder, const std::string& path) {
    TargetRequest request;
    request.device = request.erase = path;
    request.work_directory = folder.file("work");
    return request;
}

inline void run_tool(std::vector<std::string> argv, std::string input = {}) {
    SystemProcessRunner runner;
    const auto result = run_checked(runner, {std::move(argv), std::move(input)});
    REQUIRE_MESSAGE(result, to_text(result.error()));
}

}  // namespace fsadvise::tuner::target_test
