#include "tuner/target/device_use.h"

#include <cerrno>
#include <charconv>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/text.h"
#include "host/media.h"
#include "host/mount_table.h"
#include "host/sysfs_block.h"

namespace fsadvise::tuner {

namespace {

constexpr const char* kNeverHint = "no option overrides this; name a device that nothing uses";

// "254:16" -> dev_t, 0 if malformed
std::uint64_t device_number(const std::string& text) {
    unsigned numbers[2] = {0, 0};
    const auto parts = split(text, ':');
    if (parts.size() != 2) return 0;
    for (std::size_t i = 0; i < 2; ++i) {
        if (std::from_chars(parts[i].data(), parts[i].data() + parts[i].size(), numbers[i]).ec != std::errc{})
            return 0;
    }
    return makedev(numbers[0], numbers[1]);
}

tl::unexpected<Error> in_use(const std::string& given, const std::string& name, const std::string& how) {
    const bool same = given.ends_with("/" + name);
    return fail(ErrorCode::kUnavailable, same ? how : fmt::format("{} {}", name, how), given, kNeverHint);
}

// btrfs and stacked filesystems show an anonymous number, so the source path is compared as well.
const MountEntry* mounted(const FileReader& files, const std::vector<MountEntry>& mounts,
                          const std::string& name) {
    const std::uint64_t number = device_number(block_text(files, name, "dev").value_or(""));
    for (const MountEntry& entry : mounts) {
        if (number != 0 && entry.device_number == number) return &entry;
        if (entry.source.starts_with("/dev/") && block_name(files, entry.source) == name) return &entry;
    }
    return nullptr;
}

bool is_swap(const FileReader& files, const std::string& name) {
    const std::string swaps = files.read("/proc/swaps").value_or("");
    for (const std::string& line : split(swaps, '\n')) {
        const std::string path = line.substr(0, line.find_first_of(" \t"));
        if (path.starts_with("/dev/") && block_name(files, path) == name) return true;
    }
    return false;
}

// Attaching a loop device does not claim what it lies on, so the kernel would let us format below it.
std::string loop_above(const FileReader& files, const std::string& name) {
    for (const std::string& disk : files.list("/sys/block")) {
        if (!disk.starts_with("loop")) continue;
        const std::string backing = loop_backing_file(files, disk);
        if (!backing.empty() && block_name(files, backing) == name) return disk;
    }
    return {};
}

Result<void> check_one(const FileReader& files, const std::vector<MountEntry>& mounts,
                       const std::string& name, const std::string& given) {
    if (const MountEntry* entry = mounted(files, mounts, name)) {
        return in_use(given, name, "is mounted at " + entry->directory);
    }
    if (is_swap(files, name)) return in_use(given, name, "is in use as swap");
    if (const auto holders = files.list("/sys/class/block/" + name + "/holders"); !holders.empty()) {
        return in_use(given, name, "is held by " + join(holders, ", "));
    }
    if (const std::string loop = loop_above(files, name); !loop.empty()) {
        return in_use(given, name, "lies below the loop device " + loop);
    }
    return {};
}

}  // namespace

std::string block_name_of_number(const FileReader& files, unsigned major_number, unsigned minor_number) {
    const auto target = files.link(fmt::format("/sys/dev/block/{}:{}", major_number, minor_number));
    return target ? target->substr(target->rfind('/') + 1) : std::string();
}

Result<std::string> kernel_name_of(const FileReader& files, const std::string& path) {
    constexpr const char* kHint = "lsblk lists the block devices";
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) {
        const int error = errno;
        return fail(ErrorCode::kUnavailable, error == ENOENT ? "does not exist" : errno_text(error), path, kHint);
    }
    if (!S_ISBLK(status.st_mode)) return fail(ErrorCode::kUnavailable, "is not a block device", path, kHint);
    std::string name = block_name_of_number(files, major(status.st_rdev), minor(status.st_rdev));
    if (name.empty())
        return fail(ErrorCode::kUnavailable, "is a block device that the kernel does not have", path);
    return name;
}

Result<Fd> open_claimed(const std::string& path, int flags) {
    auto device = Fd::open(path, flags | O_EXCL);
    if (device) return device;
    if (::access(path.c_str(), R_OK | W_OK) == 0) {
        return fail(ErrorCode::kUnavailable,
                    "is held by another program or kernel subsystem (" + device.error().message + ")", path,
                    "lsof, dmsetup and other mount namespaces may show which");
    }
    return device;
}

Result<void> check_device_unused(const FileReader& files, const std::string& name, const std::string& given) {
    const auto mounts = parse_mountinfo(files.read("/proc/self/mountinfo").value_or(""));
    if (mounts.empty()) {
        return fail(ErrorCode::kUnavailable, "cannot tell whether it is mounted: no /proc/self/mountinfo",
                    given, "mount /proc");
    }
    FSADVISE_TRY(check_one(files, mounts, name, given));
    const std::string disk = whole_disk(files, name);
    if (disk != name) return check_one(files, mounts, disk, given);
    for (const std::string& partition : partitions_of(files, name)) {
        FSADVISE_TRY(check_one(files, mounts, partition, given));
    }
    return {};
}

}  // namespace fsadvise::tuner
