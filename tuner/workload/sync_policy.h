// The words of a stream's sync policy.
#pragma once

#include <array>
#include <string>

#include "tuner/workload/workload.h"

namespace fsadvise::tuner {

// In the order of SyncPolicy.
inline const std::array<std::string, 5> kSyncPolicyNames = {"none", "fsync", "fdatasync", "o-dsync",
                                                            "o-sync"};

inline const std::string& sync_policy_name(SyncPolicy policy) {
    return kSyncPolicyNames[static_cast<std::size_t>(policy)];
}

}  // namespace fsadvise::tuner
