// The request of tests that search, record or replay: three filesystems on a described Debian 12, no probing.
#pragma once

#include <set>
#include <string>

#include "space/context.h"

namespace fsadvise::test {

inline Request search_request() {
    Request made;
    made.workload = "postgres";
    made.host.kernel = "6.1";
    made.host.distribution = "debian";
    made.host.distribution_version = "12";
    made.host.tools = {{"e2fsprogs", "1.47.0"}, {"xfsprogs", "6.1.0"}, {"btrfs-progs", "6.2"}};
    made.host.filesystems = std::set<std::string>{"ext4", "xfs", "btrfs"};
    made.host.cores = 4;
    made.host.page_size_bytes = 4096;
    made.host.device = BlockDevice{};
    made.host.device->size_bytes = 2ull << 30;
    return made;
}

}  // namespace fsadvise::test
