// Facts about the machine and the disk that advice is for: probed, described on the command line, or from a
// file.
//
// Units: bytes. An empty optional or empty string means unknown and is never treated as zero.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/file_reader.h"
#include "base/process.h"
#include "base/result.h"
#include "base/units.h"

namespace fsadvise {

// nvme, ssd, hdd, cloud, ram, loop, pmem; empty = unknown. "loop" is a file nested on another filesystem.
struct BlockDevice {
    std::string path;         // /dev/nvme0n1; empty when only described
    std::string stable_path;  // /dev/disk/by-id/...; empty if none
    std::string media;
    std::string model;
    std::optional<std::uint64_t> size_bytes;
    std::optional<bool> rotational;  // unreliable on virtual disks
    std::optional<std::uint64_t> logical_sector_bytes, physical_sector_bytes;
    std::optional<std::uint64_t> minimum_io_bytes, optimal_io_bytes;  // chunk and stripe of a RAID
    std::optional<bool> discard, dax, write_cache;
    std::string scheduler;
    std::optional<std::uint64_t> nr_requests, read_ahead_kib;
    std::string raid_level;  // "raid5", empty if none or unknown
    std::optional<int> raid_disks;
    std::optional<std::uint64_t> raid_chunk_bytes;  // told, because the array itself does not report it
    std::optional<int> count;                       // separate disks to be used side by side
    std::string backing;                            // iscsi, ceph-rbd, dm-thin, ...; empty = unknown or plain
    std::string backing_file;                       // loop devices
    std::vector<std::string> stack;                 // from the top down: "dm-0 LVM", "md0 raid1", "nvme0n1"
};

// Optional parts of a kernel that decide whether a format or mount option is accepted. Their build options:
// kernel_features.cpp.
inline constexpr std::string_view kKernelFeatures[] = {
    "quota", "xfs_quota", "unicode", "dax", "encryption", "verity", "xfs_v4", "xfs_ascii_ci", "compression"};

struct Host {
    std::string kernel;                // "6.18.44"
    std::string architecture;          // "x86_64"
    std::string distribution;          // os-release ID: "debian"
    std::string distribution_version;  // VERSION_ID: "12"
    std::string cloud;                 // whose virtual machine: aws, azure, gcp, ...; empty = unknown or none
    std::optional<int> cores;
    std::optional<std::uint64_t> memory_bytes;
    std::optional<std::uint64_t> page_size_bytes;
    std::map<std::string, std::string>
        tools;  // "e2fsprogs" -> "1.47.0"; also xfsprogs, btrfs-progs, f2fs-tools, util-linux
    // Filesystems the kernel can mount (built in, loaded, or module file present); nullopt = unknown.
    std::optional<std::set<std::string>> filesystems;
    // What the kernel was built with, by the names of kKernelFeatures; a name that is missing is unknown.
    std::map<std::string, bool> kernel_features;
    std::optional<BlockDevice> device;
    std::string source;  // "probed", "described" or a file name
};

// Reads files only; runs no command. Tool versions come from probe_tools(), which does.
Host probe_host(const FileReader& files);
// Fills host.tools by asking mkfs.* for their versions; a missing tool is simply absent.
void probe_tools(Host& host, ProcessRunner& runner);
// Facts of one block device from sysfs. Errors: kUnavailable if it is not a block device.
Result<BlockDevice> probe_device(const FileReader& files, const std::string& path);

nlohmann::json to_json(const Host& host);
nlohmann::json to_json(const BlockDevice& device);
// Errors: kBadInput with a JSON pointer; unknown keys are errors with the nearest name.
Result<Host> host_from_json(const nlohmann::json& document, const std::string& name);

}  // namespace fsadvise
