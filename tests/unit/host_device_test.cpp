// Facts about disks from captured sysfs trees: plain, partitioned, stacked, virtual, in memory.
#include <doctest/doctest.h>

#include "host/host.h"
#include "host/mount_table.h"
#include "host/sysfs_block.h"

using namespace fsadvise;

namespace {

// Attributes of a device by name, below its sysfs folder.
void add(FakeFileReader& files, const std::string& name,
         const std::map<std::string, std::string>& attributes) {
    for (const auto& [attribute, value] : attributes) {
        files.files["/sys/class/block/" + name + "/" + attribute] = value + "\n";
    }
}

FakeFileReader nvme_machine() {
    FakeFileReader files;
    add(files, "nvme0n1",
        {{"dev", "259:0"},
         {"size", "1953525168"},
         {"device/model", "Samsung SSD 980 PRO 1TB                "},
         {"queue/rotational", "0"},
         {"queue/logical_block_size", "512"},
         {"queue/physical_block_size", "4096"},
         {"queue/minimum_io_size", "4096"},
         {"queue/optimal_io_size", "0"},
         {"queue/discard_max_bytes", "2199023255040"},
         {"queue/dax", "0"},
         {"queue/write_cache", "write back"},
         {"queue/scheduler", "[none] mq-deadline kyber"},
         {"queue/nr_requests", "1023"},
         {"queue/read_ahead_kb", "128"}});
    add(files, "nvme0n1p2", {{"dev", "259:2"}, {"size", "2048"}, {"partition", "2"}});
    add(files, "nvme0n1", {{"nvme0n1p2/partition", "2"}});
    files.links["/sys/class/block/nvme0n1p2"] = "../../devices/pci0000:00/nvme/nvme0/nvme0n1/nvme0n1p2";
    files.links["/dev/disk/by-id/nvme-eui.0025385b21404b12"] = "../../nvme0n1";
    files.links["/dev/disk/by-id/nvme-Samsung_SSD_980_PRO_1TB_S5GX"] = "../../nvme0n1";
    files.links["/dev/disk/by-id/nvme-Samsung_SSD_980_PRO_1TB_S5GX-part2"] = "../../nvme0n1p2";
    return files;
}

std::string media_of_disk(const FakeFileReader& files, const std::string& path) {
    const auto device = probe_device(files, path);
    REQUIRE(device);
    return device->media;
}

}  // namespace

TEST_CASE("an NVMe disk") {
    const auto device = probe_device(nvme_machine(), "/dev/nvme0n1");
    REQUIRE(device);
    CHECK(device->path == "/dev/nvme0n1");
    CHECK(device->stable_path == "/dev/disk/by-id/nvme-Samsung_SSD_980_PRO_1TB_S5GX");
    CHECK(device->media == "nvme");
    CHECK(device->model == "Samsung SSD 980 PRO 1TB");
    CHECK(device->size_bytes == 1953525168ull * 512);
    CHECK(device->rotational == false);
    CHECK(device->logical_sector_bytes == 512);
    CHECK(device->physical_sector_bytes == 4096);
    CHECK(device->minimum_io_bytes == 4096);
    CHECK_FALSE(device->optimal_io_bytes);  // 0 means not stated
    CHECK(device->discard == true);
    CHECK(device->dax == false);
    CHECK(device->write_cache == true);
    CHECK(device->scheduler == "none");
    CHECK(device->nr_requests == 1023);
    CHECK(device->read_ahead_kib == 128);
    CHECK(device->raid_level.empty());
    CHECK_FALSE(device->raid_disks);
    CHECK(device->stack == std::vector<std::string>{"nvme0n1"});
}

TEST_CASE("a partition has its own size and its disk's queue") {
    const auto device =
        probe_device(nvme_machine(), "/dev/disk/by-id/nvme-Samsung_SSD_980_PRO_1TB_S5GX-part2");
    REQUIRE(device);
    CHECK(device->size_bytes == 1024 * 1024);
    CHECK(device->stable_path == "/dev/disk/by-id/nvme-Samsung_SSD_980_PRO_1TB_S5GX-part2");
    CHECK(device->media == "nvme");
    CHECK(device->scheduler == "none");
    CHECK(device->stack == std::vector<std::string>{"nvme0n1"});
    CHECK(partitions_of(nvme_machine(), "nvme0n1") == std::vector<std::string>{"nvme0n1p2"});
}

TEST_CASE("what is no block device is refused") {
    for (const char* path : {"/dev/null", "/etc/passwd", "relative", "", "/dev/nvme9n1"}) {
        const auto device = probe_device(nvme_machine(), path);
        REQUIRE_FALSE(device);
        CHECK(device.error().code == ErrorCode::kUnavailable);
        CHECK(device.error().context == path);
    }
}

