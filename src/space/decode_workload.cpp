// Documents of kind "workload". The load itself is decoded by the tuner when it is run.
#include "space/decode.h"

namespace fsadvise {

namespace {

struct Traits {
    std::vector<std::string>& values;
};
void decode(Decoder& decoder, JsonValue value, Traits& out) {
    decode(decoder, value, out.values);
    for (const std::string& trait : out.values) decoder.add_trait(trait);
}

struct Aliases {
    std::vector<std::string>& values;
};
void decode(Decoder& decoder, JsonValue value, Aliases& out) {
    if (!decoder.expect(value, JsonType::kArray)) return;
    for (const JsonValue element : value) {
        Id alias{IdKind::kWorkload, out.values.emplace_back()};
        decode(decoder, element, alias);
    }
}

struct OptionalSize {
    std::optional<double>& bytes;
};
void decode(Decoder& decoder, JsonValue value, OptionalSize& out) {
    std::uint64_t bytes = 0;
    Size size{bytes};
    decode(decoder, value, size);
    out.bytes = static_cast<double>(bytes);
}

// A variant is a workload of its own name that is mounted elsewhere, or whose load is the base with changes; the
// tuner applies those.
void decode_variants(Decoder& decoder, JsonValue list, const WorkloadDescription& base, KnowledgeData& data) {
    for (const JsonValue element : list) {
        WorkloadDescription variant = base;
        variant.aliases.clear();
        Id id{IdKind::kWorkload, variant.id};
        JsonObject changes;
        const Field fields[] = {
            required("id", id),
            required("title", variant.title),
            optional("mount_point", variant.mount_point),
            optional("changes", changes),
        };
        if (decoder.object(element, fields) && !changes.value && variant.mount_point == base.mount_point) {
            decoder.problem(element, "the variant differs in nothing: 'changes' is missing",
                            "add changes to the load, or another mount_point");
        }
        if (changes.value) {
            variant.load =
                R"({"base": )" + base.load + R"(, "changes": )" + std::string(changes.value->text()) + "}";
        }
        data.workloads.push_back(std::move(variant));
    }
}

}  // namespace

void decode_workload(Decoder& decoder, JsonValue root, KnowledgeData& data) {
    WorkloadDescription& workload = data.workloads.emplace_back();
    std::int64_t version = 0;
    std::string kind;
    Id id{IdKind::kWorkload, workload.id};
    Aliases aliases{workload.aliases};
    Traits traits{workload.traits};
    Reference application{IdKind::kApplication, workload.application};
    Word durability{workload.durability, kDurabilityWords};
    OptionalSize mean_file{workload.mean_file_bytes};
    Sources sources{workload.sources};
    JsonObject load;
    std::vector<std::string> notes;  // for people: what an import or a capture could not carry over
    JsonArray variants;
    const Field fields[] = {
        required("schema_version", version),
        required("kind", kind),
        required("id", id),
        required("title", workload.title),
        optional("aliases", aliases),
        required("summary", workload.summary),
        required("traits", traits),
        required("mount_point", workload.mount_point),
        optional("application", application),
        optional("durability", durability),
        optional("mean_file", mean_file),
        optional("derivation", workload.derivation),
        optional("notes", notes),
        required("sources", sources),
        required("load", load),
        optional("variants", variants),
    };
    decoder.object(root, fields);
    if (load.value) workload.load = load.value->text();
    if (!variants.value) return;
    const WorkloadDescription base = workload;  // the list grows
    decode_variants(decoder, *variants.value, base, data);
}

}  // namespace fsadvise
