// Which filesystems meet the request, and a useful error if none does.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "advice/advise_parts.h"
#include "base/text.h"
#include "base/units.h"
#include "space/space.h"

namespace fsadvise {
namespace {

constexpr std::string_view kVendorSupport = "vendor-support";

// One thing the user insists on, and requirements that consist of nothing else.
struct Demand {
    std::string name;
    Requirements alone;
};

std::vector<Demand> demands_of(const Requirements& requirements) {
    std::vector<Demand> demands;
    const auto add = [&demands](std::string name) -> Requirements& {
        return demands.emplace_back(Demand{std::move(name), {}}).alone;
    };
    for (const auto& need : requirements.needs) add(need).needs = {need};
    for (const auto& [component, version] : requirements.readers) {
        add(fmt::format("readable by {} {}", component, version)).readers = {{component, version}};
    }
    if (const auto size = requirements.largest_file_bytes) {
        add("files of " + size_text(*size)).largest_file_bytes = size;
    }
    if (const auto size = requirements.largest_volume_bytes) {
        add("a volume of " + size_text(*size)).largest_volume_bytes = size;
    }
    if (!requirements.filesystems.empty()) {
        add("filesystem " + join(requirements.filesystems, " or ")).filesystems = requirements.filesystems;
    }
    return demands;
}

Requirements merged(const std::vector<Demand>& demands) {
    Requirements all;
    for (const auto& [name, alone] : demands) {
        all.needs.insert(alone.needs.begin(), alone.needs.end());
        all.readers.insert(alone.readers.begin(), alone.readers.end());
        if (alone.largest_file_bytes) all.largest_file_bytes = alone.largest_file_bytes;
        if (alone.largest_volume_bytes) all.largest_volume_bytes = alone.largest_volume_bytes;
        if (!alone.filesystems.empty()) all.filesystems = alone.filesystems;
    }
    return all;
}

std::string list_text(const std::vector<std::string>& names) {
    return names.empty() ? "none" : join(names, ", ");
}

// Filesystems that meet all of them; `reasons` receives "ext4: ..." for the others.
std::vector<std::string> meeting(const Knowledge& knowledge, const Request& request,
                                 const std::vector<Demand>& demands,
                                 std::vector<std::string>* reasons = nullptr) {
    const auto requirements = merged(demands);
    std::vector<std::string> result;
    for (const auto& filesystem : knowledge.filesystems()) {
        const auto reason = unmet_requirement(knowledge, request.host, requirements, filesystem);
        if (reason.empty()) result.push_back(filesystem.id);
        if (!reason.empty() && reasons != nullptr) reasons->push_back(filesystem.id + ": " + reason);
    }
    return result;
}

// The fewest of the demands that nothing meets together: drops each one that does not matter.
std::vector<Demand> conflict_among(const Knowledge& knowledge, const Request& request,
                                   std::vector<Demand> demands) {
    for (std::size_t i = demands.size(); i-- > 0;) {
        auto fewer = demands;
        fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
        if (meeting(knowledge, request, fewer).empty()) demands = std::move(fewer);
    }
    return demands;
}

tl::unexpected<Error> nobody_offers(const Demand& demand, const std::vector<std::string>& reasons) {
    return fail(ErrorCode::kUsage,
                fmt::format("no known filesystem offers '{}' ({})", demand.name, join(reasons, "; ")),
                "requirements", "leave the requirement out");
}

tl::unexpected<Error> exclude_each_other(const Knowledge& knowledge, const Request& request,
                                         const std::vector<Demand>& demands,
                                         const std::vector<std::string>& reasons) {
    std::vector<std::string> names, offers, relief;
    for (std::size_t i = 0; i < demands.size(); ++i) {
        names.push_back(fmt::format("'{}'", demands[i].name));
        auto fewer = demands;
        fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
        offers.push_back(fmt::format("{} is offered by {}", demands[i].name,
                                     list_text(meeting(knowledge, request, {demands[i]}))));
        relief.push_back(
            fmt::format("without {}: {}", names.back(), list_text(meeting(knowledge, request, fewer))));
    }
    const auto last = names.back();
    names.pop_back();
    return fail(ErrorCode::kUsage,
                fmt::format("the requirements {} and {} exclude each other: {} ({})", join(names, ", "), last,
                            join(offers, ", "), join(reasons, "; ")),
                "requirements",
                fmt::format("give up one of the {}: {}", demands.size() == 2 ? "two" : "requirements",
                            join(relief, "; ")));
}

// Filesystems that this target can have with these demands.
std::vector<std::string> usable_with(const Knowledge& knowledge, const Request& request,
                                     const std::vector<Demand>& demands,
                                     std::vector<std::string>* reasons = nullptr) {
    auto fewer = request;
    fewer.requirements = merged(demands);
    return usable_filesystems(knowledge, fewer, reasons);
}

// "kernel 4.18, rhel 8"
std::string target_text(const Host& host) {
    std::vector<std::string> facts;
    if (!host.kernel.empty()) facts.push_back("kernel " + host.kernel);
    if (!host.distribution.empty())
        facts.push_back(std::string(trim(host.distribution + " " + host.distribution_version)));
    if (host.device && host.device->size_bytes)
        facts.push_back("a device of " + size_text(*host.device->size_bytes));
    return facts.empty() ? "unknown" : join(facts, ", ");
}

// Some filesystem meets the demands, but none of those that the target can have: names the fewest demands.
tl::unexpected<Error> target_excludes(const Knowledge& knowledge, const Request& request,
                                      std::vector<Demand> demands) {
    for (std::size_t i = demands.size(); i-- > 0;) {
        auto fewer = demands;
        fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
        if (usable_with(knowledge, request, fewer).empty()) demands = std::move(fewer);
    }
    std::vector<std::string> names, relief, reasons;
    (void)usable_with(knowledge, request, demands, &reasons);
    for (std::size_t i = 0; i < demands.size(); ++i) {
        names.push_back(fmt::format("'{}'", demands[i].name));
        auto fewer = demands;
        fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
        relief.push_back(
            fmt::format("without {}: {}", names.back(), list_text(usable_with(knowledge, request, fewer))));
    }
    return fail(
        ErrorCode::kUsage,
        fmt::format("the requirement{} {} and the target ({}) exclude each other: {}",
                    names.size() == 1 ? "" : "s", join(names, ", "), target_text(request.host),
                    join(reasons, "; ")),
        "requirements",
        fmt::format("give up one of them ({}), or describe another target (--kernel, --distro, --size)",
                    join(relief, "; ")));
}

// Called when nothing is left: blames requirements first, the machine last.
tl::unexpected<Error> diagnose(const Knowledge& knowledge, const Request& request,
                               const std::vector<std::string>& excluded) {
    const auto demands = demands_of(request.requirements);
    if (!demands.empty() && meeting(knowledge, request, demands).empty()) {
        const auto guilty = conflict_among(knowledge, request, demands);
        std::vector<std::string> reasons;
        (void)meeting(knowledge, request, guilty, &reasons);
        if (guilty.size() == 1) return nobody_offers(guilty.front(), reasons);
        return exclude_each_other(knowledge, request, guilty, reasons);
    }
    if (!demands.empty() && usable_with(knowledge, request, demands).empty() &&
        !usable_with(knowledge, request, {}).empty())
        return target_excludes(knowledge, request, demands);
    return fail(ErrorCode::kUnavailable, "no filesystem is left: " + join(excluded, "; "), "requirements",
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

tl::unexpected<Error> nothing_can_be_made(const Request& request, const std::vector<std::string>& unmet_needs,
                                          const std::vector<std::string>& reasons) {
    if (unmet_needs.empty()) {
        return fail(ErrorCode::kUnavailable,
                    "no filesystem can be made on this target: " + join(reasons, "; "), {},
                    "describe another target (--size, --kernel) or relax a requirement");
    }
    return fail(ErrorCode::kUsage,
                fmt::format("the requirement{} '{}' and the target ({}) exclude each other: {}",
                            unmet_needs.size() == 1 ? "" : "s", join(unmet_needs, "', '"),
                            target_text(request.host), join(reasons, "; ")),
                "requirements", "give the requirement up, or describe another target (--kernel, --distro)");
}

Result<std::vector<std::string>> eligible_filesystems(const Knowledge& knowledge, const Request& request,
                                                      std::vector<std::string>& excluded) {
    auto result = usable_filesystems(knowledge, request, &excluded);
    if (result.empty()) return diagnose(knowledge, request, excluded);
    return result;
}

}  // namespace fsadvise
