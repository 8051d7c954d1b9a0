#include "space/version_window.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/units.h"
#include "space/component_version.h"

namespace fsadvise {
namespace {

bool speaks_of(const VersionWindow& window, const Parameter& parameter, const Value& value) {
    if (is_boot_loader(window.component)) return false;  // see readers.h
    if (!window.applies_to.empty()) return window.applies_to == to_text(value);
    // A feature that is switched off at mkfs asks nothing of the kernel.
    const bool* flag = std::get_if<bool>(&value);
    const bool off = flag != nullptr && !*flag;
    return !(off && parameter.layer == Layer::kMkfs && window.component == "kernel");
}

bool overrides(const VersionWindow& window, const Host& host) {
    return !window.distribution.empty() && window.distribution == host.distribution &&
           version_covers(window.distribution_version, host.distribution_version);
}

std::string because(const VersionWindow& window) {
    return window.note.empty() ? "" : ": " + window.note;
}

// What the component does with a value outside the window.
Effect refusal(const Parameter& parameter, const VersionWindow& window) {
    return parameter.layer == Layer::kMkfs && window.component != "kernel" ? Effect::kMkfsRefuses
                                                                           : Effect::kMountRefuses;
}

void judge_window(const Parameter& parameter, const VersionWindow& window, const std::string& text,
                  std::vector<WindowVerdict>& verdicts) {
    const Version actual = Version::parse(text);
    const std::string& component = window.component;
    const Effect refuses = refusal(parameter, window);
    if (!window.removed.empty() && actual >= Version::parse(window.removed)) {
        verdicts.push_back({refuses,
                            fmt::format("removed in {} {}, and this is {}{}", component, window.removed, text,
                                        because(window)),
                            "remove it", true});
        return;
    }
    if (!window.introduced.empty() && actual < Version::parse(window.introduced)) {
        verdicts.push_back({refuses,
                            fmt::format("needs {} {} or newer, and this is {}{}", component,
                                        window.introduced, text, because(window)),
                            "remove it", true});
        return;
    }
    if (!window.safe.empty() && actual < Version::parse(window.safe))
        verdicts.push_back({Effect::kUnsafe,
                            fmt::format("not reliable before {} {}, and this is {}{}", component, window.safe,
                                        text, because(window)),
                            "remove it", true});
    if (!window.deprecated.empty() && actual >= Version::parse(window.deprecated))
        verdicts.push_back(
            {Effect::kUnwise,
             fmt::format("deprecated since {} {}{}", component, window.deprecated, because(window)),
             "remove it", true});
}

}  // namespace

std::vector<const VersionWindow*> windows_in_force(const Context& context, const Parameter& parameter,
                                                   const Value& value) {
    const Host& host = context.request().host;
    std::vector<const VersionWindow*> own, general;
    for (const VersionWindow& window : parameter.versions) {
        if (!speaks_of(window, parameter, value)) continue;
        if (window.distribution.empty())
            general.push_back(&window);
        else if (overrides(window, host))
            own.push_back(&window);
    }
    std::vector<const VersionWindow*> result = own;
    for (const VersionWindow* window : general)
        if (std::none_of(own.begin(), own.end(), [&](const VersionWindow* other) {
                return other->component == window->component && other->applies_to == window->applies_to;
            }))
            result.push_back(window);
    return result;
}

std::vector<WindowVerdict> judge_versions(const Context& context, const Parameter& parameter,
                                          const Value& value) {
    std::vector<WindowVerdict> verdicts;
    for (const VersionWindow* window : windows_in_force(context, parameter, value)) {
        const std::string text =
            component_version(context.knowledge(), context.request().host, window->component);
        if (!Version::parse(text).known()) {
            if (!window->introduced.empty() || !window->removed.empty())
                verdicts.push_back(
                    {refusal(parameter, *window),
                     fmt::format("depends on the version of {}, which is not known", window->component),
                     {},
                     false});
            continue;
        }
        judge_window(parameter, *window, text, verdicts);
    }
    return verdicts;
}

}  // namespace fsadvise
