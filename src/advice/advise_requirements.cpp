// Which filesystems meet the request, and a useful error if none does.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "advice/advise_parts.h"
#include "base/text.h"
#include "space/space.h"

namespace fsadvise {
namespace {

constexpr std::string_view kVendorSupport = "vendor-support";

// Why the filesystem does not offer the requirement; empty = it does.
std::string missing_capability(const Knowledge& knowledge, const Request& request,
                               const Filesystem& filesystem, const std::string& need) {
    if (need == kVendorSupport) {
        const auto& host = request.host;
        const auto* distribution = knowledge.distribution(host.distribution, host.distribution_version);
        if (distribution == nullptr) return {};
        const auto status = distribution->filesystems.find(filesystem.id);
        if (status == distribution->filesystems.end() || status->second == "supported") return {};
        return fmt::format("{} does not support it", distribution->title);
    }
    const auto found = filesystem.capabilities.find(need);
    if (found == filesystem.capabilities.end()) return "not known to offer it";
    return found->second.starts_with("no") ? found->second : std::string();
}

std::set<std::string> offering(const Knowledge& knowledge, const Request& request, const std::string& need) {
    std::set<std::string> result;
    for (const auto& filesystem : knowledge.filesystems()) {
        if (missing_capability(knowledge, request, filesystem, need).empty()) result.insert(filesystem.id);
    }
    return result;
}

std::string list_text(const std::set<std::string>& names) {
    return names.empty() ? "none" : join(std::vector<std::string>(names.begin(), names.end()), ", ");
}

tl::unexpected<Error> nobody_offers(const Knowledge& knowledge, const Request& request,
                                    const std::string& need) {
    std::string reasons;
    for (const auto& filesystem : knowledge.filesystems()) {
        reasons += fmt::format("{}{}: {}", reasons.empty() ? "" : "; ", filesystem.id,
                               missing_capability(knowledge, request, filesystem, need));
    }
    return fail(ErrorCode::kBadInput, fmt::format("no known filesystem offers '{}' ({})", need, reasons),
                "requirements", "leave the requirement out");
}

tl::unexpected<Error> exclude_each_other(const std::string& a, const std::set<std::string>& a_by,
                                         const std::string& b, const std::set<std::string>& b_by) {
    return fail(
        ErrorCode::kBadInput,
        fmt::format("the requirements '{}' and '{}' exclude each other: {} is offered by {}, {} by {}", a, b,
                    a, list_text(a_by), b, list_text(b_by)),
        "requirements", "give up one of the two");
}

bool disjoint(const std::set<std::string>& a, const std::set<std::string>& b) {
    return std::ranges::none_of(a, [&](const std::string& name) { return b.contains(name); });
}

// Called when nothing is left: blames requirements first, the machine last.
tl::unexpected<Error> diagnose(const Knowledge& knowledge, const Request& request,
                               const std::vector<std::string>& excluded) {
    const auto& needs = request.requirements.needs;
    std::map<std::string, std::set<std::string>> by_need;
    for (const auto& need : needs) {
        by_need[need] = offering(knowledge, request, need);
        if (by_need[need].empty()) return nobody_offers(knowledge, request, need);
    }
    for (auto a = by_need.begin(); a != by_need.end(); ++a) {
        for (auto b = std::next(a); b != by_need.end(); ++b) {
            if (disjoint(a->second, b->second))
                return exclude_each_other(a->first, a->second, b->first, b->second);
        }
    }
    const std::set<std::string> only(request.requirements.filesystems.begin(),
                                     request.requirements.filesystems.end());
    for (const auto& [need, offered_by] : by_need) {
        if (!only.empty() && disjoint(only, offered_by)) {
            return exclude_each_other(need, offered_by, "filesystem " + list_text(only), only);
        }
    }
    const auto code = needs.size() > 2 ? ErrorCode::kBadInput : ErrorCode::kUnavailable;
    return fail(code, "no filesystem is left: " + join(excluded, "; "), "requirements",
                "relax a requirement or describe another target (--kernel, --distro, --size)");
}

}  // namespace

Result<void> check_words(const Knowledge& knowledge, const Request& request) {
    static const std::vector<std::string> kClasses = {"strict", "relaxed", "scratch"};
    const auto& requirements = request.requirements;
    if (std::ranges::find(kClasses, requirements.durability) == kClasses.end()) {
        return fail(ErrorCode::kUsage,
                    fmt::format("unknown durability class '{}'{}", requirements.durability,
                                did_you_mean(requirements.durability, kClasses)),
                    {}, "classes: strict, relaxed, scratch");
    }
    std::set<std::string> known = {std::string(kVendorSupport)};
    std::vector<std::string> ids;
    for (const auto& filesystem : knowledge.filesystems()) {
        ids.push_back(filesystem.id);
        for (const auto& [capability, answer] : filesystem.capabilities) known.insert(capability);
    }
    const std::vector<std::string> words(known.begin(), known.end());
    for (const auto& need : requirements.needs) {
        if (known.contains(need)) continue;
        return fail(ErrorCode::kUsage,
                    fmt::format("unknown requirement '{}'{}", need, did_you_mean(need, words)), {},
                    "requirements: " + join(words, ", "));
    }
    for (const auto& id : requirements.filesystems) {
        if (knowledge.filesystem(id) != nullptr) continue;
        return fail(ErrorCode::kUsage, fmt::format("unknown filesystem '{}'{}", id, did_you_mean(id, ids)),
                    {}, "filesystems: " + join(ids, ", "));
    }
    return {};
}

Result<std::vector<std::string>> eligible_filesystems(const Knowledge& knowledge, const Request& request,
                                                      std::vector<std::string>& excluded) {
    auto result = usable_filesystems(knowledge, request, &excluded);
    if (result.empty()) return diagnose(knowledge, request, excluded);
    return result;
}

}  // namespace fsadvise
