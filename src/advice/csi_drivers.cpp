#include "advice/csi_drivers.h"

#include <algorithm>
#include <array>

namespace fsadvise {
namespace {

using enum CsiUse;

constexpr auto kEbs = std::to_array<CsiKey>({{"csi.storage.k8s.io/fstype", kType},
                                             {"fstype", kType},
                                             {"fsType", kType},
                                             {"type"},
                                             {"iops"},
                                             {"iopsPerGB"},
                                             {"allowAutoIOPSPerGBIncrease"},
                                             {"allowAutoIOPSIncreaseOnModify"},
                                             {"throughput"},
                                             {"encrypted"},
                                             {"kmsKeyId"},
                                             {"blockExpress"},
                                             {"blockSize", kBlockSize},
                                             {"inodeSize", kInodeSize},
                                             {"bytesPerInode", kBytesPerInode, true},
                                             {"numberOfInodes", kInodeCount, true},
                                             {"ext4BigAlloc", kBigalloc, true},
                                             {"ext4ClusterSize", kClusterSize, true},
                                             {"ext4EncryptionSupport", kEncrypt, true}});
constexpr auto kRbd =
    std::to_array<CsiKey>({{"csi.storage.k8s.io/fstype", kType}, {"mkfsOptions", kMkfsOptions}});
constexpr auto kHetzner =
    std::to_array<CsiKey>({{"csi.storage.k8s.io/fstype", kType}, {"fsFormatOptions", kMkfsOptions}});
constexpr auto kSynology = std::to_array<CsiKey>(
    {{"fsType", kType}, {"csi.storage.k8s.io/fstype", kType}, {"formatOptions", kMkfsOptions}});
constexpr auto kDell =
    std::to_array<CsiKey>({{"csi.storage.k8s.io/fstype", kType}, {"mkfsFormatOption", kMkfsOptions}});
constexpr auto kLonghorn = std::to_array<CsiKey>(
    {{"csi.storage.k8s.io/fstype", kType}, {"fsType", kType}, {"mkfsParams", kMkfsOptions}});
constexpr auto kProxmox = std::to_array<CsiKey>(
    {{"csi.storage.k8s.io/fstype", kType}, {"blockSize", kBlockSize}, {"inodeSize", kInodeSize}});
constexpr auto kPlain =
    std::to_array<CsiKey>({{"csi.storage.k8s.io/fstype", kType}, {"fsType", kType}, {"fstype", kType}});

constexpr auto kDrivers = std::to_array<CsiDriver>({
    {"ebs.csi.aws.com", "", "aws", true, kEbs},
    {"kubernetes.io/aws-ebs", "", "aws", false, kPlain},
    {"rbd.csi.ceph.com", "ceph-rbd", "", false, kRbd},
    {"rook-ceph.rbd.csi.ceph.com", "ceph-rbd", "", false, kRbd},
    {"cinder.csi.openstack.org", "", "openstack", false, kRbd},
    {"csi.hetzner.cloud", "", "hetzner", false, kHetzner},
    {"csi.san.synology.com", "iscsi", "", false, kSynology},
    {"csi-powerstore.dellemc.com", "", "", false, kDell},
    {"csi-vxflexos.dellemc.com", "", "", false, kDell},
    {"csi.proxmox.sinextra.dev", "", "", false, kProxmox},
    {"pd.csi.storage.gke.io", "", "gcp", false, kPlain},
    {"disk.csi.azure.com", "", "azure", false, kPlain},
    {"dobs.csi.digitalocean.com", "", "digitalocean", false, kPlain},
    {"local.csi.aliyun.com", "", "", false, kPlain},
    {"topolvm.io", "lvm", "", false, kPlain},
    {"local.csi.openebs.io", "lvm", "", false, kPlain},
    {"driver.longhorn.io", "iscsi", "", false, kLonghorn},
});

}  // namespace

const CsiDriver* csi_driver(std::string_view provisioner) {
    const auto found = std::ranges::find_if(kDrivers, [&](const CsiDriver& driver) {
        // Operators put the namespace before the driver's name.
        return provisioner == driver.provisioner ||
               (provisioner.ends_with(driver.provisioner) &&
                provisioner[provisioner.size() - driver.provisioner.size() - 1] == '.');
    });
    return found == kDrivers.end() ? nullptr : &*found;
}

const CsiDriver* csi_driver_with(std::string_view key) {
    const auto found = std::ranges::find_if(kDrivers, [&](const CsiDriver& driver) {
        return std::ranges::find(driver.keys, key, &CsiKey::name) != driver.keys.end();
    });
    return found == kDrivers.end() ? nullptr : &*found;
}

}  // namespace fsadvise
