// Internal: the parts of the check subcommand that have a file of their own.
#pragma once

#include <vector>

#include "advice/lint_mounted.h"
#include "base/process.h"

namespace fsadvise::cli {

// Mounts of this machine on block devices with a filesystem that the knowledge has. Without root the
// superblocks are left out, with a warning.
std::vector<MountedFilesystem> mounted_filesystems(const Knowledge& knowledge, ProcessRunner& runner);

}  // namespace fsadvise::cli
