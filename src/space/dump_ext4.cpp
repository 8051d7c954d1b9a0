#include <charconv>

#include <fmt/format.h>

#include "base/text.h"
#include "base/units.h"
#include "space/dumps.h"

namespace fsadvise {
namespace {

std::optional<double> number(const DumpFields& fields, const std::string& key) {
    const auto entry = fields.find(key);
    if (entry == fields.end()) return std::nullopt;
    double value = 0;
    const std::string& text = entry->second;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end == text.data()) return std::nullopt;
    return value;
}

void add_words(DumpFields& fields, const std::string& prefix, const std::string& words) {
    for (const std::string& word : split(words, ' '))
        if (!word.empty() && word != "(none)") fields[prefix + lower(word)] = "1";
}

void derive(DumpFields& fields) {
    const auto blocks = number(fields, "block count"), reserved = number(fields, "reserved block count");
    const auto inodes = number(fields, "inode count"), block_bytes = number(fields, "block size");
    if (blocks && reserved && *blocks > 0)
        fields["reserved-percent"] = fmt::format("{:.2f}", *reserved * 100 / *blocks);
    if (blocks && inodes && block_bytes && *inodes > 0)
        fields["bytes-per-inode"] = fmt::format("{:.0f}", *blocks * *block_bytes / *inodes);
    // "32M" or "1024k", in the units of dumpe2fs.
    if (const auto journal = fields.find("total journal size"); journal != fields.end())
        if (const auto bytes = parse_size(journal->second)) journal->second = std::to_string(*bytes);
}

}  // namespace

DumpFields fields_of_dumpe2fs(std::string_view dump) {
    DumpFields fields;
    for (const std::string& line : split(dump, '\n')) {
        const auto colon = line.find(':');
        if (colon == std::string::npos) continue;
        const std::string key = lower(trim(line.substr(0, colon)));
        const std::string value(trim(std::string_view(line).substr(colon + 1)));
        if (key == "filesystem features") {
            fields[std::string(kFeaturesListed)] = "1";
            add_words(fields, std::string(kFeaturePrefix), value);
        } else if (key == "default mount options") {
            add_words(fields, "default-mount:", value);
        }
        fields.emplace(key, value);
    }
    derive(fields);
    return fields;
}

}  // namespace fsadvise
