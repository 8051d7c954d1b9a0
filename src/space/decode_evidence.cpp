// Documents of kind "evidence" and "distribution".
#include "space/decode.h"

namespace fsadvise {

namespace {

constexpr std::string_view kEvidenceKinds[] = {"measurement", "statement", "behaviour"};
constexpr std::string_view kGrades[] = {"measured-here", "documented", "vendor-opinion",
                                        "third-party-benchmark", "recollection"};
constexpr std::string_view kSupportWords[] = {"supported", "available", "unsupported"};

struct Support {
    std::map<std::string, std::string>& values;
};
void decode(Decoder& decoder, JsonValue value, Support& out) {
    if (!decoder.expect(value, JsonType::kObject)) return;
    for (const JsonValue member : value) {
        decoder.refer_key(IdKind::kFilesystem, member);
        const auto index = decoder.pick(member, kSupportWords);
        if (index) out.values[std::string(member.key())] = kSupportWords[*index];
    }
}

struct Versions {
    std::map<std::string, std::string>& values;
};
void decode(Decoder& decoder, JsonValue value, Versions& out) {
    if (!decoder.expect(value, JsonType::kObject)) return;
    for (const JsonValue member : value) {
        VersionText version{out.values[std::string(member.key())]};
        decode(decoder, member, version);
    }
}

void decode_item(Decoder& decoder, JsonValue item, Evidence& evidence) {
    Id id{IdKind::kEvidence, evidence.id};
    Word kind{evidence.kind, kEvidenceKinds}, grade{evidence.grade, kGrades};
    double number = 0;
    const Field fields[] = {
        required("id", id),
        required("kind", kind),
        required("says", evidence.says),
        required("source", evidence.source),
        optional("locator", evidence.locator),
        required("date", evidence.date),
        required("grade", grade),
        optional("context", evidence.context),
        optional("value", number),
        optional("unit", evidence.unit),
        optional("valid", evidence.valid),
    };
    if (!decoder.object(item, fields)) return;
    if (!evidence.id.empty() && !evidence.id.starts_with("ev."))
        decoder.problem(item, "the id starts with 'ev.'");
    for (const JsonValue member : item) {
        if (member.key() == "value") evidence.value = number;
    }
    if (evidence.value && evidence.unit.empty()) decoder.problem(item, "a 'value' needs its 'unit'");
}

void decode_item(Decoder& decoder, JsonValue item, Distribution& distribution) {
    VersionText kernel{distribution.kernel};
    Reference default_filesystem{IdKind::kFilesystem, distribution.default_filesystem};
    Versions tools{distribution.tools};
    Support filesystems{distribution.filesystems};
    Sources sources{distribution.sources};
    const Field fields[] = {
        required("id", distribution.id),
        required("version", distribution.version),
        required("title", distribution.title),
        required("kernel", kernel),
        optional("default_filesystem", default_filesystem),
        optional("tools", tools),
        optional("filesystems", filesystems),
        required("sources", sources),
    };
    decoder.object(item, fields);
}

template <class Item>
void decode_list(Decoder& decoder, JsonValue root, std::string_view key, std::vector<Item>& out) {
    std::int64_t version = 0;
    std::string kind;
    JsonArray items;
    const Field fields[] = {required("schema_version", version), required("kind", kind),
                            required(key, items)};
    if (!decoder.object(root, fields) || !items.value) return;
    reserve_for(*items.value, out);
    for (const JsonValue item : *items.value) decode_item(decoder, item, out.emplace_back());
}

}  // namespace

void decode_evidence(Decoder& decoder, JsonValue root, KnowledgeData& data) {
    decode_list(decoder, root, "evidence", data.evidence);
}

void decode_distributions(Decoder& decoder, JsonValue root, KnowledgeData& data) {
    const std::size_t before = data.distributions.size();
    decode_list(decoder, root, "distributions", data.distributions);
    for (std::size_t index = before; index < data.distributions.size(); ++index) {
        for (std::size_t other = 0; other < index; ++other) {
            const Distribution& a = data.distributions[index];
            const Distribution& b = data.distributions[other];
            if (a.id == b.id && a.version == b.version) {
                decoder.problem(
                    root, "the distribution '" + a.id + "' version '" + a.version + "' is defined already");
            }
        }
    }
}

}  // namespace fsadvise
