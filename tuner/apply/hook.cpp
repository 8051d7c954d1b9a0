#include "tuner/apply/hook.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace fsadvise::tuner {

namespace {

std::string list_of(const std::vector<Candidate>& found) {
    std::vector<std::string> lines;
    for (const Candidate& candidate : found) lines.push_back(candidate.text());
    return join(lines, "; ");
}

bool is_ours(const Candidate& candidate, const std::string& label) {
    const Signature* filesystem = candidate.state.filesystem();
    return filesystem != nullptr && filesystem->label == label;
}

bool is_cut_off(const Candidate& candidate, const Choosing& choosing) {
    const DiskState& state = candidate.state;
    return candidate.unseen.empty() && state.in_use.empty() && state.signatures.empty() && choosing.begun &&
           choosing.begun(state.identity);
}

}  // namespace

Result<Chosen> choose_disk(const Choosing& choosing, const FileReader& files) {
    const auto found = candidates(choosing.rule, files);
    const std::string place = "--match " + choosing.rule.text;
    if (found.empty()) {
        const auto all = candidates(MatchRule{}, files);
        return fail(ErrorCode::kUnavailable, "no disk fits the rule", place,
                    all.empty() ? "this machine has no disk" : "its disks: " + list_of(all));
    }
    std::vector<Candidate> ours, empty;
    for (const Candidate& candidate : found) {
        if (is_ours(candidate, choosing.label)) ours.push_back(candidate);
        if (candidate.is_empty() || is_cut_off(candidate, choosing)) empty.push_back(candidate);
    }
    if (ours.size() > 1) {
        return fail(
            ErrorCode::kUnavailable,
            fmt::format("{} disks carry the label {}: {}", ours.size(), choosing.label, list_of(ours)), place,
            "narrow the rule, or detach the copies");
    }
    if (ours.size() == 1) {
        const Signature& filesystem = *ours.front().state.filesystem();
        return Chosen{ours.front().path, true, filesystem.uuid, filesystem.type};
    }
    if (empty.empty()) {
        return fail(ErrorCode::kUnavailable, "no disk that fits the rule is empty: " + list_of(found), place,
                    "nothing was touched; a disk with anything on it is never formatted");
    }
    if (empty.size() > 1) {
        return fail(ErrorCode::kUnavailable,
                    fmt::format("{} empty disks fit the rule: {}", empty.size(), list_of(empty)), place,
                    "nothing was touched; narrow the rule, for example with by-id= or serial=");
    }
    return Chosen{empty.front().path, false, {}, {}};
}

nlohmann::json to_json(const Hooked& hooked) {
    return {{"schema_version", 1},
            {"state", hooked.state},
            {"changed", hooked.changed},
            {"device", hooked.device},
            {"uuid", hooked.uuid},
            {"label", hooked.label},
            {"filesystem", hooked.filesystem},
            {"mount_point", hooked.mount_point},
            {"mount_options", hooked.mount_options},
            {"fstab", hooked.fstab},
            {"workload", hooked.workload},
            {"advice_digest", hooked.advice_digest},
            {"record", hooked.record}};
}

nlohmann::json to_flat_json(const Hooked& hooked) {
    nlohmann::json flat = to_json(hooked);
    for (auto& value : flat)
        if (!value.is_string()) value = value.dump();
    return flat;
}

}  // namespace fsadvise::tuner
