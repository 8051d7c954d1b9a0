#include "tuner/target/device_ground.h"

#include <algorithm>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/units.h"
#include "host/host.h"
#include "host/sysfs_block.h"
#include "tuner/target/area_layout.h"
#include "tuner/target/device_use.h"
#include "tuner/target/kernel_partitions.h"
#include "tuner/target/loop_device.h"
#include "tuner/target/signature.h"

namespace fsadvise::tuner {

namespace {

struct FoundDevice {
    std::string name;  // kernel name
    AreaLayout layout;
};

// A file given for a device is a scratch file, named with another option.
Result<std::string> kernel_name(const std::string& path, const FileReader& files) {
    auto name = kernel_name_of(files, path);
    struct stat status {};
    if (!name && ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode))
        name.error().hint = "a file is named with --scratch-file";
    return name;
}

// Everything that can be told without opening the device, thus without root.
Result<FoundDevice> check_from_outside(const TargetRequest& request, const FileReader& files) {
    const std::string& path = request.device;
    FSADVISE_ASSIGN(std::string name, kernel_name(path, files));
    FSADVISE_TRY(check_device_unused(files, name, path));
    if (block_number(files, name, "ro").value_or(0) != 0) {
        return fail(ErrorCode::kUnavailable, "is read-only", path, "blockdev --setrw makes it writable");
    }
    const std::uint64_t size_bytes = block_number(files, name, "size").value_or(0) * 512;
    const auto layout = layout_areas(size_bytes);
    if (!layout) {
        return fail(ErrorCode::kUnavailable,
                    fmt::format("is too small: {}, two areas need at least {}", size_text(size_bytes),
                                size_text(kMinimumTotalBytes)),
                    path);
    }
    return FoundDevice{std::move(name), *layout};
}

Result<void> check_signatures(int fd, const TargetRequest& request, const FoundDevice& found,
                              const FileReader& files) {
    FSADVISE_ASSIGN(const std::vector<Signature> signatures, find_signatures(fd, request.device));
    if (!signatures.empty() && !request.overwrite_signature) {
        return fail(ErrorCode::kUnavailable, "carries " + to_text(signatures.front()), request.device,
                    "if its data may be destroyed, add --overwrite-signature");
    }
    const bool on_disk = std::any_of(signatures.begin(), signatures.end(),
                                     [](const Signature& signature) { return signature.is_partition_table; });
    if (!on_disk && !is_our_layout(files, found.name, found.layout)) {
        return fail(ErrorCode::kUnavailable, "has partitions in the kernel that no table on it explains",
                    request.device, "if they are not needed, remove them: partx -d " + request.device);
    }
    return {};
}

// The lock tells udev to leave the device alone, and another run that it is taken.
// Source: systemd, "Locking Block Device Access".
Result<Fd> open_locked(const std::string& path) {
    FSADVISE_ASSIGN(Fd device, Fd::open(path, O_RDWR));
    if (::flock(device.get(), LOCK_EX | LOCK_NB) != 0) {
        return fail(ErrorCode::kUnavailable, "is locked by another program", path, "wait for it to end");
    }
    return device;
}

Result<Ground> lay_partitions(Fd disk, const FoundDevice& found, const FileReader& files) {
    FSADVISE_ASSIGN(std::shared_ptr<KernelPartitions> partitions,
                    KernelPartitions::make(std::move(disk), found.name, found.layout, files));
    Ground ground;
    for (const std::string& device : partitions->devices()) {
        // An open partition keeps the kernel from re-reading the (empty) partition table.
        FSADVISE_ASSIGN(Fd keeper, Fd::open(device, O_RDONLY));
        ground.areas.push_back({device, std::move(keeper)});
    }
    ground.owner = std::move(partitions);
    return ground;
}

// For what cannot be partitioned: partitions, mapped devices, RAM disks.
Result<Ground> lay_loops(Fd claim, const std::string& path, const FoundDevice& found) {
    Ground ground;
    for (int area = 0; area < kAreas; ++area) {
        FSADVISE_ASSIGN(
            LoopDevice loop,
            LoopDevice::attach(claim.get(), path, found.layout.offset_bytes(area), found.layout.area_bytes));
        ground.areas.push_back({loop.path(), loop.release_descriptor()});
    }
    ground.owner = std::make_shared<Fd>(std::move(claim));
    return ground;
}

// ext_range counts the disk and its partitions; mapped devices and RAM disks have 1.
bool takes_partitions(const FileReader& files, const std::string& name) {
    return !block_text(files, name, "partition") &&
           block_number(files, name, "ext_range").value_or(1) > kAreas;
}

}  // namespace

Result<void> check_device(const TargetRequest& request, const FileReader& files) {
    if (request.device != request.erase) {
        return fail(ErrorCode::kUsage,
                    request.erase.empty()
                        ? "a device that is to be erased must be named twice"
                        : fmt::format("--device and --erase name different things ('{}')", request.erase),
                    request.device,
                    fmt::format("add --erase {} if all its data may be destroyed", request.device));
    }
    FSADVISE_ASSIGN(const FoundDevice found, check_from_outside(request, files));
    if (::geteuid() != 0) return {};  // only root can look inside; the caller refuses
    FSADVISE_ASSIGN(const Fd device, open_claimed(request.device, O_RDONLY));
    return check_signatures(device.get(), request, found, files);
}

Result<Ground> open_device(const TargetRequest& request, const FileReader& files) {
    FSADVISE_TRY(check_device(request, files));
    FSADVISE_ASSIGN(Fd locked, open_locked(request.device));
    FSADVISE_ASSIGN(Fd claim, open_claimed(request.device, O_RDWR));
    // Again under the claim: nobody can have come in between now and the check.
    FSADVISE_ASSIGN(const FoundDevice found, check_from_outside(request, files));
    FSADVISE_TRY(check_signatures(claim.get(), request, found, files));
    if (request.overwrite_signature) FSADVISE_TRY(erase_signatures(claim.get(), request.device));

    const bool partitions = takes_partitions(files, found.name);
    if (partitions) {
        FSADVISE_TRY(forget_partitions(locked.get(), found.name, files));
        claim.reset();  // an exclusive claim on the disk would keep its partitions from being mounted
    }
    auto ground = partitions ? lay_partitions(std::move(locked), found, files)
                             : lay_loops(std::move(claim), request.device, found);
    if (!ground) return ground;
    ground->area_bytes = found.layout.area_bytes;
    const auto facts = probe_device(files, "/dev/" + found.name);
    const std::string model = facts ? facts->model : "";
    const std::string media = facts ? facts->media : "";
    ground->stands_for =
        fmt::format("the device {}{}{}", request.device, model.empty() ? "" : " (" + model + ")",
                    partitions ? "" : ", through loop devices");
    ground->medium = media == "ram" || media == "loop" ? media : "device";
    return ground;
}

}  // namespace fsadvise::tuner