TEST_CASE("encrypted LVM on RAID, from the top down") {
    FakeFileReader files;
    add(files, "dm-1", {{"dev", "253:1"}, {"size", "4096"}, {"dm/name", "vg-data"}, {"dm/uuid", "LVM-abc"}});
    add(files, "dm-0", {{"dev", "253:0"}, {"dm/name", "crypt"}, {"dm/uuid", "CRYPT-LUKS2-abc-crypt"}});
    add(files, "md0",
        {{"dev", "9:0"}, {"md/level", "raid5"}, {"md/raid_disks", "3"}, {"queue/minimum_io_size", "524288"}});
    add(files, "dm-1", {{"queue/minimum_io_size", "524288"}, {"queue/optimal_io_size", "1048576"}});
    for (const std::string disk : {"sda", "sdb", "sdc"}) {
        add(files, disk, {{"dev", "8:0"}, {"queue/rotational", "1"}, {"device/vendor", "ATA"}});
        add(files, disk + "1", {{"dev", "8:1"}, {"partition", "1"}});
        files.links["/sys/class/block/" + disk + "1"] = "../../devices/ata1/block/" + disk + "/" + disk + "1";
        files.files["/sys/class/block/md0/slaves/" + disk + "1/dev"] = "";
    }
    files.files["/sys/class/block/dm-1/slaves/dm-0/dev"] = "";
    files.files["/sys/class/block/dm-0/slaves/md0/dev"] = "";
    files.links["/dev/mapper/vg-data"] = "../dm-1";
    files.links["/dev/vg/data"] = "../dm-1";

    const auto device = probe_device(files, "/dev/vg/data");
    REQUIRE(device);
    CHECK(device->stack ==
          std::vector<std::string>{"dm-1 LVM", "dm-0 CRYPT", "md0 raid5", "sda", "sdb", "sdc"});
    CHECK(device->raid_level == "raid5");
    CHECK(device->raid_disks == 3);
    CHECK(device->minimum_io_bytes == 524288);
    CHECK(device->optimal_io_bytes == 1048576);
    CHECK(device->media == "hdd");

    // A mirror of unlike halves has no medium.
    add(files, "sdc", {{"queue/rotational", "0"}});
    CHECK(media_of_disk(files, "/dev/mapper/vg-data").empty());
}

TEST_CASE("loop devices and what their file lies on") {
    FakeFileReader files;
    files.files["/proc/self/mountinfo"] =
        "27 1 254:0 / / rw - ext4 /dev/vda rw\n30 27 0:27 / /dev/shm rw - tmpfs tmpfs rw\n";
    add(files, "loop0", {{"dev", "7:0"}, {"loop/backing_file", "/dev/shm/image (deleted)"}});
    add(files, "loop1", {{"dev", "7:1"}, {"loop/backing_file", "/dev/shmoo/image"}});
    add(files, "loop2", {{"dev", "7:2"}});
    const auto device = probe_device(files, "/dev/loop0");
    REQUIRE(device);
    CHECK(device->backing_file == "/dev/shm/image");
    CHECK(device->media == "ram");
    CHECK(device->stack == std::vector<std::string>{"loop0 file /dev/shm/image"});
    CHECK(media_of_disk(files, "/dev/loop1") == "loop");
    CHECK(media_of_disk(files, "/dev/loop2").empty());
}

TEST_CASE("the medium of virtual and other disks") {
    FakeFileReader files;
    for (const char* name :
         {"vda", "pmem0", "zram0", "ram1", "rbd0", "nvme0n1", "nvme1n1", "sda", "sdb", "sdc"}) {
        add(files, name, {{"dev", "1:1"}, {"queue/rotational", "1"}});
    }
    add(files, "sda", {{"device/vendor", "ATA"}, {"queue/rotational", "0"}});
    add(files, "sdb", {{"device/vendor", "QEMU"}});
    add(files, "nvme0n1", {{"device/model", "Amazon Elastic Block Store"}});
    add(files, "nvme1n1", {{"device/model", "Amazon EC2 NVMe Instance Storage"}});
    CHECK(media_of_disk(files, "/dev/pmem0") == "pmem");
    CHECK(media_of_disk(files, "/dev/zram0") == "ram");
    CHECK(media_of_disk(files, "/dev/ram1") == "ram");
    CHECK(media_of_disk(files, "/dev/rbd0") == "cloud");
    CHECK(media_of_disk(files, "/dev/nvme0n1") == "cloud");
    CHECK(media_of_disk(files, "/dev/nvme1n1") == "nvme");
    CHECK(media_of_disk(files, "/dev/sda") == "ssd");
    CHECK(media_of_disk(files, "/dev/sdc") == "hdd");
    // A hypervisor's word about rotation is not believed, unless the machine is known to be of a cloud.
    CHECK(media_of_disk(files, "/dev/vda").empty());
    CHECK(media_of_disk(files, "/dev/sdb").empty());
    files.files["/sys/class/dmi/id/sys_vendor"] = "DigitalOcean\n";
    CHECK(media_of_disk(files, "/dev/vda") == "cloud");
    CHECK(media_of_disk(files, "/dev/sda") == "ssd");
}

TEST_CASE("a mount table is read, and paths find their mount") {
    const auto entries = parse_mountinfo(
        "27 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard\n"
        "40 27 0:45 /sub /srv/my\\040data rw shared:1 - btrfs /dev/mapper/data rw,subvol=/sub\n"
        "41 27 0:46 / /srv rw - tmpfs tmpfs rw\n"
        "42 41 8:1 / /srv rw - xfs /dev/sda1 rw\n");
    REQUIRE(entries.size() == 4);
    CHECK(entries[1].directory == "/srv/my data");
    CHECK(entries[1].source == "/dev/mapper/data");
    CHECK(entries[0].options.find("relatime") != std::string::npos);
    CHECK(entries[0].options.find("discard") != std::string::npos);
    CHECK(mount_of(entries, "/etc/passwd")->filesystem == "ext4");
    CHECK(mount_of(entries, "/srv/my data/file")->filesystem == "btrfs");
    CHECK(mount_of(entries, "/srv/other")->filesystem == "xfs");  // the upper of two
    CHECK(mount_of(entries, "/srvother")->filesystem == "ext4");
    CHECK(mount_of({}, "/") == nullptr);
    CHECK(parse_mountinfo("").empty());
    CHECK(parse_mountinfo("nonsense\n").empty());
}
