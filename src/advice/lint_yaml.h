// YAML and JSON as a plain tree with line numbers, for lint. Internal to src/advice.
//
// Errors: kBadInput with the line.
// Bounds: 1 MiB of YAML (4 MiB of JSON), 64 levels, 200,000 nodes; aliases count as the copies they stand
// for, so a small text cannot grow.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace fsadvise {

struct YamlEntry;

struct YamlNode {
    enum class Kind { kNull, kScalar, kList, kMap };
    Kind kind = Kind::kNull;
    std::string text;             // kScalar
    bool quoted = false;          // kScalar: certainly a string
    bool block = false;           // kScalar: written as | or >, the content starts on the next line
    int line = 0;                 // 1-based; of the first content line for block scalars
    std::vector<YamlNode> items;  // kList
    std::vector<YamlEntry> entries;  // kMap, keys that are no scalars are left out

    [[nodiscard]] const YamlNode* find(std::string_view key) const;
    // The first of several spellings of a key.
    [[nodiscard]] const YamlNode* find_any(std::initializer_list<std::string_view> keys) const;
    [[nodiscard]] std::string value(std::string_view key) const;  // scalar text or ""
    [[nodiscard]] bool is_list() const { return kind == Kind::kList; }
    [[nodiscard]] bool is_map() const { return kind == Kind::kMap; }
    [[nodiscard]] bool is_scalar() const { return kind == Kind::kScalar; }
    [[nodiscard]] bool is_true() const;
};

struct YamlEntry {
    std::string first;  // the key
    YamlNode second;
};

// All documents of the stream.
Result<std::vector<YamlNode>> parse_yaml(std::string_view text, const std::string& file);

// A list of words, or a string split at blanks.
std::vector<std::string> words_of(const YamlNode* node);
// Mount options: a list, or a string with commas.
std::string options_of(const YamlNode* node);

}  // namespace fsadvise
