// Names that apply gives to what it makes.
#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "base/text.h"
#include "tuner/apply/plan.h"

namespace fsadvise::tuner {

std::string default_label(const std::string& workload) {
    std::string label;
    for (const char c : workload)
        if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-') label += c;
    label = label.substr(0, kLongestLabel);
    return label.empty() ? "data" : label;
}

Result<void> check_label(const std::string& label) {
    const bool plain = !label.empty() && std::all_of(label.begin(), label.end(), [](unsigned char c) {
        return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.' || c == ':';
    });
    if (plain && label.size() <= kLongestLabel && label.front() != '-') return {};
    return fail(ErrorCode::kUsage, "'" + printable(label) + "' is no label", "--label",
                fmt::format("write up to {} letters, digits, '-', '_', '.' or ':'", kLongestLabel));
}

std::string derived_uuid(const std::string& machine_id, const DiskIdentity& disk, const Wish& wish) {
    const std::string who =
        disk.says_who() ? disk.serial + "\n" + disk.wwn + "\n" + disk.name : disk.attachment;
    const std::string seed = fmt::format("{}\n{}\n{}\n{}\n{}\n{}", machine_id, who, disk.size_bytes,
                                         wish.directory, wish.label, canonical_text(wish.configuration));
    std::string hex = fingerprint("fsadvise 1\n" + seed) + fingerprint("fsadvise 2\n" + seed);
    hex[12] = '8';  // version 8: made by a rule of one's own, RFC 9562
    hex[16] = "89ab"[(hex[16] >= 'a' ? hex[16] - 'a' + 10 : hex[16] - '0') & 3];  // its variant
    return fmt::format("{}-{}-{}-{}-{}", hex.substr(0, 8), hex.substr(8, 4), hex.substr(12, 4),
                       hex.substr(16, 4), hex.substr(20));
}

}  // namespace fsadvise::tuner
