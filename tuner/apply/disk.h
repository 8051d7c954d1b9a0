// One disk as apply and hook see it: who it is, who uses it, what is on it. Reads only.
//
// Units: bytes.
// Errors: kUnavailable for what is no block device, or cannot be looked into (root is needed).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/file_reader.h"
#include "base/result.h"
#include "tuner/target/signature.h"

namespace fsadvise::tuner {

// What tells a disk from another one, as far as it says so itself.
struct DiskIdentity {
    std::string name;  // of the kernel, until the next boot: "vdb"
    std::uint64_t size_bytes = 0;
    std::string serial, wwn, model;
    std::vector<std::string> by_id;  // links below /dev/disk/by-id
    std::string attachment;  // this boot and this attachment; changes when another disk takes its place

    // The disk itself says who it is; a virtual disk without a serial does not.
    [[nodiscard]] bool says_who() const { return !serial.empty() || !wwn.empty(); }
    [[nodiscard]] std::string text() const;  // "20 GiB, serial S1"
};
// "" or what differs: "the serial was S1 and is S2".
std::string difference(const DiskIdentity& then, const DiskIdentity& now);
nlohmann::json to_json(const DiskIdentity& identity);
Result<DiskIdentity> disk_identity_from_json(const nlohmann::json& document, const std::string& name);

struct DiskState {
    std::string path;  // as named
    DiskIdentity identity;
    std::string in_use;  // "is mounted at /srv", or empty
    std::vector<Signature> signatures;
    std::string not_blank;  // "holds data at 1 MiB" although no signature tells what, or empty

    [[nodiscard]] bool is_empty() const { return in_use.empty() && signatures.empty() && not_blank.empty(); }
    // Why it is not empty: the first of the three.
    [[nodiscard]] std::string occupied_by() const;
    // The one filesystem on it, or null.
    [[nodiscard]] const Signature* filesystem() const;
};

Result<DiskIdentity> identify_disk(const std::string& path, const FileReader& files);
// Its content is read at both ends and at places in between, unless it is in use or a signature tells enough.
Result<DiskState> look_at_disk(const std::string& path, const FileReader& files);

// Filesystems of this UUID on the disks of the machine: kernel names.
std::vector<std::string> disks_with_uuid(const FileReader& files, const std::string& uuid);

}  // namespace fsadvise::tuner
