// Documents of kind "constraints".
#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "base/text.h"
#include "space/decode.h"

namespace fsadvise {

namespace {

constexpr std::string_view kScopes[] = {"self", "cross-parameter", "cross-component"};
constexpr std::string_view kEffects[] = {"mkfs-refuses", "mount-refuses", "silent",
                                         "no-effect",    "unsafe",        "unwise"};

struct Becomes {
    Constraint& constraint;
};

void decode(Decoder& decoder, JsonValue value, Becomes& out) {
    Reference parameter{IdKind::kParameter, out.constraint.becomes_parameter};
    const Field fields[] = {required("parameter", parameter),
                            required("value", out.constraint.becomes_value)};
    decoder.object(value, fields);
    for (const JsonValue member : value) {
        if (member.key() == "parameter") decoder.assign(value, member.text(), out.constraint.becomes_value);
    }
}

// Names for parts of a condition, which are written out where the condition uses them: a formula of several
// steps stays readable, and everything behind the decoder sees a plain expression.
struct Parts {
    struct Part {
        std::string name, text;
        JsonValue where;
        bool used = false;
    };
    std::vector<Part> parts;
};

constexpr std::string_view kNameLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.";

// A hostile file could double the text with each part; the parser refuses what is longer anyway.
constexpr std::size_t kLongestText = 16384;

std::string written_out(std::string_view text, std::vector<Parts::Part>& parts) {
    std::string result;
    for (std::size_t at = 0; at < text.size() && result.size() < kLongestText;) {
        std::size_t end = at + 1;
        if (text[at] == '\'') {
            end = std::min(text.find('\'', end), text.size() - 1) + 1;
        } else if (kNameLetters.find(text[at]) != std::string_view::npos) {
            end = std::min(text.find_first_not_of(kNameLetters, at), text.size());
        }
        const std::string_view word = text.substr(at, end - at);
        const auto part = std::find_if(parts.begin(), parts.end(),
                                       [&](const Parts::Part& item) { return item.name == word; });
        if (part == parts.end()) {
            result += word;
        } else {
            part->used = true;
            result += "(" + part->text + ")";
        }
        at = end;
    }
    return result;
}

void decode(Decoder& decoder, JsonValue value, Parts& out) {
    if (!decoder.expect(value, JsonType::kObject)) return;
    for (const JsonValue member : value) {
        if (!decoder.expect(member, JsonType::kString)) continue;
        const std::string name(member.key());
        if (name.empty() || name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_") != std::string::npos) {
            decoder.problem(member, fmt::format("'{}' is no name for a part of a condition", printable(name)),
                            "small letters and _");
        }
        // Earlier parts only, so there is no circle.
        std::string text = written_out(member.text(), out.parts);
        (void)decoder.expression(member, text);
        out.parts.push_back({name, std::move(text), member});
    }
}

// A condition whose parts may come after it in the document.
struct Condition {
    std::optional<JsonValue> value;
};

void decode(Decoder& decoder, JsonValue value, Condition& out) {
    const JsonType type = value.type();
    if (type == JsonType::kString || type == JsonType::kBool || type == JsonType::kNumber)
        out.value = value;
    else
        decoder.problem(value, fmt::format("expected an expression, not {}", to_text(type)));
}

}  // namespace

static void decode(Decoder& decoder, JsonValue value, ConstraintScope& out) {
    if (const auto index = decoder.pick(value, kScopes)) out = static_cast<ConstraintScope>(*index);
}

static void decode(Decoder& decoder, JsonValue value, Effect& out) {
    if (const auto index = decoder.pick(value, kEffects)) out = static_cast<Effect>(*index);
}

static void decode_constraint(Decoder& decoder, JsonValue item, Constraint& constraint) {
    Id id{IdKind::kConstraint, constraint.id};
    Becomes becomes{constraint};
    Sources sources{constraint.sources};
    Condition condition;
    Parts parts;
    const Field fields[] = {
        required("id", id),
        required("scope", constraint.scope),
        required("effect", constraint.effect),
        required("when", condition),
        optional("let", parts),
        required("says", constraint.says),
        required("fix", constraint.fix),
        optional("becomes", becomes),
        required("sources", sources),
    };
    if (!decoder.object(item, fields)) return;
    if (condition.value) {
        const std::string text = written_out(condition.value->text(), parts.parts);
        constraint.when = decoder.expression(*condition.value, text);
    }
    for (const Parts::Part& part : parts.parts) {
        if (!part.used) decoder.problem(part.where, fmt::format("'{}' is used nowhere", part.name));
    }
    const bool silent = constraint.effect == Effect::kSilent;
    if (silent && constraint.becomes_parameter.empty()) {
        decoder.problem(item, "effect 'silent' needs 'becomes': what the result is instead");
    }
    if (!silent && !constraint.becomes_parameter.empty()) {
        decoder.problem(item, "'becomes' goes with effect 'silent' only");
    }
}

void decode_constraints(Decoder& decoder, JsonValue root, KnowledgeData& data) {
    std::int64_t version = 0;
    std::string kind, filesystem;
    FilesystemOrBlock owner{filesystem};
    JsonArray items;
    const Field fields[] = {required("schema_version", version), required("kind", kind),
                            required("filesystem", owner), required("constraints", items)};
    if (!decoder.object(root, fields) || !items.value) return;
    reserve_for(*items.value, data.constraints);
    for (const JsonValue item : *items.value) {
        Constraint& constraint = data.constraints.emplace_back();
        constraint.filesystem = filesystem;
        constraint.origin = root.document().name();
        decode_constraint(decoder, item, constraint);
    }
}

}  // namespace fsadvise
