#include "advice/lint_ini.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace fsadvise {

const IniEntry* IniSection::find(std::string_view key) const {
    const auto found = std::find_if(entries.rbegin(), entries.rend(),
                                    [&](const IniEntry& entry) { return entry.key == key; });
    return found == entries.rend() ? nullptr : &*found;
}

std::string IniSection::value(std::string_view key) const {
    const auto* entry = find(key);
    return entry != nullptr ? entry->value : std::string();
}

std::vector<IniSection> split_ini(std::string_view text, int first_line, bool joins_lines) {
    std::vector<IniSection> sections;
    std::string joined;
    int number = first_line - 1, start = 0;
    for (const auto& raw : split(text, '\n')) {
        ++number;
        const auto content = trim(raw);
        const bool comment = content.starts_with('#') || content.starts_with(';');
        if (joined.empty()) start = number;
        if (comment || (content.empty() && joined.empty())) continue;
        joined += (joined.empty() ? "" : " ") + std::string(content);
        if (joins_lines && joined.ends_with('\\')) {
            joined.pop_back();
            continue;
        }
        const auto line = std::exchange(joined, {});
        if (line.starts_with('[') && line.ends_with(']')) {
            sections.push_back({start, line.substr(1, line.size() - 2), {}});
            continue;
        }
        if (sections.empty()) sections.push_back({start, "", {}});
        const auto equals = line.find('=');
        IniEntry entry{start, std::string(trim(line.substr(0, equals))), ""};
        if (equals != std::string::npos) entry.value = trim(std::string_view(line).substr(equals + 1));
        sections.back().entries.push_back(std::move(entry));
    }
    return sections;
}

const IniSection* find_section(const std::vector<IniSection>& sections, std::string_view name) {
    const auto found = std::ranges::find(sections, name, &IniSection::name);
    return found == sections.end() ? nullptr : &*found;
}

}  // namespace fsadvise
