// Sections of key=value lines with their line numbers: systemd units, repart.d, fio jobs. Internal to
// src/advice.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fsadvise {

struct IniEntry {
    int line = 0;
    std::string key, value;  // value without surrounding blanks; "" for a key alone (fio)
};

struct IniSection {
    int line = 0;
    std::string name;
    std::vector<IniEntry> entries;

    // The last entry of that key, as systemd and fio take it.
    [[nodiscard]] const IniEntry* find(std::string_view key) const;
    [[nodiscard]] std::string value(std::string_view key) const;
};

// systemd joins a line that ends in a backslash with the next one; fio has no such rule.
std::vector<IniSection> split_ini(std::string_view text, int first_line, bool joins_lines);
const IniSection* find_section(const std::vector<IniSection>& sections, std::string_view name);

}  // namespace fsadvise
