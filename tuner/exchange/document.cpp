// The workload document as JSON text, both ways.
#include <cmath>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/units.h"
#include "tuner/exchange/exchange.h"
#include "tuner/workload/step_kind.h"
#include "tuner/workload/sync_policy.h"

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

Json shares_json(const std::vector<SizeShare>& shares, const char* key) {
    Json list = Json::array();
    for (const SizeShare& entry : shares)
        list.push_back({{key, size_json(entry.bytes)}, {"share", entry.share}});
    return list;
}

// Keys with the value that they have anyway are left out, here and below.
Json file_set_json(const FileSet& set) {
    Json json = {{"name", set.name}, {"files", set.files}};
    if (!set.sizes.empty()) {
        json["sizes"] = shares_json(set.sizes, "size");
    } else if (set.size_median_bytes > 0) {
        json["size_median"] = size_json(set.size_median_bytes);
        json["size_sigma"] = set.size_sigma;
    } else if (set.size_max_bytes > 0) {
        json["size_min"] = size_json(set.size_min_bytes);
        json["size_max"] = size_json(set.size_max_bytes);
    } else {
        json["size"] = size_json(set.size_bytes);
    }
    if (set.directory_width > 0) json["directory_width"] = set.directory_width;
    if (set.fan_out > 0) {
        json["fan_out"] = set.fan_out;
        json["tree_depth"] = set.tree_depth;
    }
    if (!set.fill) json["fill"] = false;
    if (set.preallocate) json["preallocate"] = true;
    json["compressible"] = set.compressible;
    if (set.duplicates > 0) json["duplicates"] = set.duplicates;
    if (set.keep >= 0) json["keep"] = set.keep;
    return json;
}

Json step_json(const Step& step) {
    const auto kind = step_kind(step.operation);
    Json json = {{"operation", step.operation}};
    if (!step.file_set.empty()) json["file_set"] = step.file_set;
    if (!step.blocks.empty()) {
        json["blocks"] = shares_json(step.blocks, "block");
    } else if (kind && uses_block(*kind)) {
        json["block"] = size_json(step.block_bytes);
    }
    if (step.sequential) json["sequential"] = true;
    if (kind == StepKind::kReadWrite) json["read_share"] = step.read_share;
    if (step.probability < 1) json["probability"] = step.probability;
    if (step.repeat != 1) json["repeat"] = step.repeat;
    if (kind == StepKind::kCommit) {
        if (step.record_bytes > 0) json["record"] = size_json(step.record_bytes);
        if (!step.data_only) json["sync"] = "fsync";
    }
    if (!step.signal.empty()) json["signal"] = step.signal;
    if (step.think_ns > 0) json["think_ns"] = step.think_ns;
    if (step.exponential) json["distribution"] = "exponential";
    return json;
}

Json rate_json(const Stream& stream) {
    Json json = Json::object();
    if (stream.rate_operations > 0) {
        json["operations"] = stream.rate_operations;
    } else {
        json["bytes"] = size_json(static_cast<std::uint64_t>(std::llround(stream.rate_bytes)));
    }
    if (stream.open_loop) json["open_loop"] = true;
    if (stream.exponential_arrivals) json["arrivals"] = "exponential";
    return json;
}

Json sync_json(const Stream& stream) {
    Json json = {{"mode", sync_policy_name(stream.sync)}};
    const bool counts = stream.sync == SyncPolicy::kFsync || stream.sync == SyncPolicy::kFdatasync;
    if (counts && stream.sync_every != 1) json["every"] = stream.sync_every;
    return json;
}

Json stream_json(const Stream& stream) {
    Json json = {{"name", stream.name},    {"file_set", stream.file_set}, {"threads", stream.threads},
                 {"depth", stream.depth},  {"direct", stream.direct},     {"skew", stream.skew},
                 {"counts", stream.counts}};
    if (stream.hot_accesses > 0)
        json["hot_spot"] = {{"accesses", stream.hot_accesses}, {"blocks", stream.hot_blocks}};
    if (stream.working_set < 1) json["working_set"] = stream.working_set;
    if (stream.sync != SyncPolicy::kNone) json["sync"] = sync_json(stream);
    if (stream.rate_operations > 0 || stream.rate_bytes > 0) json["rate"] = rate_json(stream);
    Json& steps = json["steps"] = Json::array();
    for (const Step& step : stream.steps) steps.push_back(step_json(step));
    return json;
}

Json phase_json(const Phase& phase) {
    Json json = {{"name", phase.name}};
    if (phase.seconds > 0) json["seconds"] = phase.seconds;
    if (phase.operations > 0) json["operations"] = phase.operations;
    json["streams"] = phase.streams;
    return json;
}

Json load_json(const Load& load) {
    Json json = {{"objective", load.metric},
                 {"flush_in_window", load.flush_in_window},
                 {"window_seconds", load.window_seconds}};
    Json& sets = json["file_sets"] = Json::array();
    for (const FileSet& set : load.file_sets) sets.push_back(file_set_json(set));
    Json& streams = json["streams"] = Json::array();
    for (const Stream& stream : load.streams) streams.push_back(stream_json(stream));
    if (!load.phases.empty()) {
        Json& phases = json["phases"] = Json::array();
        for (const Phase& phase : load.phases) phases.push_back(phase_json(phase));
    }
    if (!load.counting_phase.empty()) json["counting_phase"] = load.counting_phase;
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
