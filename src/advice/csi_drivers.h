// What the CSI drivers of Kubernetes accept in StorageClass parameters about filesystems: the tables
// csi-drivers and csi-keys of the knowledge, as structs. Internal to src/advice.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "space/knowledge.h"

namespace fsadvise {

enum class CsiUse {
    kOther,
    kMkfsOptions,
    kBlockSize,
    kInodeSize,
    kBytesPerInode,
    kInodeCount,
    kBigalloc,
    kClusterSize,
    kEncrypt,
    kType
};

struct CsiKey {
    std::string_view name;
    CsiUse use = CsiUse::kOther;
    bool ext_only = false;
};

// Views into the knowledge, which outlives it.
struct CsiDriver {
    std::string_view provisioner;
    std::string_view backing, cloud;  // words of --backing and --cloud
    bool complete = false;            // the list names every key that the driver takes
    std::vector<CsiKey> keys;

    [[nodiscard]] const CsiKey* key(std::string_view name) const;
};

std::optional<CsiDriver> csi_driver(const Knowledge& knowledge, std::string_view provisioner);
// A driver that knows the key, for "belongs to".
std::optional<CsiDriver> csi_driver_with(const Knowledge& knowledge, std::string_view key);

}  // namespace fsadvise
