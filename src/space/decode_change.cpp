// Documents of kind "changes".
#include "space/decode.h"

namespace fsadvise {
namespace {

constexpr std::string_view kStates[] = {"mounted", "new-files", "unmounted"};

void decode_change(Decoder& decoder, JsonValue item, Change& change) {
    Id id{IdKind::kChange, change.id};
    Reference parameter{IdKind::kParameter, change.parameter};
    Word state{change.state, kStates};
    OptionalExpression when{change.when};
    Sources sources{change.sources};
    const Field fields[] = {
        required("id", id),
        required("parameter", parameter),
        optional("value", change.value),
        required("state", state),
        optional("when", when),
        required("commands", change.commands),
        required("effect", change.effect),
        optional("risk", change.risk),
        required("sources", sources),
    };
    if (!decoder.object(item, fields)) return;
    if (change.commands.empty()) decoder.problem(item, "'commands' is empty");
}

}  // namespace

void decode_changes(Decoder& decoder, JsonValue root, KnowledgeData& data) {
    std::int64_t version = 0;
    std::string kind;
    JsonArray items;
    const Field fields[] = {required("schema_version", version), required("kind", kind),
                            required("changes", items)};
    if (!decoder.object(root, fields) || !items.value) return;
    reserve_for(*items.value, data.changes);
    for (const JsonValue item : *items.value) {
        Change& change = data.changes.emplace_back();
        change.origin = root.document().name();
        decode_change(decoder, item, change);
    }
}

}  // namespace fsadvise
