// Documents of kind "filesystem".
#include <algorithm>

#include "space/decode.h"

namespace fsadvise {

namespace {

struct Capabilities {
    std::map<std::string, std::string>& values;
};

void decode(Decoder& decoder, JsonValue value, Capabilities& out) {
    std::string texts[std::size(kCapabilityWords)];
    std::vector<Field> fields;
    for (std::size_t index = 0; index < std::size(kCapabilityWords); ++index) {
        fields.push_back(optional(kCapabilityWords[index], texts[index]));
    }
    if (!decoder.object(value, fields)) return;
    for (const JsonValue member : value) {
        const auto word = std::find(std::begin(kCapabilityWords), std::end(kCapabilityWords), member.key());
        if (word == std::end(kCapabilityWords)) continue;
        if (member.text() != "yes" && !member.text().starts_with("no: ")) {
            decoder.problem(member, "expected \"yes\" or \"no: reason\"");
        }
        out.values.emplace(*word, texts[word - std::begin(kCapabilityWords)]);
    }
}

struct MeasureWith {
    std::map<std::string, Value>& values;
};

void decode(Decoder& decoder, JsonValue value, MeasureWith& out) {
    decode(decoder, value, out.values);
    if (value.type() != JsonType::kObject) return;
    for (const JsonValue member : value) decoder.refer_key(IdKind::kParameter, member);
}

}  // namespace

void decode_filesystem(Decoder& decoder, JsonValue root, KnowledgeData& data) {
    Filesystem& fs = data.filesystems.emplace_back();
    std::int64_t version = 0;
    std::string kind;
    Id id{IdKind::kFilesystem, fs.id};
    Size minimum{fs.minimum_bytes}, maximum{fs.maximum_bytes}, maximum_file{fs.maximum_file_bytes};
    Capabilities capabilities{fs.capabilities};
    MeasureWith measure_with{fs.measure_with};
    OptionalExpression available{fs.available};
    Sources sources{fs.sources};
    const Field fields[] = {
        required("schema_version", version),
        required("kind", kind),
        required("id", id),
        required("title", fs.title),
        required("summary", fs.summary),
        required("mkfs", fs.mkfs),
        optional("mkfs_aliases", fs.mkfs_aliases),
        optional("mkfs_quiet", fs.mkfs_quiet),
        optional("mkfs_overwrite", fs.mkfs_overwrite),
        optional("switches", fs.switches),
        optional("value_flags", fs.value_flags),
        optional("last_only_flags", fs.last_only_flags),
        optional("mount_words", fs.mount_words),
        optional("measure_with", measure_with),
        required("tool", fs.tool),
        required("kernel_module", fs.kernel_module),
        optional("available", available),
        required("minimum", minimum),
        required("maximum", maximum),
        required("maximum_file", maximum_file),
        required("fstab_pass", fs.fstab_pass),
        required("capabilities", capabilities),
        required("sources", sources),
    };
    decoder.object(root, fields);
}

}  // namespace fsadvise
