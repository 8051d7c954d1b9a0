#include "space/readers.h"

#include <fmt/format.h>

#include "base/units.h"
#include "space/component_version.h"

namespace fsadvise {
namespace {

// Windows that start here say "no released version reads it".
constexpr std::string_view kNever = "99";

bool holds_for(const VersionWindow& window, const Parameter& parameter, const Value& value, bool chosen) {
    if (!window.distribution.empty() || window.introduced.empty()) return false;
    if (!window.applies_to.empty()) return window.applies_to == to_text(value);
    if (const bool* on = std::get_if<bool>(&value)) return *on;
    // The default of a size or a number is as old as the filesystem.
    return chosen && parameter.type != ValueType::kBool;
}

std::string says(const VersionWindow& window, const std::string& version) {
    if (Version::parse(window.introduced) >= Version::parse(kNever))
        return fmt::format("no released {} reads it", window.component);
    return fmt::format("{} {} cannot read it: it came with {}", window.component, version, window.introduced);
}

}  // namespace

std::vector<Unreadable> unreadable(const Context& context) {
    const auto& readers = context.request().requirements.readers;
    std::vector<Unreadable> found;
    if (readers.empty()) return found;
    const auto& filesystem = context.configuration().filesystem;
    for (const Parameter* parameter : context.knowledge().parameters_of(filesystem, Layer::kMkfs)) {
        auto value = context.lookup(parameter->id);
        const bool chosen = context.is_set(parameter->id);
        const bool certain = value.has_value();
        if (!certain && parameter->type == ValueType::kBool) value = true;
        if (!value) continue;
        if (!parameter->active.empty() && !chosen) {
            const auto active = parameter->active.test(context);
            if (active && !*active) continue;
        }
        for (const VersionWindow& window : parameter->versions) {
            const auto reader = readers.find(window.component);
            if (reader == readers.end() || !holds_for(window, *parameter, *value, chosen)) continue;
            if (Version::parse(reader->second) >= Version::parse(window.introduced)) continue;
            found.push_back({parameter, reader->first, reader->second, says(window, reader->second), certain});
            break;
        }
    }
    return found;
}

std::optional<bool> tool_knows(const Context& context, const Parameter& parameter) {
    const Filesystem* filesystem = context.knowledge().filesystem(parameter.filesystem);
    if (filesystem == nullptr) return std::nullopt;
    const std::string actual =
        component_version(context.knowledge(), context.request().host, filesystem->tool);
    if (!Version::parse(actual).known()) return std::nullopt;
    for (const VersionWindow& window : parameter.versions) {
        if (window.component != filesystem->tool || window.introduced.empty()) continue;
        if (Version::parse(actual) < Version::parse(window.introduced)) return false;
    }
    return true;
}

}  // namespace fsadvise
