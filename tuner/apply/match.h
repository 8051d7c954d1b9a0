// Which disks a rule speaks of: "size>=10G,by-id=*DATA*". All terms must hold.
//
//   size (>=, <=, >, <, =), and by shell pattern (=, !=): name, by-id, serial, model, media
// Loop devices and RAM disks are looked at only if a term on `name` names them.
// Errors: kUsage with the term and the nearest known word.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/file_reader.h"
#include "base/result.h"
#include "tuner/apply/disk.h"

namespace fsadvise::tuner {

struct MatchTerm {
    std::string key, relation, pattern;
    std::uint64_t bytes = 0;  // of a size
};

struct MatchRule {
    std::string text;
    std::vector<MatchTerm> terms;
    [[nodiscard]] bool names_virtual_disks() const;
};

Result<MatchRule> parse_match(const std::string& text);
bool matches(const MatchRule& rule, const DiskIdentity& disk, const std::string& media);

struct Candidate {
    std::string path;  // the stable name where there is one
    DiskState state;
    std::string unseen;  // why it could not be looked into, or empty
    [[nodiscard]] bool is_empty() const { return unseen.empty() && state.is_empty(); }
    [[nodiscard]] std::string text() const;  // "/dev/vdb (20 GiB): carries a signature (ext4)"
};
// Whole disks that the rule speaks of, empty or not.
std::vector<Candidate> candidates(const MatchRule& rule, const FileReader& files);

}  // namespace fsadvise::tuner
