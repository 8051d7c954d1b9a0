#include <charconv>
#include <vector>

#include "base/text.h"
#include "space/dumps.h"

namespace fsadvise {
namespace {

// "isize=512    agcount=4, agsize=65536 blks" -> the pairs; "ascii-ci=0, ftype=1" likewise.
std::vector<std::pair<std::string, std::string>> pairs_of(std::string_view text) {
    std::vector<std::pair<std::string, std::string>> pairs;
    std::string_view rest = text;
    while (!rest.empty()) {
        const auto end = rest.find_first_of(" ,\t");
        const std::string_view word = rest.substr(0, end);
        if (const auto equals = word.find('='); equals != std::string_view::npos && equals > 0)
            pairs.emplace_back(lower(word.substr(0, equals)), std::string(word.substr(equals + 1)));
        if (end == std::string_view::npos) break;
        rest.remove_prefix(end + 1);
    }
    return pairs;
}

std::optional<std::int64_t> whole(const std::string& text) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

// What follows '=' in the section's first line: "internal log" and "version 2".
void add_headline(DumpFields& fields, const std::string& section, std::string_view text) {
    if (section == "log") fields["log.internal"] = text.starts_with("internal") ? "1" : "0";
    if (text.starts_with("version ")) {
        const std::string_view rest = text.substr(8);
        fields[section + ".version"] = std::string(rest.substr(0, rest.find(' ')));
    }
}

// Figures counted in filesystem blocks get a twin in bytes.
void add_bytes(DumpFields& fields) {
    const auto block = fields.find("data.bsize");
    const auto block_bytes = block == fields.end() ? std::nullopt : whole(block->second);
    if (!block_bytes) return;
    for (const char* key : {"agsize", "meta-data.agsize", "data.sunit", "data.swidth", "data.blocks",
                            "log.blocks", "log.sunit", "realtime.blocks"}) {
        const auto entry = fields.find(key);
        const auto count = entry == fields.end() ? std::nullopt : whole(entry->second);
        std::int64_t bytes = 0;
        if (count && !__builtin_mul_overflow(*count, *block_bytes, &bytes))
            fields[std::string(key) + ".bytes"] = std::to_string(bytes);
    }
}

}  // namespace

DumpFields fields_of_xfs_info(std::string_view dump) {
    DumpFields fields;
    std::string section;
    for (const std::string& line : split(dump, '\n')) {
        const auto equals = line.find('=');
        if (equals == std::string::npos) continue;
        const std::string_view name = trim(std::string_view(line).substr(0, equals));
        const std::string_view rest = std::string_view(line).substr(equals + 1);
        if (!name.empty()) {
            section = lower(name);
            add_headline(fields, section, rest);
        }
        for (const auto& [key, value] : pairs_of(rest)) {
            fields[section + "." + key] = value;
            fields.emplace(key, value);  // the first section that has the name
        }
    }
    add_bytes(fields);
    return fields;
}

}  // namespace fsadvise
