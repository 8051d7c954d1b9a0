#include <algorithm>

#include "base/text.h"
#include "space/dumps.h"

namespace fsadvise {
namespace {

// "NO_HOLES" -> "no-holes", as mkfs.btrfs and the kernel's sysfs name them.
std::string feature_name(std::string_view text) {
    std::string name = lower(text);
    std::replace(name.begin(), name.end(), '_', '-');
    return name;
}

// "( MIXED_BACKREF |" and its continuation lines.
void add_flags(DumpFields& fields, std::string_view line) {
    for (const std::string& part : split(line, '|')) {
        const auto first = part.find_first_not_of("( \t");
        if (first == std::string::npos) continue;
        const auto last = part.find_last_not_of(") \t");
        fields[std::string(kFeaturePrefix) +
               feature_name(std::string_view(part).substr(first, last - first + 1))] = "1";
    }
}

// A chunk line of the chunk tree: "length 8388608 owner 2 stripe_len 65536 type METADATA|DUP".
void add_profile(DumpFields& fields, std::string_view types) {
    const std::vector<std::string> words = split(types, '|');
    if (words.empty()) return;
    std::string profile = lower(words.back());
    for (const std::string& word : words) {
        const std::string kind = lower(word);
        if (kind != "data" && kind != "metadata" && kind != "system") continue;
        if (profile == kind) profile = "single";  // tools before 5.x leave the word out
    }
    for (const std::string& word : words) {
        const std::string kind = lower(word);
        if (kind == "data" || kind == "metadata" || kind == "system") fields["profile:" + kind] = profile;
    }
}

}  // namespace

DumpFields fields_of_btrfs(std::string_view dump) {
    DumpFields fields;
    bool in_flags = false;
    for (const std::string& line : split(dump, '\n')) {
        const std::string_view text = trim(line);
        if (text.empty()) continue;
        if (const auto chunk = text.find("stripe_len "); chunk != std::string_view::npos) {
            if (const auto type = text.find(" type "); type != std::string_view::npos)
                add_profile(fields, trim(text.substr(type + 6)));
            continue;
        }
        // Continuation lines of a flag list start with a tab; flags of the superblock itself are not
        // features.
        if (line[0] == '\t' || line[0] == ' ') {
            if (in_flags) add_flags(fields, text);
            continue;
        }
        const auto blank = text.find_first_of(" \t");
        if (blank == std::string_view::npos) continue;
        const std::string key = lower(text.substr(0, blank));
        std::string_view value = trim(text.substr(blank));
        in_flags = key == "incompat_flags" || key == "compat_ro_flags" || key == "compat_flags";
        if (key == "incompat_flags") fields[std::string(kFeaturesListed)] = "1";
        // "1 (xxhash64)" -> the word
        if (const auto open = value.find('('); key == "csum_type" && open != std::string_view::npos)
            value = value.substr(open + 1, value.find(')') - open - 1);
        fields.emplace(key, std::string(value));
    }
    return fields;
}

}  // namespace fsadvise
