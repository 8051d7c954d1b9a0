#include "space/component_version.h"

#include <algorithm>

namespace fsadvise {

std::string component_version(const Knowledge& knowledge, const Host& host, std::string_view component) {
    if (component == "kernel") {
        if (!host.kernel.empty()) return host.kernel;
    } else if (const auto tool = host.tools.find(std::string(component)); tool != host.tools.end()) {
        return tool->second;
    }
    if (host.distribution.empty()) return {};
    const Distribution* distribution = knowledge.distribution(host.distribution, host.distribution_version);
    if (distribution == nullptr) return {};
    if (component == "kernel") return distribution->kernel;
    const auto tool = distribution->tools.find(std::string(component));
    return tool == distribution->tools.end() ? std::string{} : tool->second;
}

namespace {

// The kernel came before the filesystem did.
bool older_than_format(const Filesystem& filesystem, const std::string& kernel) {
    const auto format = filesystem.since.find("format");
    if (format == filesystem.since.end() || !Version::parse(kernel).known()) return false;
    const auto first = format->second.find("kernel");
    return first != format->second.end() && Version::parse(kernel) < Version::parse(first->second);
}

}  // namespace

std::optional<bool> kernel_has(const Knowledge& knowledge, const Host& host, std::string_view filesystem) {
    const Filesystem* known = knowledge.filesystem(filesystem);
    const std::string module =
        known != nullptr && !known->kernel_module.empty() ? known->kernel_module : std::string(filesystem);
    if (host.filesystems)
        return host.filesystems->count(module) > 0 || host.filesystems->count(std::string(filesystem)) > 0;
    // A release is described with its own kernel; one that is told may be older.
    if (known != nullptr && older_than_format(*known, component_version(knowledge, host, "kernel")))
        return false;
    const Distribution* distribution =
        host.distribution.empty() ? nullptr
                                  : knowledge.distribution(host.distribution, host.distribution_version);
    if (distribution != nullptr) {
        const auto status = distribution->filesystems.find(std::string(filesystem));
        if (status != distribution->filesystems.end()) return status->second != "unsupported";
    }
    return std::nullopt;
}

const std::vector<std::string>& boot_loaders() {
    static const std::vector<std::string> kNames = {"grub", "syslinux", "systemd-boot", "u-boot"};
    return kNames;
}

bool is_boot_loader(std::string_view component) {
    const auto& known = boot_loaders();
    return std::find(known.begin(), known.end(), component) != known.end();
}

bool version_covers(std::string_view stated, std::string_view actual) {
    if (stated.empty() || stated == actual) return true;
    return actual.size() > stated.size() && actual.substr(0, stated.size()) == stated &&
           actual[stated.size()] == '.';
}

}  // namespace fsadvise
