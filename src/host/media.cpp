#include "host/media.h"

#include "base/text.h"
#include "host/mount_table.h"
#include "host/sysfs_block.h"

namespace fsadvise {

namespace {

bool contains_any(std::string_view text, std::initializer_list<std::string_view> parts) {
    for (std::string_view part : parts) {
        if (text.find(part) != std::string_view::npos) return true;
    }
    return false;
}

// Disks that name themselves as network volumes of a cloud: EBS over NVMe, Google persistent disks, Azure
// managed disks. EBS: Amazon EC2 User Guide, "Identify the EBS device".
bool is_cloud_volume_model(const std::string& model) {
    return contains_any(
        model, {"Amazon Elastic Block Store", "PersistentDisk", "nvme_card-pd", "MSFT NVMe Accelerator"});
}

// The firmware of cloud machines names the provider; there a virtual disk is a network volume unless it says
// otherwise.
bool is_cloud_machine(const FileReader& files) {
    std::string vendor;
    for (const char* fact : {"sys_vendor", "product_name", "chassis_asset_tag"}) {
        vendor += files.read(std::string("/sys/class/dmi/id/") + fact).value_or("") + " ";
    }
    // 7783-7084-3265-9085-8269-3286-77 is the chassis tag of Azure machines, which cloud-init looks for too.
    return contains_any(vendor, {"Amazon EC2", "Google Compute Engine", "7783-7084-3265-9085-8269-3286-77",
                                 "DigitalOcean", "Hetzner", "Alibaba Cloud", "OpenStack", "OracleCloud",
                                 "Vultr", "Linode", "Akamai", "Scaleway", "UpCloud", "OVHcloud"});
}

bool is_virtual_disk(const FileReader& files, const std::string& disk) {
    if (disk.starts_with("vd") || disk.starts_with("xvd")) return true;
    return contains_any(block_text(files, disk, "device/vendor").value_or(""),
                        {"QEMU", "VMware", "VBOX", "Msft", "Xen", "Google", "Virtio"});
}

}  // namespace

std::string loop_backing_file(const FileReader& files, const std::string& disk) {
    std::string path = block_text(files, disk, "loop/backing_file").value_or("");
    constexpr std::string_view kDeleted = " (deleted)";
    if (path.ends_with(kDeleted)) path.resize(path.size() - kDeleted.size());
    return path;
}

bool is_in_memory(const FileReader& files, const std::string& path) {
    const auto entries = parse_mountinfo(files.read("/proc/self/mountinfo").value_or(""));
    const MountEntry* entry = mount_of(entries, path);
    return entry && (entry->filesystem == "tmpfs" || entry->filesystem == "ramfs");
}

std::string media_of(const FileReader& files, const std::string& disk) {
    if (disk.starts_with("pmem")) return "pmem";
    if (disk.starts_with("zram") || disk.starts_with("ram")) return "ram";
    if (disk.starts_with("loop")) {
        const std::string backing = loop_backing_file(files, disk);
        if (backing.empty()) return {};
        return is_in_memory(files, backing) ? "ram" : "loop";
    }
    if (disk.starts_with("rbd")) return "cloud";  // Ceph
    const std::string model = block_text(files, disk, "device/model").value_or("");
    if (is_cloud_volume_model(model)) return "cloud";
    if (disk.starts_with("nvme")) return "nvme";
    // What a hypervisor says about rotation is a default of its command line, not a fact.
    if (is_virtual_disk(files, disk)) return is_cloud_machine(files) ? "cloud" : "";
    if (!disk.starts_with("sd")) return {};
    const auto rotational = block_number(files, disk, "queue/rotational");
    if (!rotational) return {};
    return *rotational ? "hdd" : "ssd";
}

}  // namespace fsadvise
