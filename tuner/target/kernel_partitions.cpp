#include "tuner/target/kernel_partitions.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <thread>

#include <fmt/format.h>
#include <linux/blkpg.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/log.h"
#include "host/sysfs_block.h"

namespace fsadvise::tuner {

namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kSysfsSectorBytes = 512;
constexpr auto kPatience = 2s;  // device nodes appear, and the last opener of a partition (udev) lets go
constexpr auto kPause = 20ms;

// 0 or an errno value.
int partition_ioctl(int disk_fd, int operation, int number, std::uint64_t start_bytes,
                    std::uint64_t size_bytes) {
    blkpg_partition partition{};
    partition.start = static_cast<long long>(start_bytes);
    partition.length = static_cast<long long>(size_bytes);
    partition.pno = number;
    blkpg_ioctl_arg argument{};
    argument.op = operation;
    argument.datalen = sizeof partition;
    argument.data = &partition;
    return ::ioctl(disk_fd, BLKPG, &argument) == 0 ? 0 : errno;
}

int delete_partition(int disk_fd, int number) {
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    int error = 0;
    while ((error = partition_ioctl(disk_fd, BLKPG_DEL_PARTITION, number, 0, 0)) == EBUSY &&
           std::chrono::steady_clock::now() < deadline) {
        std::this_thread::sleep_for(kPause);
    }
    return error == ENXIO ? 0 : error;  // somebody else's re-read of the table removed it
}

std::string node_of(const FileReader& files, const std::string& disk, int number) {
    for (const std::string& partition : partitions_of(files, disk)) {
        if (block_number(files, partition, "partition") != static_cast<std::uint64_t>(number)) continue;
        std::string node = partition;
        std::replace(node.begin(), node.end(), '!', '/');
        return "/dev/" + node;
    }
    return {};
}

std::string wait_for_node(const FileReader& files, const std::string& disk, int number) {
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    do {
        const std::string node = node_of(files, disk, number);
        if (!node.empty() && ::access(node.c_str(), F_OK) == 0) return node;
        std::this_thread::sleep_for(kPause);
    } while (std::chrono::steady_clock::now() < deadline);
    return {};
}

}  // namespace

Result<std::unique_ptr<KernelPartitions>> KernelPartitions::make(Fd disk, const std::string& name,
                                                                 const AreaLayout& layout,
                                                                 const FileReader& files) {
    std::unique_ptr<KernelPartitions> partitions(new KernelPartitions(std::move(disk), name));
    for (int area = 0; area < kAreas; ++area) {
        const int error = partition_ioctl(partitions->disk_.get(), BLKPG_ADD_PARTITION, area + 1,
                                          layout.offset_bytes(area), layout.area_bytes);
        if (error != 0) {
            return fail(ErrorCode::kUnavailable,
                        "cannot make a partition in the kernel: " + errno_text(error), name);
        }
        partitions->made_ = area + 1;
        std::string node = wait_for_node(files, name, area + 1);
        if (node.empty()) {
            return fail(ErrorCode::kUnavailable,
                        fmt::format("no device node appeared for partition {}", area + 1), name,
                        "/dev must be a devtmpfs");
        }
        partitions->devices_.push_back(std::move(node));
    }
    return partitions;
}

KernelPartitions::~KernelPartitions() {
    for (int number = made_; number > 0; --number) {
        if (const int error = delete_partition(disk_.get(), number); error != 0) {
            log_warning("cannot remove partition {} of {}: {}; the next run or 'delpart /dev/{} {}' does",
                        number, name_, errno_text(error), name_, number);
        }
    }
}

bool is_our_layout(const FileReader& files, const std::string& disk, const AreaLayout& layout) {
    for (const std::string& partition : partitions_of(files, disk)) {
        const auto number = block_number(files, partition, "partition").value_or(0);
        if (number < 1 || number > kAreas) return false;
        const auto start = block_number(files, partition, "start").value_or(0) * kSysfsSectorBytes;
        const auto size = block_number(files, partition, "size").value_or(0) * kSysfsSectorBytes;
        if (start != layout.offset_bytes(static_cast<int>(number) - 1) || size != layout.area_bytes)
            return false;
    }
    return true;
}

Result<void> forget_partitions(int disk_fd, const std::string& disk, const FileReader& files) {
    for (const std::string& partition : partitions_of(files, disk)) {
        const auto number = block_number(files, partition, "partition").value_or(0);
        if (const int error = delete_partition(disk_fd, static_cast<int>(number)); error != 0) {
            return fail(ErrorCode::kUnavailable, "cannot remove the partition: " + errno_text(error),
                        partition, "something has it open; lsof names it");
        }
    }
    return {};
}

}  // namespace fsadvise::tuner
