// A private mount namespace, so that a killed run leaves no mount behind.
//
// Threads: the namespace belongs to the calling thread and to threads and children it starts afterwards; call
// it from
//          the main thread before any other is started. Source: mount_namespaces(7).
#pragma once

#include <string>

#include "base/result.h"

namespace fsadvise::tuner {

// Moves this thread into its own mount namespace: mounts made here are seen by nobody else and vanish with
// the last process in it; mounts and unmounts of the machine still arrive (slave propagation), so nothing of
// it is pinned. The first call does it, later ones return the same result. Errors: kUnavailable without
// CAP_SYS_ADMIN.
Result<void> enter_private_mount_namespace();

// Whether what is mounted below this absolute path stays in the private namespace. False only in a chroot,
// for folders of a mount whose mount point lies outside of it.
bool can_mount_privately(const std::string& directory);

}  // namespace fsadvise::tuner
