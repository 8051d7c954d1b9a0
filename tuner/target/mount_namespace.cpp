#include "tuner/target/mount_namespace.h"

#include <cerrno>

#include <sched.h>
#include <sys/mount.h>

namespace fsadvise::tuner {

namespace {

Result<void> leave_shared_namespace() {
    if (::unshare(CLONE_NEWNS) != 0) {
        return fail(ErrorCode::kUnavailable, "cannot make a private mount namespace: " + errno_text(errno),
                    {}, "in a container, it needs the capability CAP_SYS_ADMIN");
    }
    if (::mount("none", "/", nullptr, MS_REC | MS_SLAVE, nullptr) != 0) {
        return fail(ErrorCode::kUnavailable, "cannot make mounts private: " + errno_text(errno), "/");
    }
    return {};
}

}  // namespace

Result<void> enter_private_mount_namespace() {
    // The namespace is a property of the process, so "done once" is too.
    static const Result<void> entered = leave_shared_namespace();
    return entered;
}

}  // namespace fsadvise::tuner
