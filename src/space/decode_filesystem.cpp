// Documents of kind "filesystem".
#include <algorithm>

#include "base/text.h"
#include "base/units.h"
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

using Since = std::map<std::string, std::map<std::string, std::string>>;

constexpr std::string_view kReaders[] = {"kernel",     "e2fsprogs", "xfsprogs", "btrfs-progs", "f2fs-tools",
                                         "util-linux", "grub",      "syslinux", "u-boot",      "systemd-boot"};

bool known_feature(std::string_view key) {
    if (key == "format") return true;
    const auto parts = split(key, '+');
    return std::all_of(parts.begin(), parts.end(), [](const std::string& part) {
        return std::find(std::begin(kCapabilityWords), std::end(kCapabilityWords), part) !=
               std::end(kCapabilityWords);
    });
}

void check_since(Decoder& decoder, JsonValue value, const Since& since) {
    for (const JsonValue member : value) {
        const std::string key(member.key());
        if (!known_feature(key)) {
            decoder.problem(member, "'" + key + "' is neither 'format' nor capabilities joined by '+'");
            continue;
        }
        for (const auto& [component, version] : since.at(key)) {
            if (std::find(std::begin(kReaders), std::end(kReaders), component) == std::end(kReaders)) {
                decoder.problem(member, "unknown component '" + component + "'");
            }
            if (!version.starts_with("no: ") && !Version::parse(version).known()) {
                decoder.problem(member, "'" + version + "' is neither a version nor \"no: reason\"");
            }
        }
    }
}

struct SinceMap {
    Since& values;
};

void decode(Decoder& decoder, JsonValue value, SinceMap& out) {
    decode(decoder, value, out.values);
    if (value.type() == JsonType::kObject) check_since(decoder, value, out.values);
}

}  // namespace

void decode_filesystem(Decoder& decoder, JsonValue root, KnowledgeData& data) {
    Filesystem& fs = data.filesystems.emplace_back();
    std::int64_t version = 0;
    std::string kind;
    Id id{IdKind::kFilesystem, fs.id};
    Size minimum{fs.minimum_bytes}, maximum{fs.maximum_bytes}, maximum_file{fs.maximum_file_bytes};
    Capabilities capabilities{fs.capabilities};
    SinceMap since{fs.since};
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
        optional("since", since),
        required("sources", sources),
    };
    decoder.object(root, fields);
}

}  // namespace fsadvise
