#include "tuner/apply/disk.h"

#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/fd.h"
#include "base/text.h"
#include "base/units.h"
#include "host/sysfs_block.h"
#include "tuner/target/device_use.h"

namespace fsadvise::tuner {

namespace {

constexpr std::uint64_t kSysfsSectorBytes = 512;
constexpr std::uint64_t kEdgeBytes = kMiB;  // read wholly at both ends
constexpr std::uint64_t kSamples = 128;     // places in between
constexpr std::size_t kSampleBytes = 4096;
constexpr const char* kById = "/dev/disk/by-id/";

// NVMe and virtio show the serial at the disk, SCSI behind the vital product data.
std::string serial_of(const FileReader& files, const std::string& disk) {
    for (const char* place : {"serial", "device/serial"})
        if (const auto text = block_text(files, disk, place)) return *text;
    if (const auto page = files.read("/sys/class/block/" + disk + "/device/vpd_pg80");
        page && page->size() > 4)
        return std::string(trim(page->substr(4)));  // 4 bytes of header, SPC-5 section 7.7
    return {};
}

std::string wwn_of(const FileReader& files, const std::string& disk) {
    for (const char* place : {"wwid", "device/wwid"})
        if (const auto text = block_text(files, disk, place)) return *text;
    return {};
}

bool is_uniform(const std::string& bytes) {
    const char first = bytes.empty() ? '\0' : bytes.front();
    const bool blank = first == '\0' || first == '\xff';  // never written, discarded, or erased flash
    return blank && bytes.find_first_not_of(first) == std::string::npos;
}

Result<bool> is_blank(int fd, std::uint64_t offset, std::uint64_t length, const std::string& path) {
    std::string bytes(length, '\0');
    std::size_t got = 0;
    while (got < bytes.size()) {
        const ssize_t count =
            ::pread(fd, bytes.data() + got, bytes.size() - got, static_cast<off_t>(offset + got));
        if (count < 0 && errno == EINTR) continue;
        if (count < 0)
            return fail(ErrorCode::kUnavailable, "cannot be read: " + errno_text(errno), path,
                        "check its cabling and dmesg");
        if (count == 0) break;
        got += static_cast<std::size_t>(count);
    }
    bytes.resize(got);
    return is_uniform(bytes);
}

// Data without a signature: a database on the bare disk, an encrypted disk with its header elsewhere.
Result<std::string> find_content(int fd, std::uint64_t size_bytes, const std::string& path) {
    // What another name of the disk has written must be seen.
    (void)::posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    const std::uint64_t edge = std::min(kEdgeBytes, size_bytes);
    std::vector<std::pair<std::uint64_t, std::uint64_t>> places = {{0, edge}, {size_bytes - edge, edge}};
    const std::uint64_t step = size_bytes / kSamples / kSampleBytes * kSampleBytes;
    for (std::uint64_t i = 1; step > 0 && i < kSamples; ++i) places.emplace_back(i * step, kSampleBytes);
    for (const auto& [offset, length] : places) {
        FSADVISE_ASSIGN(const bool blank, is_blank(fd, offset, length, path));
        if (!blank)
            return fmt::format("holds data without a known signature (within {} of byte {})",
                               size_text(length), offset);
    }
    return std::string();
}

std::string attachment_of(const FileReader& files, const std::string& disk) {
    const std::string boot(trim(files.read("/proc/sys/kernel/random/boot_id").value_or("")));
    return boot + "/" + disk + "/" + block_text(files, disk, "diskseq").value_or("");
}

std::string changed(const char* what, const std::string& then, const std::string& now) {
    return then == now ? ""
                       : fmt::format("its {} was '{}' and is '{}'", what, printable(then), printable(now));
}

}  // namespace

std::string DiskIdentity::text() const {
    std::vector<std::string> words = {size_text(size_bytes)};
    if (!model.empty()) words.push_back(printable(model));
    if (!serial.empty()) words.push_back("serial " + printable(serial));
    return join(words, ", ");
}

std::string difference(const DiskIdentity& then, const DiskIdentity& now) {
    for (const std::string& text :
         {changed("size", size_text(then.size_bytes), size_text(now.size_bytes)),
          changed("serial", then.serial, now.serial), changed("world-wide name", then.wwn, now.wwn),
          changed("model", then.model, now.model)}) {
        if (!text.empty()) return text;
    }
    // Links come and go with udev; one in common is enough.
    const bool both = !then.by_id.empty() && !now.by_id.empty();
    if (both && std::find_first_of(then.by_id.begin(), then.by_id.end(), now.by_id.begin(),
                                   now.by_id.end()) == then.by_id.end())
        return "none of its names below /dev/disk/by-id is the same";
    if (!then.says_who()) return changed("attachment (it has no serial)", then.attachment, now.attachment);
    return {};
}

nlohmann::json to_json(const DiskIdentity& identity) {
    return {{"name", identity.name},
            {"size_bytes", identity.size_bytes},
            {"serial", identity.serial},
            {"wwn", identity.wwn},
            {"model", identity.model},
            {"by_id", identity.by_id},
            {"attachment", identity.attachment}};
}

Result<DiskIdentity> disk_identity_from_json(const nlohmann::json& document, const std::string& name) {
    DiskIdentity identity;
    try {
        document.at("name").get_to(identity.name);
        document.at("size_bytes").get_to(identity.size_bytes);
        document.at("serial").get_to(identity.serial);
        document.at("wwn").get_to(identity.wwn);
        document.at("model").get_to(identity.model);
        document.at("by_id").get_to(identity.by_id);
        document.at("attachment").get_to(identity.attachment);
    } catch (const nlohmann::json::exception& error) {
        return fail(ErrorCode::kBadInput, error.what(), name);
    }
    return identity;
}

std::string DiskState::occupied_by() const {
    if (!in_use.empty()) return in_use;
    if (!signatures.empty()) return "carries " + to_text(signatures.front());
    return not_blank;
}

const Signature* DiskState::filesystem() const {
    const bool one = signatures.size() == 1 && !signatures.front().is_partition_table;
    return one && !signatures.front().uuid.empty() ? &signatures.front() : nullptr;
}

Result<DiskIdentity> identify_disk(const std::string& path, const FileReader& files) {
    DiskIdentity identity;
    FSADVISE_ASSIGN(identity.name, kernel_name_of(files, path));
    const std::string disk = whole_disk(files, identity.name);
    identity.size_bytes = block_number(files, identity.name, "size").value_or(0) * kSysfsSectorBytes;
    identity.serial = serial_of(files, disk);
    identity.wwn = wwn_of(files, disk);
    identity.model = block_text(files, disk, "device/model").value_or("");
    identity.attachment = attachment_of(files, disk);
    if (disk != identity.name) identity.attachment += "/" + identity.name;
    for (const std::string& entry : files.list(kById))
        // Names made from what is on the disk change when it is formatted.
        if (!entry.starts_with("lvm-pv-") && block_name(files, kById + entry) == identity.name)
            identity.by_id.push_back(kById + entry);
    return identity;
}

Result<DiskState> look_at_disk(const std::string& path, const FileReader& files) {
    DiskState state;
    state.path = path;
    FSADVISE_ASSIGN(state.identity, identify_disk(path, files));
    if (state.identity.size_bytes == 0) state.in_use = "has no medium";
    if (const auto unused = check_device_unused(files, state.identity.name, path); !unused)
        state.in_use = unused.error().message;
    if (state.in_use.empty() && block_number(files, state.identity.name, "ro").value_or(0) != 0)
        state.in_use = "is read-only";
    if (state.identity.size_bytes == 0) return state;
    auto device = Fd::open(path, O_RDONLY);
    if (!device) {
        return fail(ErrorCode::kUnavailable, "cannot be looked into (" + device.error().message + ")", path,
                    ::geteuid() == 0 ? "check dmesg" : "run as root");
    }
    FSADVISE_ASSIGN(state.signatures, find_signatures(device->get(), path));
    // Claims that no table shows: another mount namespace, a program that has it for itself.
    if (state.in_use.empty() && !open_claimed(path, O_RDONLY))
        state.in_use = "is held by another program or kernel subsystem";
    // A disk that the kernel holds is no candidate, so its content need not be read.
    if (state.in_use.empty() && state.signatures.empty()) {
        FSADVISE_ASSIGN(state.not_blank, find_content(device->get(), state.identity.size_bytes, path));
    }
    return state;
}

std::vector<std::string> disks_with_uuid(const FileReader& files, const std::string& uuid) {
    std::vector<std::string> found;
    for (const std::string& name : files.list("/sys/class/block")) {
        const auto device = Fd::open("/dev/" + name, O_RDONLY);
        if (!device || block_number(files, name, "size").value_or(0) == 0) continue;
        const auto signatures = find_signatures(device->get(), name);
        if (!signatures) continue;
        for (const Signature& signature : *signatures)
            if (signature.uuid == uuid) found.push_back(name);
    }
    return found;
}

}  // namespace fsadvise::tuner
