#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "base/units.h"
#include "space/component_version.h"
#include "space/space.h"

namespace fsadvise {
namespace {

std::string support_of(const Knowledge& knowledge, const Host& host, const std::string& filesystem) {
    const Distribution* distribution = knowledge.distribution(host.distribution, host.distribution_version);
    if (distribution == nullptr) return {};
    const auto status = distribution->filesystems.find(filesystem);
    return status == distribution->filesystems.end() ? std::string{} : status->second;
}

// Why the filesystem does not meet a need, or "".
std::string unmet(const Knowledge& knowledge, const Host& host, const Filesystem& filesystem,
                  const std::string& need) {
    if (need == "vendor-support") {
        const std::string status = support_of(knowledge, host, filesystem.id);
        return status.empty() || status == "supported"
                   ? std::string{}
                   : fmt::format("{} {} does not support it", host.distribution, host.distribution_version);
    }
    const auto capability = filesystem.capabilities.find(need);
    if (capability == filesystem.capabilities.end()) return fmt::format("not known to have {}", need);
    const std::string& answer = capability->second;
    if (answer.substr(0, 2) != "no") return {};
    return fmt::format("has no {}{}", need, answer.substr(2));
}

// Why `version` of a component cannot read what exists since `first`, or "".
std::string too_old(const std::string& what, const std::string& component, const std::string& version,
                    const std::string& first) {
    if (first.starts_with("no: ")) return fmt::format("{} cannot read {}: {}", component, what, first.substr(4));
    if (Version::parse(version) >= Version::parse(first)) return {};
    return fmt::format("{} needs {} {} or newer, and {} must do", what, component, first, version);
}

// The parts of "dax+reflink" are all asked for.
bool asked_for(const std::set<std::string>& needs, const std::string& key) {
    const auto parts = split(key, '+');
    return std::all_of(parts.begin(), parts.end(),
                       [&](const std::string& part) { return needs.contains(part); });
}

// Why one of the readers cannot read the filesystem or a capability that is asked for, or "".
std::string unread(const Requirements& requirements, const Filesystem& filesystem) {
    for (const auto& [component, version] : requirements.readers) {
        const auto format = filesystem.since.find("format");
        const bool stated = format != filesystem.since.end() && format->second.contains(component);
        if (!stated && is_boot_loader(component))
            return fmt::format("{} is not known to read it", component);
        for (const auto& [key, first] : filesystem.since) {
            if (key != "format" && !asked_for(requirements.needs, key)) continue;
            const auto entry = first.find(component);
            if (entry == first.end()) continue;
            const std::string what = key == "format" ? filesystem.title : "its " + key;
            if (std::string reason = too_old(what, component, version, entry->second); !reason.empty())
                return reason;
        }
    }
    return {};
}

// Why the target's own kernel or tools lack a capability that is asked for, or "".
std::string too_new_for_target(const Knowledge& knowledge, const Request& request, const Filesystem& filesystem) {
    for (const auto& [key, first] : filesystem.since) {
        if (key == "format" || !asked_for(request.requirements.needs, key)) continue;
        for (const auto& [component, version] : first) {
            if (is_boot_loader(component)) continue;
            const std::string actual = component_version(knowledge, request.host, component);
            if (!Version::parse(actual).known()) continue;
            if (std::string reason = too_old("its " + key, component, actual, version); !reason.empty())
                return reason;
        }
    }
    return {};
}

std::string why_unusable(const Knowledge& knowledge, const Request& request, const Filesystem& filesystem) {
    const Requirements& requirements = request.requirements;
    if (std::string reason = unmet_requirement(knowledge, request.host, requirements, filesystem); !reason.empty())
        return reason;
    if (std::string reason = too_new_for_target(knowledge, request, filesystem); !reason.empty()) return reason;

    const Host& host = request.host;
    const auto in_kernel = kernel_has(knowledge, host, filesystem.id);
    if (in_kernel && !*in_kernel) return "the target kernel has no " + filesystem.id;
    const Context context(knowledge, request, {filesystem.id, {}});
    if (!filesystem.available.empty()) {
        const auto available = filesystem.available.test(context);
        if (available && !*available) return fmt::format("needs {}", filesystem.available.text());
    }
    // Only a probe can tell that a tool is missing; a description simply may not mention it.
    if (host.source == "probed" && !host.tools.empty() && !filesystem.tool.empty() &&
        host.tools.count(filesystem.tool) == 0)
        return fmt::format("{} is not installed (package {})", filesystem.mkfs, filesystem.tool);

    const auto size = host.device ? host.device->size_bytes : std::nullopt;
    if (size && *size < filesystem.minimum_bytes)
        return fmt::format("the device is smaller than {}", size_text(filesystem.minimum_bytes));
    if (size && filesystem.maximum_bytes > 0 && *size > filesystem.maximum_bytes)
        return fmt::format("the device is larger than {}", size_text(filesystem.maximum_bytes));
    return {};
}

}  // namespace

std::string unmet_requirement(const Knowledge& knowledge, const Host& host, const Requirements& requirements,
                              const Filesystem& filesystem) {
    const auto& only = requirements.filesystems;
    if (!only.empty() && std::find(only.begin(), only.end(), filesystem.id) == only.end())
        return "not among the filesystems asked for";
    for (const std::string& need : requirements.needs)
        if (std::string reason = unmet(knowledge, host, filesystem, need); !reason.empty()) return reason;
    if (std::string reason = unread(requirements, filesystem); !reason.empty()) return reason;
    const auto too_small = [](const std::optional<std::uint64_t>& asked, std::uint64_t limit) {
        return asked && limit > 0 && *asked > limit;
    };
    if (too_small(requirements.largest_file_bytes, filesystem.maximum_file_bytes))
        return fmt::format("its files end at {}", size_text(filesystem.maximum_file_bytes));
    if (too_small(requirements.largest_volume_bytes, filesystem.maximum_bytes))
        return fmt::format("it ends at {}", size_text(filesystem.maximum_bytes));
    return {};
}

std::vector<std::string> usable_filesystems(const Knowledge& knowledge, const Request& request,
                                            std::vector<std::string>* excluded) {
    std::vector<std::string> usable;
    for (const Filesystem& filesystem : knowledge.filesystems()) {
        const std::string reason = why_unusable(knowledge, request, filesystem);
        if (reason.empty())
            usable.push_back(filesystem.id);
        else if (excluded != nullptr)
            excluded->push_back(filesystem.id + ": " + reason);
    }
    return usable;
}

}  // namespace fsadvise
