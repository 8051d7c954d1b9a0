// What the CSI drivers of Kubernetes accept in StorageClass parameters about filesystems. Internal to
// src/advice.
//
// Source: the drivers' own documentation of StorageClass parameters, as of 2026.
#pragma once

#include <span>
#include <string>
#include <string_view>

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

struct CsiDriver {
    std::string_view provisioner;
    std::string_view backing, cloud;  // words of --backing and --cloud
    bool complete = false;            // the list names every key that the driver takes
    std::span<const CsiKey> keys;
};

const CsiDriver* csi_driver(std::string_view provisioner);
// A driver that knows the key, for "belongs to"; null if none does.
const CsiDriver* csi_driver_with(std::string_view key);

}  // namespace fsadvise
