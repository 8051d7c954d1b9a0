#include "tuner/executor/prepared_side.h"

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <utility>

#include <fcntl.h>
#include <linux/f2fs.h>
#include <sys/ioctl.h>
#include <sys/statvfs.h>

#include "base/fd.h"
#include "base/text.h"

namespace fsadvise::tuner {
namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Both sides get it where both have the parameter.
Configuration for_measuring(const Knowledge& knowledge, Configuration configuration) {
    if (const Filesystem* filesystem = knowledge.filesystem(configuration.filesystem)) {
        for (const auto& [parameter, value] : filesystem->measure_with)
            configuration.values[parameter] = value;
    }
    return configuration;
}

Result<void> mount(const Workshop& workshop, PreparedSide& side) {
    const auto start = std::chrono::steady_clock::now();
    FSADVISE_ASSIGN(side.mount, workshop.target->mount(side.area, side.commands));
    side.mount_seconds = seconds_since(start);
    return {};
}

}  // namespace

std::uint64_t PreparedSide::used_bytes() const {
    struct statvfs status {};
    if (::statvfs(mount->directory().c_str(), &status) != 0) return 0;
    return static_cast<std::uint64_t>(status.f_blocks - status.f_bfree) * status.f_frsize;
}

Result<PreparedSide> prepare_side(const Workshop& workshop, const Configuration& configuration, int area) {
    PreparedSide side;
    side.configuration = configuration;
    side.area = area;
    const Filesystem* filesystem = workshop.knowledge->filesystem(configuration.filesystem);
    if (filesystem == nullptr)
        return fail(ErrorCode::kRunFailed, "unknown filesystem", configuration.filesystem);
    side.commands = spell(*workshop.knowledge, for_measuring(*workshop.knowledge, configuration));
    std::vector<std::string> force = filesystem->mkfs_quiet;
    force.insert(force.end(), filesystem->mkfs_overwrite.begin(), filesystem->mkfs_overwrite.end());
    FSADVISE_ASSIGN(side.format_seconds, workshop.target->format(area, side.commands, force));
    FSADVISE_TRY(mount(workshop, side));
    FSADVISE_ASSIGN(side.read_back,
                    read_back(*workshop.knowledge, configuration, workshop.target->area_device(area),
                              side.mount->directory(), *workshop.runner, *workshop.files));
    if (!side.read_back.mismatches.empty()) {
        return fail(ErrorCode::kRunFailed, "silently changed: " + join(side.read_back.mismatches, "; "),
                    canonical_text(configuration));
    }
    return side;
}

Result<std::optional<double>> crash_and_mount(const Workshop& workshop, PreparedSide& side) {
    FSADVISE_ASSIGN(Fd root, Fd::open(side.mount->directory(), O_RDONLY | O_DIRECTORY));
    // ext4 and XFS take the same request and the same flag under names of their own.
    std::uint32_t how = F2FS_GOING_DOWN_NOSYNC;
    if (::ioctl(root.get(), F2FS_IOC_SHUTDOWN, &how) != 0) {
        if (errno == ENOTTY || errno == EOPNOTSUPP || errno == EINVAL) return std::nullopt;
        return fail(ErrorCode::kRunFailed, "cannot cut off the filesystem: " + errno_text(errno),
                    side.mount->directory());
    }
    root.reset();
    const double usual_seconds = side.mount_seconds;
    FSADVISE_TRY(mount_cold(workshop, side));
    return std::exchange(side.mount_seconds, usual_seconds);
}

Result<void> mount_cold(const Workshop& workshop, PreparedSide& side) {
    side.mount.reset();
    return mount(workshop, side);
}

}  // namespace fsadvise::tuner
