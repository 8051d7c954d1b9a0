// Documents of kind "constraints".
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
    const Field fields[] = {
        required("id", id),
        required("scope", constraint.scope),
        required("effect", constraint.effect),
        required("when", constraint.when),
        required("says", constraint.says),
        required("fix", constraint.fix),
        optional("becomes", becomes),
        required("sources", sources),
    };
    if (!decoder.object(item, fields)) return;
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
