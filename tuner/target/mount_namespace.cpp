#include "tuner/target/mount_namespace.h"

#include <cerrno>

#include <sched.h>
#include <sys/mount.h>

#include "base/file_reader.h"
#include "host/mount_table.h"

namespace fsadvise::tuner {

namespace {

std::vector<MountEntry> mounts() {
    return parse_mountinfo(SystemFileReader().read("/proc/self/mountinfo").value_or(""));
}

Result<void> leave_shared_namespace() {
    if (::unshare(CLONE_NEWNS) != 0) {
        return fail(ErrorCode::kUnavailable, "cannot make a private mount namespace: " + errno_text(errno),
                    {}, "in a container, it needs the capability CAP_SYS_ADMIN");
    }
    if (::mount("none", "/", nullptr, MS_REC | MS_SLAVE, nullptr) == 0) return {};
    // In a chroot "/" may be a plain folder of a mount that cannot be seen from here. The visible mounts are
    // changed one by one, and can_mount_privately() tells which folders that covers.
    if (errno != EINVAL) {
        return fail(ErrorCode::kUnavailable, "cannot make mounts private: " + errno_text(errno), "/");
    }
    for (const MountEntry& entry : mounts()) {
        if (::mount("none", entry.directory.c_str(), nullptr, MS_SLAVE, nullptr) != 0 && errno != EINVAL &&
            errno != ENOENT) {
            return fail(ErrorCode::kUnavailable, "cannot make mounts private: " + errno_text(errno),
                        entry.directory);
        }
    }
    return {};
}

}  // namespace

Result<void> enter_private_mount_namespace() {
    // The namespace is a property of the process, so "done once" is too.
    static const Result<void> entered = leave_shared_namespace();
    return entered;
}

bool can_mount_privately(const std::string& directory) {
    const auto entries = mounts();
    // Without a readable table "/" was changed as a whole, or entering has failed.
    return entries.empty() || mount_of(entries, directory) != nullptr;
}

}  // namespace fsadvise::tuner
