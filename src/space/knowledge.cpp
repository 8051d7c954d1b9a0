#include "space/knowledge.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <unordered_map>

#include <fmt/format.h>

#include "base/text.h"
#include "space/decode.h"

namespace fsadvise {

struct Knowledge::Data : KnowledgeData {
    std::string digest;
    // Keys and pointers go into the vectors, which do not change any more.
    std::unordered_map<std::string_view, const Filesystem*> filesystem_by_id;
    std::unordered_map<std::string_view, const Parameter*> parameter_by_id;
    std::unordered_map<std::string_view, const WorkloadDescription*> workload_by_name;
    std::unordered_map<std::string_view, const Evidence*> evidence_by_id;
};

namespace {

// Eight bytes a step: the digest of everything is taken at every start, byte-wise FNV-1a would cost a
// millisecond.
std::uint64_t fast_hash(std::string_view text) {
    constexpr std::uint64_t kMultiplier = 0x9e3779b97f4a7c15U;
    std::uint64_t hash = text.size() * kMultiplier;
    const auto mix = [&hash](std::uint64_t word) {
        hash = (hash ^ word) * kMultiplier;
        hash ^= hash >> 29U;
    };
    while (text.size() >= sizeof(std::uint64_t)) {
        std::uint64_t word = 0;
        std::memcpy(&word, text.data(), sizeof(word));
        mix(word);
        text.remove_prefix(sizeof(word));
    }
    std::uint64_t rest = 0;
    std::memcpy(&rest, text.data(), text.size());
    mix(rest);
    return hash;
}

std::string digest_of(std::span<const KnowledgeFile> files) {
    std::string summary;
    for (const KnowledgeFile& file : files)
        summary += fmt::format("{} {:016x}\n", file.name, fast_hash(file.text));
    return fingerprint(summary);
}

void decode_all(std::span<const KnowledgeFile> files, Decoder& decoder, KnowledgeData& data,
                std::deque<JsonDocument>& documents) {
    for (const KnowledgeFile& file : files) {
        JsonDocument& document = documents.emplace_back(file.name, file.text);
        if (auto parsed = document.parse(); !parsed) {
            decoder.problem(std::move(parsed.error()));
            continue;
        }
        decode_document(decoder, document.root(), data);
    }
    check_references(decoder);
    check_expressions(decoder, data);
    check_assignments(decoder, data);
}

template <class Item>
void sort_by_id(std::vector<Item>& items) {
    std::sort(items.begin(), items.end(), [](const Item& a, const Item& b) { return a.id < b.id; });
}

template <class Item>
const Item* find(const std::unordered_map<std::string_view, const Item*>& map, std::string_view id) {
    const auto entry = map.find(id);
    return entry == map.end() ? nullptr : entry->second;
}

template <class Item, class Belongs>
std::vector<const Item*> select(const std::vector<Item>& items, Belongs belongs) {
    std::vector<const Item*> selected;
    for (const Item& item : items) {
        if (belongs(item)) selected.push_back(&item);
    }
    return selected;
}

}  // namespace

std::vector<Error> Knowledge::check(std::span<const KnowledgeFile> files) {
    KnowledgeData data;
    std::deque<JsonDocument> documents;
    Decoder decoder;
    decode_all(files, decoder, data, documents);
    return std::move(decoder.problems());
}

Result<Knowledge> Knowledge::load(std::span<const KnowledgeFile> files) {
    auto data = std::make_shared<Data>();
    std::deque<JsonDocument> documents;
    Decoder decoder;
    decode_all(files, decoder, *data, documents);
    if (!decoder.problems().empty()) {
        Error error = std::move(decoder.problems().front());
        if (const std::size_t others = decoder.problems().size() - 1; others > 0) {
            error.hint += fmt::format("{}{} more problem{} after this one", error.hint.empty() ? "" : "; ",
                                      others, others == 1 ? "" : "s");
        }
        return tl::unexpected(std::move(error));
    }
    sort_by_id(data->filesystems);
    sort_by_id(data->parameters);
    sort_by_id(data->constraints);
    sort_by_id(data->rules);
    sort_by_id(data->changes);
    sort_by_id(data->tables);
    sort_by_id(data->workloads);
    sort_by_id(data->evidence);
    data->digest = digest_of(files);
    for (const Filesystem& item : data->filesystems) data->filesystem_by_id.emplace(item.id, &item);
    data->parameter_by_id.reserve(data->parameters.size());
    for (const Parameter& item : data->parameters) data->parameter_by_id.emplace(item.id, &item);
    data->evidence_by_id.reserve(data->evidence.size());
    for (const Evidence& item : data->evidence) data->evidence_by_id.emplace(item.id, &item);
    for (const WorkloadDescription& item : data->workloads) {
        data->workload_by_name.emplace(item.id, &item);
        for (const std::string& alias : item.aliases) data->workload_by_name.emplace(alias, &item);
    }
    Knowledge knowledge;
    knowledge.data_ = std::move(data);
    return knowledge;
}

const Filesystem* Knowledge::filesystem(std::string_view id) const {
    return find(data_->filesystem_by_id, id);
}
const Parameter* Knowledge::parameter(std::string_view id) const {
    return find(data_->parameter_by_id, id);
}
const WorkloadDescription* Knowledge::workload(std::string_view id_or_alias) const {
    return find(data_->workload_by_name, id_or_alias);
}
const Evidence* Knowledge::evidence(std::string_view id) const {
    return find(data_->evidence_by_id, id);
}

const Distribution* Knowledge::distribution(std::string_view id, std::string_view version) const {
    // "9.4" is described by "9.4", else by "9", else by the entry without a version.
    const Distribution* best = nullptr;
    for (const Distribution& candidate : data_->distributions) {
        if (candidate.id != id) continue;
        const std::string& known = candidate.version;
        const bool covers = known.empty() || version == known ||
                            (version.starts_with(known) && version.size() > known.size() && version[known.size()] == '.');
        if (covers && (best == nullptr || known.size() > best->version.size())) best = &candidate;
    }
    return best;
}

const std::vector<Filesystem>& Knowledge::filesystems() const {
    return data_->filesystems;
}
const std::vector<Parameter>& Knowledge::parameters() const {
    return data_->parameters;
}
const std::vector<Constraint>& Knowledge::constraints() const {
    return data_->constraints;
}
const std::vector<Rule>& Knowledge::rules() const {
    return data_->rules;
}
const std::vector<Change>& Knowledge::changes() const {
    return data_->changes;
}
const FactTable* Knowledge::table(std::string_view id) const {
    const auto found = std::find_if(data_->tables.begin(), data_->tables.end(),
                                    [&](const FactTable& table) { return table.id == id; });
    return found == data_->tables.end() ? nullptr : &*found;
}
const std::vector<WorkloadDescription>& Knowledge::workloads() const {
    return data_->workloads;
}
const std::vector<Distribution>& Knowledge::distributions() const {
    return data_->distributions;
}
const std::vector<Evidence>& Knowledge::evidence() const {
    return data_->evidence;
}
const std::string& Knowledge::digest() const {
    return data_->digest;
}

std::vector<const Parameter*> Knowledge::parameters_of(std::string_view filesystem) const {
    return select(data_->parameters, [&](const Parameter& item) { return item.filesystem == filesystem; });
}

std::vector<const Parameter*> Knowledge::parameters_of(std::string_view filesystem, Layer layer) const {
    return select(data_->parameters, [&](const Parameter& item) {
        return item.filesystem == filesystem && item.layer == layer;
    });
}

std::vector<const Constraint*> Knowledge::constraints_of(std::string_view filesystem) const {
    return select(data_->constraints, [&](const Constraint& item) { return item.filesystem == filesystem; });
}

std::vector<std::string> Knowledge::workload_names() const {
    std::vector<std::string> names;
    for (const WorkloadDescription& workload : data_->workloads) {
        names.push_back(workload.id);
        names.insert(names.end(), workload.aliases.begin(), workload.aliases.end());
    }
    std::sort(names.begin(), names.end());
    return names;
}

}  // namespace fsadvise
