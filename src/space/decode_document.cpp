// The outer shape that all knowledge documents share.
#include <fmt/format.h>

#include "space/decode.h"

namespace fsadvise {

namespace {

constexpr std::int64_t kSchemaVersion = 1;

struct DocumentKind {
    std::string_view name;
    void (*decode)(Decoder&, JsonValue, KnowledgeData&);
};
constexpr DocumentKind kKinds[] = {
    {"filesystem", decode_filesystem},      {"parameters", decode_parameters},
    {"constraints", decode_constraints},    {"rules", decode_rules},
    {"workload", decode_workload},          {"application", decode_application},
    {"distribution", decode_distributions}, {"evidence", decode_evidence},
    {"changes", decode_changes},            {"tables", decode_tables}};

std::optional<JsonValue> member(JsonValue object, std::string_view key) {
    for (const JsonValue child : object) {
        if (child.key() == key) return child;
    }
    return std::nullopt;
}

}  // namespace

void decode_document(Decoder& decoder, JsonValue root, KnowledgeData& data) {
    if (!decoder.expect(root, JsonType::kObject)) return;
    const auto kind = member(root, "kind");
    if (!kind) return decoder.problem(root, "the key 'kind' is missing");
    // The version first: a newer document is not judged by the rules of this one.
    const auto version = member(root, "schema_version");
    if (!version) return decoder.problem(root, "the key 'schema_version' is missing");
    if (version->text() != std::to_string(kSchemaVersion)) {
        return decoder.problem(*version, fmt::format("schema_version {} is not known", version->text()),
                               fmt::format("this program reads version {}", kSchemaVersion));
    }
    std::vector<std::string_view> names;
    for (const DocumentKind& known : kKinds) names.push_back(known.name);
    if (const auto index = decoder.pick(*kind, names)) kKinds[*index].decode(decoder, root, data);
}

}  // namespace fsadvise
