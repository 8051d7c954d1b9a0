// A configuration as people write it on a command line: "FS", "FS:MKFS OPTIONS", "FS:MKFS OPTIONS:MOUNT
// OPTIONS".
//
//   xfs    xfs:-m reflink=0    ext4::noatime,commit=30    btrfs:--csum xxhash:compress=zstd:1
// Errors: kUsage for an unknown filesystem or option (with the nearest known one), a bad value, or a
// configuration that mkfs or mount would refuse or silently change on this host.
#pragma once

#include <string>

#include "base/result.h"
#include "space/context.h"

namespace fsadvise {

Result<Configuration> configuration_from_text(const Knowledge& knowledge, const Request& request,
                                              const std::string& text);

}  // namespace fsadvise
