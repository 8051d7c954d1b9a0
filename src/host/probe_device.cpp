// Facts about one block device and what it is stacked on, from sysfs.
#include <set>

#include "base/text.h"
#include "host/host.h"
#include "host/media.h"
#include "host/sysfs_block.h"

namespace fsadvise {

namespace {

constexpr std::uint64_t kSysfsSectorBytes = 512;  // the size attribute counts these whatever the device uses

std::optional<bool> flag(const FileReader& files, const std::string& disk, const std::string& attribute) {
    const auto value = block_number(files, disk, attribute);
    return value ? std::optional(*value != 0) : std::nullopt;
}

// Zero means "not stated" for the I/O hints.
std::optional<std::uint64_t> non_zero(std::optional<std::uint64_t> value) {
    return value && *value > 0 ? value : std::nullopt;
}

// "none [mq-deadline] kyber" -> mq-deadline
std::string chosen_scheduler(const std::string& list) {
    const auto open = list.find('[');
    const auto close = list.find(']');
    if (open == std::string::npos || close == std::string::npos || close < open) return list;
    return list.substr(open + 1, close - open - 1);
}

// "LVM-Kj3..." -> LVM; the prefix of a device-mapper UUID names the tool that made the mapping.
std::string mapper_kind(const FileReader& files, const std::string& disk) {
    const std::string uuid = block_text(files, disk, "dm/uuid").value_or("");
    const std::string prefix = uuid.substr(0, uuid.find('-'));
    return prefix == "mpath" ? "multipath" : prefix;
}

std::string describe_layer(const FileReader& files, const std::string& disk) {
    if (const auto level = block_text(files, disk, "md/level")) return disk + " " + *level;
    if (block_text(files, disk, "dm/name")) {
        const std::string kind = mapper_kind(files, disk);
        return kind.empty() ? disk : disk + " " + kind;
    }
    if (const std::string backing = loop_backing_file(files, disk); !backing.empty())
        return disk + " file " + backing;
    return disk;
}

void walk_stack(const FileReader& files, const std::string& name, BlockDevice& device,
                std::set<std::string>& media, std::set<std::string>& seen) {
    const std::string disk = whole_disk(files, name);
    if (!seen.insert(disk).second) return;  // two legs of a mirror on one disk
    device.stack.push_back(describe_layer(files, disk));
    if (device.raid_level.empty() && block_text(files, disk, "md/level").value_or("").starts_with("raid")) {
        device.raid_level = *block_text(files, disk, "md/level");
        if (const auto disks = block_number(files, disk, "md/raid_disks"))
            device.raid_disks = static_cast<int>(*disks);
    }
    const auto slaves = files.list("/sys/class/block/" + disk + "/slaves");
    if (slaves.empty()) media.insert(media_of(files, disk));
    for (const std::string& slave : slaves) walk_stack(files, slave, device, media, seen);
}

// World-wide names are stable too, but say nothing to a reader; they are the second choice.
std::string stable_path(const FileReader& files, const std::string& name) {
    const std::string folder = "/dev/disk/by-id/";
    std::string second_choice;
    for (const std::string& entry : files.list(folder)) {
        if (block_name(files, folder + entry) != name) continue;
        const bool cryptic = entry.starts_with("wwn-") || entry.starts_with("nvme-eui.") ||
                             entry.starts_with("nvme-uuid.") || entry.starts_with("dm-uuid-") ||
                             entry.starts_with("lvm-pv-") || entry.starts_with("md-uuid-");
        if (!cryptic) return folder + entry;
        if (second_choice.empty()) second_choice = folder + entry;
    }
    return second_choice;
}

void read_queue(const FileReader& files, const std::string& disk, BlockDevice& device) {
    device.rotational = flag(files, disk, "queue/rotational");
    device.logical_sector_bytes = block_number(files, disk, "queue/logical_block_size");
    device.physical_sector_bytes = block_number(files, disk, "queue/physical_block_size");
    device.minimum_io_bytes = non_zero(block_number(files, disk, "queue/minimum_io_size"));
    device.optimal_io_bytes = non_zero(block_number(files, disk, "queue/optimal_io_size"));
    device.discard = flag(files, disk, "queue/discard_max_bytes");
    device.dax = flag(files, disk, "queue/dax");
    if (const auto cache = block_text(files, disk, "queue/write_cache"))
        device.write_cache = *cache == "write back";
    device.scheduler = chosen_scheduler(block_text(files, disk, "queue/scheduler").value_or(""));
    device.nr_requests = block_number(files, disk, "queue/nr_requests");
    device.read_ahead_kib = block_number(files, disk, "queue/read_ahead_kb");
}

}  // namespace

Result<BlockDevice> probe_device(const FileReader& files, const std::string& path) {
    const std::string name = block_name(files, path);
    if (!is_block_name(files, name)) {
        return fail(ErrorCode::kUnavailable, "not a block device the kernel knows", path,
                    "lsblk lists the block devices");
    }
    BlockDevice device;
    device.path = path;
    device.stable_path = stable_path(files, name);
    if (const auto sectors = block_number(files, name, "size"); sectors && *sectors > 0) {
        device.size_bytes = *sectors * kSysfsSectorBytes;
    }
    // Partitions have no queue of their own.
    const std::string disk = whole_disk(files, name);
    read_queue(files, disk, device);
    device.model = block_text(files, disk, "device/model").value_or("");
    device.backing_file = loop_backing_file(files, disk);
    std::set<std::string> media, seen;
    walk_stack(files, name, device, media, seen);
    // Disks of different kinds below one volume: none of them speaks for it.
    if (media.size() == 1) device.media = *media.begin();
    return device;
}

}  // namespace fsadvise
