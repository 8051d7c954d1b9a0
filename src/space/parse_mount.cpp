#include <algorithm>
#include <array>
#include <charconv>
#include <map>

#include <fmt/format.h>

#include "base/text.h"
#include "space/fact_table.h"
#include "space/mount_words.h"
#include "space/parameter_value.h"
#include "space/spelling.h"

namespace fsadvise {
namespace {

// Words that mount(8) or the VFS takes itself, on every filesystem.
// Source: mount(8) of util-linux 2.38, FILESYSTEM-INDEPENDENT MOUNT OPTIONS and its list of X-* options.
constexpr std::array kGenericWords = std::to_array<std::string_view>(
    {"async",      "atime",       "auto",       "bind",        "defaults", "dev",        "diratime",
     "dirsync",    "exec",        "group",      "iversion",    "lazytime", "loop",       "loud",
     "mand",       "nofail",      "noatime",    "noauto",      "nodev",    "nodiratime", "noexec",
     "nogroup",    "noiversion",  "nolazytime", "nomand",      "noowner",  "norelatime", "nostrictatime",
     "nosuid",     "nosymfollow", "nouser",     "nousers",     "owner",    "private",    "rbind",
     "relatime",   "remount",     "ro",         "rslave",      "rprivate", "rshared",    "rw",
     "shared",     "silent",      "slave",      "strictatime", "suid",     "symfollow",  "sync",
     "unbindable", "user",        "users",      "_netdev"});
constexpr std::array kGenericKeys =
    std::to_array<std::string_view>({"comment", "context", "defcontext", "fscontext", "helper", "loop",
                                     "offset", "rootcontext", "sizelimit", "uhelper", "user"});
// Of these the strongest one given wins, wherever it stands. Source: mount(8), and fs/namespace.c
// path_mount().
constexpr std::array kAtimeByStrength =
    std::to_array<std::string_view>({"relatime", "noatime", "strictatime"});

template <class Table>
bool contains(const Table& table, std::string_view word) {
    return std::find(table.begin(), table.end(), word) != table.end();
}

bool generic(std::string_view word) {
    if (word.substr(0, 2) == "x-" || word.substr(0, 2) == "X-" || word.substr(0, 7) == "verity.") return true;
    const auto equals = word.find('=');
    return equals == std::string_view::npos ? contains(kGenericWords, word)
                                            : contains(kGenericKeys, word.substr(0, equals));
}

// Housekeeping of this filesystem: "acl", "subvol=" (with a value).
bool housekeeping(const Filesystem* filesystem, std::string_view word) {
    if (filesystem == nullptr) return false;
    const auto equals = word.find('=');
    const std::string_view head = equals == std::string_view::npos ? word : word.substr(0, equals + 1);
    return contains(filesystem->mount_words, head);
}

// A comma inside double quotes belongs to the value: context="system_u:object_r:tmp_t:s0:c1,c2".
std::vector<std::string> split_options(std::string_view options) {
    std::vector<std::string> words(1);
    bool quoted = false;
    for (const char letter : options) {
        if (letter == '"') quoted = !quoted;
        if (letter == ',' && !quoted)
            words.emplace_back();
        else
            words.back() += letter;
    }
    std::vector<std::string> result;
    for (const std::string& word : words)
        if (const auto text = trim(word); !text.empty()) result.emplace_back(text);
    return result;
}

std::optional<Value> from_table(const Parameter& parameter, std::string_view word) {
    for (const auto& [text, words] : parameter.spelling.words)
        if (contains(words, word)) return value_of_text(parameter, text);
    return std::nullopt;
}

// A last '#' of a listed word stands for a whole number, a last '*' for any text: what no other word says.
bool fits_pattern(std::string_view pattern, std::string_view word) {
    if (pattern.empty() || word.size() < pattern.size() - 1) return false;
    const char last = pattern.back();
    const std::string_view fixed = pattern.substr(0, pattern.size() - 1);
    if ((last != '#' && last != '*') || word.substr(0, fixed.size()) != fixed) return false;
    if (last == '*') return true;
    constexpr std::size_t kMostDigits = 9;  // the kernel reads 32 bits
    const std::string_view number = word.substr(fixed.size());
    return !number.empty() && number.size() <= kMostDigits &&
           number.find_first_not_of("0123456789") == std::string_view::npos;
}

std::optional<Value> from_pattern(const Parameter& parameter, std::string_view word, char kind) {
    for (const auto& [text, words] : parameter.spelling.words)
        for (const std::string& pattern : words)
            if (pattern.ends_with(kind) && fits_pattern(pattern, word)) return value_of_text(parameter, text);
    return std::nullopt;
}

bool has_key(const Spelling& spelling, std::string_view key) {
    return !key.empty() && (spelling.key == key || contains(spelling.aliases, key));
}

// True if the parameter has this key among its words ("data" for "data=ordered").
bool key_in_words(const Spelling& spelling, std::string_view key) {
    for (const auto& [text, words] : spelling.words)
        for (const std::string& word : words)
            if (word.size() > key.size() && word[key.size()] == '=' &&
                std::string_view(word).substr(0, key.size()) == key)
                return true;
    return false;
}

// Fills in the word if this parameter has its key.
bool read_word(const Parameter& parameter, ParsedWord& parsed) {
    const std::string_view word = parsed.text;
    const Spelling& spelling = parameter.spelling;
    const auto equals = word.find('=');
    const std::string_view key = word.substr(0, equals);
    const bool has_value = equals != std::string_view::npos;
    if (!has_key(spelling, key)) {
        if (!has_value || !key_in_words(spelling, key)) return false;
        parsed.parameter = parameter.id;
        parsed.bad_value = true;
        parsed.note = "unknown value";
        return true;
    }
    parsed.parameter = parameter.id;
    if (!has_value) {
        if (parameter.type == ValueType::kBool) {
            parsed.value = true;
        } else {
            parsed.bad_value = true;
            parsed.note = "a value is missing";
        }
        return true;
    }
    WrittenValue written = read_written(parameter, word.substr(equals + 1));
    parsed.bad_value = !written.value.has_value();
    if (written.value) parsed.value = std::move(*written.value);
    parsed.note = std::move(written.note);
    return true;
}

// The word as one of these parameters has it; bad_value if a spelling fits but no value does; else untouched.
ParsedWord match_word(const std::vector<const Parameter*>& parameters, const std::string& text) {
    ParsedWord unmatched;
    unmatched.text = text;
    // A whole word of one parameter goes before a key of another.
    for (const Parameter* parameter : parameters)
        if (const auto value = from_table(*parameter, text)) {
            ParsedWord parsed = unmatched;
            parsed.parameter = parameter->id;
            parsed.value = *value;
            return parsed;
        }
    ParsedWord doubtful = unmatched;
    for (const Parameter* parameter : parameters) {
        ParsedWord parsed = unmatched;
        if (!read_word(*parameter, parsed)) continue;
        if (!parsed.bad_value) return parsed;
        if (doubtful.parameter.empty()) doubtful = std::move(parsed);
    }
    for (const char kind : {'#', '*'})
        for (const Parameter* parameter : parameters)
            if (const auto value = from_pattern(*parameter, text, kind)) {
                ParsedWord parsed = unmatched;
                parsed.parameter = parameter->id;
                parsed.value = *value;
                return parsed;
            }
    return doubtful;
}

std::string owner_of(const Knowledge& knowledge, std::string_view except, const std::string& text) {
    for (const Filesystem& filesystem : knowledge.filesystems()) {
        if (filesystem.id == except) continue;
        const ParsedWord match = match_word(knowledge.parameters_of(filesystem.id, Layer::kMount), text);
        if (!match.parameter.empty()) return filesystem.id;
        if (housekeeping(&filesystem, text)) return filesystem.id;
    }
    return {};
}

std::size_t strength(std::string_view word) {
    return static_cast<std::size_t>(std::find(kAtimeByStrength.begin(), kAtimeByStrength.end(), word) -
                                    kAtimeByStrength.begin());
}

// Makes a weaker atime word that follows a stronger one mean what the stronger one said.
void settle_atime(std::vector<ParsedWord>& words) {
    const ParsedWord* strongest = nullptr;
    for (ParsedWord& word : words) {
        if (word.parameter.empty() || !contains(kAtimeByStrength, word.text)) continue;
        if (strongest != nullptr && strongest->parameter == word.parameter &&
            strength(strongest->text) > strength(word.text)) {
            word.value = strongest->value;
            word.note = "has no effect beside " + strongest->text;
        } else {
            strongest = &word;
        }
    }
}

// A repetition beyond what the filesystem keeps fails the mount.
void limit_repeats(const Knowledge& knowledge, std::vector<ParsedWord>& words) {
    const FactTable* limits = knowledge.table("repeat-limits");
    if (limits == nullptr) return;
    std::map<std::string_view, int> seen;
    for (ParsedWord& word : words) {
        const FactRow* limit = limits->find("parameter", word.parameter);
        if (limit == nullptr) continue;
        const std::string_view times = (*limit)["times"];
        int most = 0;
        std::from_chars(times.data(), times.data() + times.size(), most);
        if (++seen[word.parameter] <= most) continue;
        word.bad_value = true;
        word.note = fmt::format("given more than {} times", times);
    }
}

}  // namespace

std::span<const std::string_view> generic_mount_words() {
    return kGenericWords;
}

std::vector<ParsedWord> parse_mount_options(const Knowledge& knowledge, std::string_view filesystem,
                                            std::string_view options) {
    const auto parameters = knowledge.parameters_of(filesystem, Layer::kMount);
    const Filesystem* known = knowledge.filesystem(filesystem);
    std::vector<ParsedWord> result;
    for (const std::string& text : split_options(options)) {
        ParsedWord parsed = match_word(parameters, text);
        if ((parsed.parameter.empty() || parsed.bad_value) && (generic(text) || housekeeping(known, text))) {
            parsed = {};
            parsed.text = text;
            parsed.generic = true;
        }
        if (parsed.parameter.empty() && !parsed.generic)
            parsed.belongs_to = owner_of(knowledge, filesystem, text);
        result.push_back(std::move(parsed));
    }
    settle_atime(result);
    limit_repeats(knowledge, result);
    return result;
}

}  // namespace fsadvise
