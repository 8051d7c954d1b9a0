// The workload document as JSON text, both ways.
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/units.h"
#include "tuner/exchange/exchange.h"
#include "tuner/workload/step_kind.h"

namespace fsadvise::tuner {
namespace {

using Json = nlohmann::ordered_json;

// "8Ki" where it is exact, else the number.
Json size_json(std::uint64_t bytes) {
    static constexpr const char* kSuffixes[] = {"Ki", "Mi", "Gi", "Ti"};
    int power = -1;
    std::uint64_t rest = bytes;
    while (rest != 0 && rest % kKiB == 0 && power < 3) {
        rest /= kKiB;
        ++power;
    }
    if (power < 0) return bytes;
    return std::to_string(rest) + kSuffixes[power];
}

Json file_set_json(const FileSet& set) {
    Json json = {{"name", set.name}, {"files", set.files}};
    if (set.size_max_bytes > 0) {
        json["size_min"] = size_json(set.size_min_bytes);
        json["size_max"] = size_json(set.size_max_bytes);
    } else {
        json["size"] = size_json(set.size_bytes);
    }
    if (set.directory_width > 0) json["directory_width"] = set.directory_width;
    if (!set.fill) json["fill"] = false;
    if (set.preallocate) json["preallocate"] = true;
    json["compressible"] = set.compressible;
    return json;
}

Json step_json(const Step& step) {
    const auto kind = step_kind(step.operation);
    Json json = {{"operation", step.operation}};
    if (!step.file_set.empty()) json["file_set"] = step.file_set;
    if (kind && uses_block(*kind)) json["block"] = size_json(step.block_bytes);
    if (step.sequential) json["sequential"] = true;
    if (step.probability < 1) json["probability"] = step.probability;
    if (step.repeat != 1) json["repeat"] = step.repeat;
    if (step.think_ns > 0) json["think_ns"] = step.think_ns;
    return json;
}

Json stream_json(const Stream& stream) {
    Json json = {{"name", stream.name},    {"file_set", stream.file_set}, {"threads", stream.threads},
                 {"depth", stream.depth},  {"direct", stream.direct},     {"skew", stream.skew},
                 {"counts", stream.counts}};
    Json& steps = json["steps"] = Json::array();
    for (const Step& step : stream.steps) steps.push_back(step_json(step));
    return json;
}

Json load_json(const Load& load) {
    Json json = {{"metric", load.metric},
                 {"flush_in_window", load.flush_in_window},
                 {"window_seconds", load.window_seconds}};
    Json& sets = json["file_sets"] = Json::array();
    for (const FileSet& set : load.file_sets) sets.push_back(file_set_json(set));
    Json& streams = json["streams"] = Json::array();
    for (const Stream& stream : load.streams) streams.push_back(stream_json(stream));
    return json;
}

std::string dump(const Json& json) {
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string load_to_json(const Load& load) {
    return dump(load_json(load));
}

std::string document_to_json(const WorkloadDocument& document) {
    Json json = {{"schema_version", 1},
                 {"kind", "workload"},
                 {"id", document.id},
                 {"title", document.title},
                 {"summary", document.summary},
                 {"traits", document.traits},
                 {"mount_point", document.mount_point},
                 {"durability", document.durability}};
    if (document.mean_file_bytes) json["mean_file"] = size_json(*document.mean_file_bytes);
    if (!document.derivation.empty()) json["derivation"] = document.derivation;
    if (!document.notes.empty()) json["notes"] = document.notes;
    json["sources"] = document.sources;
    json["load"] = load_json(document.load);
    return dump(json);
}

Result<WorkloadDocument> document_from_json(const std::string& text, const std::string& name) {
    const Json json = Json::parse(text, nullptr, false, true);
    if (json.is_discarded())
        return fail(ErrorCode::kBadInput, "is not JSON", name,
                    "a workload file is JSON, see docs/knowledge.md");
    if (!json.is_object() || !json.contains("kind") || json["kind"] != "workload" || !json.contains("load")) {
        return fail(ErrorCode::kBadInput,
                    "is not a workload: \"kind\": \"workload\" and a \"load\" are expected", name,
                    "make one with: fsadvise workload import FILE");
    }
    WorkloadDocument document;
    const auto text_of = [&](const char* key) {
        const auto found = json.find(key);
        return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
    };
    const auto list_of = [&](const char* key) {
        std::vector<std::string> list;
        if (const auto found = json.find(key); found != json.end() && found->is_array()) {
            for (const Json& item : *found) {
                if (item.is_string()) list.push_back(item.get<std::string>());
            }
        }
        return list;
    };
    document.id = text_of("id");
    document.title = text_of("title");
    document.summary = text_of("summary");
    document.traits = list_of("traits");
    document.mount_point = text_of("mount_point");
    if (json.contains("durability")) document.durability = text_of("durability");
    document.derivation = text_of("derivation");
    document.notes = list_of("notes");
    document.sources = list_of("sources");
    FSADVISE_ASSIGN(document.load, load_from_json(json["load"].dump(), name));
    return document;
}

}  // namespace fsadvise::tuner
