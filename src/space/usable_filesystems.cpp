#include <algorithm>

#include <fmt/format.h>

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

std::string why_unusable(const Knowledge& knowledge, const Request& request, const Filesystem& filesystem) {
    const Requirements& requirements = request.requirements;
    const auto& only = requirements.filesystems;
    if (!only.empty() && std::find(only.begin(), only.end(), filesystem.id) == only.end())
        return "not among the filesystems asked for";
    for (const std::string& need : requirements.needs)
        if (std::string reason = unmet(knowledge, request.host, filesystem, need); !reason.empty())
            return reason;

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
