// Documents of kind "parameters".
#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "base/units.h"
#include "space/decode.h"

namespace fsadvise {

namespace {

constexpr std::string_view kTypes[] = {"bool", "integer", "size", "real", "enum", "text"};
constexpr std::string_view kComponents[] = {"kernel",     "e2fsprogs", "xfsprogs", "btrfs-progs",
                                            "f2fs-tools", "grub",      "syslinux"};
constexpr std::string_view kChanges[] = {"remount", "fresh-mount", "online", "offline", "reformat"};
constexpr std::string_view kFormats[] = {"uuid"};
constexpr std::string_view kRemountResults[] = {"effective", "ignored", "refused", "blocks"};
constexpr std::string_view kMkfsForms[] = {"value", "suboption", "feature", "switch"};
constexpr std::string_view kMountForms[] = {"key", "words"};
constexpr std::string_view kForms[] = {"value", "suboption", "feature", "switch", "key", "words"};
constexpr std::string_view kReadBackSources[] = {"dumpe2fs",  "xfs_info",  "btrfs-super",
                                                 "dump.f2fs", "mountinfo", "ext4-options"};
constexpr std::string_view kLowerClasses[] = {"relaxed", "scratch"};
constexpr std::string_view kBoolStyles[] = {"01"};

template <std::size_t N>
bool among(std::string_view word, const std::string_view (&words)[N]) {
    return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

struct Durability {
    std::map<std::string, std::string>& values;
};

}  // namespace

static void decode(Decoder& decoder, JsonValue value, ValueType& out) {
    if (const auto index = decoder.pick(value, kTypes)) out = static_cast<ValueType>(*index);
}

static void decode(Decoder& decoder, JsonValue value, Domain& out) {
    Word format{out.format, kFormats};
    const Field fields[] = {
        optional("min", out.minimum),
        optional("max", out.maximum),
        optional("power_of_two", out.power_of_two),
        optional("multiple_of", out.multiple_of),
        optional("values", out.values),
        optional("max_length", out.maximum_length),
        optional("format", format),
        optional("special", out.special),
    };
    decoder.object(value, fields);
}

static void decode(Decoder& decoder, JsonValue value, ConditionalValue& out) {
    OptionalExpression when{out.when};
    const Field fields[] = {optional("when", when), required("value", out.value)};
    decoder.object(value, fields);
}

static void decode(Decoder& decoder, JsonValue value, RemountCase& out) {
    OptionalExpression when{out.when};
    Word result{out.result, kRemountResults};
    const Field fields[] = {optional("when", when), required("result", result)};
    decoder.object(value, fields);
}

namespace {

// One word for all cases, or a list of cases.
struct Remount {
    std::vector<RemountCase>& cases;
};

void decode(Decoder& decoder, JsonValue value, Remount& out) {
    if (value.type() == JsonType::kArray) return decode(decoder, value, out.cases);
    Word result{out.cases.emplace_back().result, kRemountResults};
    decode(decoder, value, result);
}

}  // namespace

static void decode(Decoder& decoder, JsonValue value, VersionWindow& out) {
    Word component{out.component, kComponents};
    VersionText introduced{out.introduced}, safe{out.safe}, on_by_default{out.on_by_default},
        deprecated{out.deprecated}, removed{out.removed};
    const Field fields[] = {
        required("component", component),
        optional("introduced", introduced),
        optional("safe", safe),
        optional("on_by_default", on_by_default),
        optional("deprecated", deprecated),
        optional("removed", removed),
        optional("distribution", out.distribution),
        optional("distribution_version", out.distribution_version),
        optional("applies_to", out.applies_to),
        optional("note", out.note),
    };
    decoder.object(value, fields);
}

static void decode(Decoder& decoder, JsonValue value, Spelling& out) {
    Word form{out.form, kForms}, bool_style{out.bool_style, kBoolStyles};
    const Field fields[] = {
        required("form", form),         optional("flag", out.flag),
        optional("key", out.key),       optional("aliases", out.aliases),
        optional("words", out.words),   optional("unit", out.unit_bytes),
        optional("suffix", out.suffix), optional("bool_style", bool_style),
    };
    if (!decoder.object(value, fields)) return;
    if (out.unit_bytes < 1) decoder.problem(value, "'unit' is at least 1");
    const bool needs_flag = among(out.form, kMkfsForms);
    if (needs_flag && out.flag.empty())
        decoder.problem(value, fmt::format("form '{}' needs a 'flag'", out.form));
    const bool needs_key = (out.form == "suboption" || out.form == "feature" || out.form == "key");
    if (needs_key && out.key.empty() && out.words.empty()) {
        decoder.problem(value, fmt::format("form '{}' needs a 'key'", out.form));
    }
    if (out.form == "words" && out.words.empty()) decoder.problem(value, "form 'words' needs 'words'");
}

static void decode(Decoder& decoder, JsonValue value, std::optional<ReadBack>& out) {
    ReadBack& back = out.emplace();
    Word source{back.source, kReadBackSources};
    const Field fields[] = {required("source", source), required("key", back.key),
                            optional("unit", back.unit_bytes), optional("map", back.map)};
    decoder.object(value, fields);
}

static void decode(Decoder& decoder, JsonValue value, Durability& out) {
    if (!decoder.expect(value, JsonType::kObject)) return;
    for (const JsonValue member : value) {
        if (const auto index = decoder.pick(member, kLowerClasses)) {
            out.values[std::string(member.key())] = kLowerClasses[*index];
        }
    }
}

namespace {

// FS.mkfs.NAME, FS.mount.NAME or block.NAME.
void check_id(Decoder& decoder, JsonValue item, Parameter& parameter) {
    const auto parts = split(parameter.id, '.');
    const auto is_name = [](const std::string& word) {
        return !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
            return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
        });
    };
    const bool block = parts.size() == 2 && parts[0] == "block";
    const bool layered = parts.size() == 3 && (parts[1] == "mkfs" || parts[1] == "mount");
    if ((!block && !layered) || !std::all_of(parts.begin(), parts.end(), is_name)) {
        return decoder.problem(item,
                               fmt::format("the id '{}' is not of the form FS.mkfs.name, FS.mount.name or "
                                           "block.name in lower case",
                                           parameter.id));
    }
    if (parts[0] != parameter.filesystem) {
        decoder.problem(item, fmt::format("the id '{}' does not belong to filesystem '{}' of this document",
                                          parameter.id, parameter.filesystem));
    }
    parameter.layer = block ? Layer::kBlock : parts[1] == "mkfs" ? Layer::kMkfs : Layer::kMount;
    const std::string& form = parameter.spelling.form;
    if (parameter.layer == Layer::kMkfs && among(form, kMountForms)) {
        decoder.problem(item, fmt::format("form '{}' is for mount options", form),
                        "use value, suboption, feature or switch");
    }
    if (parameter.layer == Layer::kMount && among(form, kMkfsForms)) {
        decoder.problem(item, fmt::format("form '{}' is for mkfs", form), "use key or words");
    }
}

// Sizes may be written "64Ki" in lists of values; inside the program they are bytes.
void convert_values(Decoder& decoder, JsonValue item, const Parameter& parameter, std::vector<Value>& values,
                    bool special) {
    for (Value& value : values) {
        auto* word = std::get_if<std::string>(&value);
        bool fits = true;
        switch (parameter.type) {
            case ValueType::kSize:
                if (word != nullptr) {
                    const auto bytes = parse_size(*word);
                    fits = special || bytes.has_value();
                    if (bytes) value = static_cast<std::int64_t>(*bytes);
                    break;
                }
                [[fallthrough]];
            case ValueType::kInteger:
                fits = std::holds_alternative<std::int64_t>(value);
                break;
            case ValueType::kReal:
                fits = word == nullptr && !std::holds_alternative<bool>(value);
                break;
            case ValueType::kBool:
                fits = std::holds_alternative<bool>(value);
                break;
            case ValueType::kEnum:
            case ValueType::kText:
                fits = word != nullptr;
                break;
        }
        if (!fits && !(special && word != nullptr)) {
            decoder.problem(item, fmt::format("'{}' in the domain is not of type {}", to_text(value),
                                              to_text(parameter.type)));
        }
    }
}

// A key such as "writback" would silently never apply.
void check_value_text(Decoder& decoder, JsonValue item, const Parameter& parameter, std::string_view where,
                      const std::string& text) {
    if (parameter.type != ValueType::kEnum && parameter.type != ValueType::kBool) return;
    std::vector<std::string> known;
    if (parameter.type == ValueType::kBool) known = {"true", "false"};
    for (const Value& value : parameter.domain.values) known.push_back(to_text(value));
    for (const Value& value : parameter.domain.special) known.push_back(to_text(value));
    if (std::find(known.begin(), known.end(), text) != known.end()) return;
    decoder.problem(item, fmt::format("'{}' in '{}' is no value of {}", text, where, parameter.id),
                    hint_for(text, known, "values"));
}

void check_value_texts(Decoder& decoder, JsonValue item, const Parameter& parameter) {
    for (const auto& [text, durability] : parameter.durability) {
        if (text != "*") check_value_text(decoder, item, parameter, "durability", text);
    }
    for (const auto& [text, words] : parameter.spelling.words) {
        check_value_text(decoder, item, parameter, "words", text);
    }
    for (const VersionWindow& window : parameter.versions) {
        if (!window.applies_to.empty())
            check_value_text(decoder, item, parameter, "applies_to", window.applies_to);
    }
    if (!parameter.read_back) return;
    for (const auto& [found, text] : parameter.read_back->map) {
        check_value_text(decoder, item, parameter, "map", text);
    }
}

// As written: it lives as long as the document, the struct moves when its vector grows.
std::string_view parameter_id(JsonValue item) {
    for (const JsonValue member : item) {
        if (member.key() == "id") return member.text();
    }
    return {};
}

void check_parameter(Decoder& decoder, JsonValue item, Parameter& parameter) {
    check_id(decoder, item, parameter);
    convert_values(decoder, item, parameter, parameter.domain.values, false);
    convert_values(decoder, item, parameter, parameter.domain.special, true);
    if (parameter.type == ValueType::kEnum && parameter.domain.values.empty()) {
        decoder.problem(item, "an enum lists its 'values' in 'domain'");
    }
    check_value_texts(decoder, item, parameter);
    if (!parameter.remount.empty() && parameter.layer != Layer::kMount)
        decoder.problem(item, "'remount' is for mount options");
    for (std::size_t index = 0; index + 1 < parameter.defaults.size(); ++index) {
        if (parameter.defaults[index].when.empty()) {
            decoder.problem(item, "a default without 'when' hides those after it");
        }
    }
}

void decode_parameter(Decoder& decoder, JsonValue item, Parameter& parameter) {
    Id id{IdKind::kParameter, parameter.id};
    Word change{parameter.change, kChanges};
    OptionalExpression active{parameter.active};
    Remount remount{parameter.remount};
    Durability durability{parameter.durability};
    Sources sources{parameter.sources};
    const Field fields[] = {
        required("id", id),
        required("title", parameter.title),
        required("type", parameter.type),
        optional("domain", parameter.domain),
        optional("default", parameter.defaults),
        optional("active", active),
        optional("versions", parameter.versions),
        required("spelling", parameter.spelling),
        optional("read_back", parameter.read_back),
        required("change", change),
        optional("change_note", parameter.change_note),
        optional("remount", remount),
        optional("durability", durability),
        optional("search", parameter.search),
        required("meaning", parameter.meaning),
        optional("helps", parameter.helps),
        optional("risk", parameter.risk),
        required("sources", sources),
    };
    if (!decoder.object(item, fields)) return;
    check_parameter(decoder, item, parameter);
    for (const ConditionalValue& given : parameter.defaults)
        decoder.assign(item, parameter_id(item), given.value);
    for (const Expression& tried : parameter.search) decoder.assign(item, parameter_id(item), tried);
}

}  // namespace

void decode_parameters(Decoder& decoder, JsonValue root, KnowledgeData& data) {
    std::int64_t version = 0;
    std::string kind, filesystem;
    FilesystemOrBlock owner{filesystem};
    JsonArray items;
    const Field fields[] = {required("schema_version", version), required("kind", kind),
                            required("filesystem", owner), required("parameters", items)};
    if (!decoder.object(root, fields) || !items.value) return;
    reserve_for(*items.value, data.parameters);
    for (const JsonValue item : *items.value) {
        Parameter& parameter = data.parameters.emplace_back();
        parameter.filesystem = filesystem;
        parameter.origin = root.document().name();
        decode_parameter(decoder, item, parameter);
    }
}

}  // namespace fsadvise
