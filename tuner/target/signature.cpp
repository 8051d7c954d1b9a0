#include "tuner/target/signature.h"

#include <memory>

#include <blkid/blkid.h>
#include <fmt/format.h>

#include "base/text.h"

namespace fsadvise::tuner {

namespace {

using Probe = std::unique_ptr<struct blkid_struct_probe, void (*)(blkid_probe)>;

constexpr int kFound = 0;  // blkid_do_probe(): 0 found one, 1 no more, negative error
constexpr int kNoMore = 1;
constexpr int kMostSignatures = 64;

Result<Probe> make_probe(int fd, const std::string& path) {
    Probe probe(blkid_new_probe(), &blkid_free_probe);
    if (!probe || blkid_probe_set_device(probe.get(), fd, 0, 0) != 0) {
        return fail(ErrorCode::kUnavailable, "cannot be read for signatures", path);
    }
    blkid_probe_enable_superblocks(probe.get(), 1);
    // A damaged superblock still says that someone's data may be there.
    blkid_probe_set_superblocks_flags(
        probe.get(), BLKID_SUBLKS_TYPE | BLKID_SUBLKS_LABEL | BLKID_SUBLKS_UUID | BLKID_SUBLKS_MAGIC |
                         BLKID_SUBLKS_BADCSUM);
    blkid_probe_enable_partitions(probe.get(), 1);
    blkid_probe_set_partitions_flags(probe.get(), BLKID_PARTS_MAGIC | BLKID_PARTS_FORCE_GPT);
    return probe;
}

std::string value_of(blkid_probe probe, const char* name) {
    const char* value = nullptr;
    return blkid_probe_lookup_value(probe, name, &value, nullptr) == 0 && value ? value : "";
}

}  // namespace

std::string to_text(const Signature& signature) {
    if (signature.is_partition_table) return fmt::format("a partition table ({})", signature.type);
    if (signature.label.empty()) return fmt::format("a signature ({})", signature.type);
    return fmt::format("a signature ({}, label '{}')", signature.type, signature.label);
}

Result<std::vector<Signature>> find_signatures(int fd, const std::string& path) {
    FSADVISE_ASSIGN(const Probe probe, make_probe(fd, path));
    std::vector<Signature> signatures;
    int status = kFound;
    while (signatures.size() < kMostSignatures && (status = blkid_do_probe(probe.get())) == kFound) {
        Signature signature;
        signature.type = value_of(probe.get(), "TYPE");
        signature.label = value_of(probe.get(), "LABEL");
        signature.uuid = lower(value_of(probe.get(), "UUID"));
        if (signature.type.empty()) {
            signature.type = value_of(probe.get(), "PTTYPE");
            signature.is_partition_table = true;
        }
        signatures.push_back(std::move(signature));
    }
    if (status < 0)
        return fail(ErrorCode::kUnavailable, "cannot be read for signatures", path,
                    "check its cabling and dmesg");
    return signatures;
}

Result<void> erase_signatures(int fd, const std::string& path) {
    FSADVISE_ASSIGN(const Probe probe, make_probe(fd, path));
    int status = kFound;
    for (int count = 0; count < kMostSignatures && (status = blkid_do_probe(probe.get())) == kFound;
         ++count) {
        // Erasing steps the probe back by itself, so that a second copy of the same kind is found too.
        if (blkid_do_wipe(probe.get(), 0) != 0) {
            return fail(ErrorCode::kRunFailed, "cannot erase " + value_of(probe.get(), "TYPE") + " signature",
                        path);
        }
    }
    if (status != kNoMore) return fail(ErrorCode::kRunFailed, "signatures are left after erasing", path);
    FSADVISE_ASSIGN(const std::vector<Signature> left, find_signatures(fd, path));
    if (left.empty()) return {};
    return fail(ErrorCode::kRunFailed, "still carries " + to_text(left.front()) + " after erasing", path);
}

}  // namespace fsadvise::tuner
