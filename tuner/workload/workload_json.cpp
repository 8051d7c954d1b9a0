#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.h"
#include "tuner/workload/object_reader.h"
#include "tuner/workload/objective.h"
#include "tuner/workload/step_kind.h"
#include "tuner/workload/sync_policy.h"
#include "tuner/workload/workload.h"

namespace fsadvise::tuner {
namespace {

using nlohmann::json;

const std::array<std::string, 2> kDistributions = {"constant", "exponential"};
const std::array<std::string, 2> kCommitSyncs = {"fsync", "fdatasync"};

void read_exponential(ObjectReader& reader, const char* key, bool& exponential) {
    std::size_t index = exponential ? 1 : 0;
    reader.word(key, kDistributions, index);
    exponential = index == 1;
}

// [{"<key>": "8Ki", "share": 0.7}, ...]
std::vector<SizeShare> read_shares(ObjectReader& reader, const char* list, const char* key) {
    std::vector<SizeShare> result;
    reader.each(list, [&](ObjectReader& item) {
        SizeShare entry;
        item.known({key, "share"});
        item.size(key, entry.bytes);
        item.real("share", entry.share);
        for (const char* needed : {key, "share"}) {
            if (!item.has(needed)) item.report("", fmt::format("the key '{}' is missing", needed));
        }
        result.push_back(entry);
    });
    if (reader.has(list) && result.empty()) reader.report(std::string("/") + list, "the list is empty");
    return result;
}

std::uint64_t whole(double bytes) {
    return static_cast<std::uint64_t>(std::llround(bytes));
}

// The mean size that the distribution stands for.
void set_mean_size(FileSet& set) {
    if (!set.sizes.empty()) {
        double mean = 0;
        for (const SizeShare& entry : set.sizes) mean += static_cast<double>(entry.bytes) * entry.share;
        set.size_bytes = whole(mean);
    } else if (set.size_median_bytes > 0) {
        set.size_bytes =
            whole(static_cast<double>(set.size_median_bytes) * std::exp(set.size_sigma * set.size_sigma / 2));
    } else if (set.size_max_bytes > set.size_min_bytes && set.size_min_bytes > 0) {
        const auto low = static_cast<double>(set.size_min_bytes);
        const auto high = static_cast<double>(set.size_max_bytes);
        set.size_bytes = whole((high - low) / std::log(high / low));
    } else if (set.size_max_bytes != 0) {
        set.size_bytes = set.size_max_bytes;
    }
}

void read_file_size(ObjectReader& reader, FileSet& set) {
    reader.size("size", set.size_bytes);
    reader.size("size_min", set.size_min_bytes);
    reader.size("size_max", set.size_max_bytes);
    set.sizes = read_shares(reader, "sizes", "size");
    reader.size("size_median", set.size_median_bytes);
    reader.real("size_sigma", set.size_sigma);
    const bool range = reader.has("size_min") || reader.has("size_max");
    const bool lognormal = reader.has("size_median") || reader.has("size_sigma");
    if (reader.has("size") && range) {
        reader.report("/size", "give 'size' or 'size_min' and 'size_max', not both");
    }
    if ((reader.has("size") || range) + (reader.has("sizes") ? 1 : 0) + (lognormal ? 1 : 0) > 1) {
        reader.report(
            "", "give one of 'size', 'size_min' with 'size_max', 'sizes', 'size_median' with 'size_sigma'");
    }
    if (reader.has("size_min") != reader.has("size_max")) {
        reader.report("", "'size_min' and 'size_max' belong together");
    }
    if (reader.has("size_median") != reader.has("size_sigma")) {
        reader.report("", "'size_median' and 'size_sigma' belong together");
    }
    if (reader.has("size_median") && set.size_median_bytes == 0) {
        reader.report("/size_median", "a median of zero bytes");
    }
    if (!reader.error()) set_mean_size(set);
}

FileSet read_file_set(ObjectReader& reader) {
    FileSet set;
    reader.known({"name", "files", "size", "size_min", "size_max", "sizes", "size_median", "size_sigma",
                  "directory_width", "fan_out", "tree_depth", "preallocate", "fill", "compressible",
                  "duplicates", "keep"});
    reader.text("name", set.name);
    reader.count("files", set.files);
    read_file_size(reader, set);
    reader.count("directory_width", set.directory_width);
    reader.count("fan_out", set.fan_out);
    reader.count("tree_depth", set.tree_depth);
    if (reader.has("tree_depth") && !reader.has("fan_out")) {
        reader.report("/tree_depth", "a tree needs 'fan_out' too");
    }
    if (reader.has("fan_out") && set.fan_out == 0) reader.report("/fan_out", "a tree without directories");
    reader.flag("preallocate", set.preallocate);
    reader.flag("fill", set.fill);
    reader.real("compressible", set.compressible);
    reader.real("duplicates", set.duplicates);
    if (reader.has("keep")) {
        std::uint64_t keep = 0;
        reader.count("keep", keep, 1'000'000);
        set.keep = static_cast<std::int64_t>(keep);
    }
    return set;
}

// Keys that only some operations read: given elsewhere they would be a silent mistake.
void check_keys_of(ObjectReader& reader, StepKind kind) {
    const auto only = [&](const char* key, bool fits, const char* owner) {
        if (reader.has(key) && !fits)
            reader.report(std::string("/") + key, fmt::format("'{}' belongs to {} steps", key, owner));
    };
    only("read_share", kind == StepKind::kReadWrite, "read-write");
    only("record", kind == StepKind::kCommit, "commit");
    only("sync", kind == StepKind::kCommit, "commit");
    only("signal", kind == StepKind::kSignal || kind == StepKind::kWait, "signal and wait");
    only("distribution", kind == StepKind::kThink, "think");
    only("blocks", transfers(kind), "read, write, read-write and append");
    if (reader.has("blocks") && reader.has("block")) {
        reader.report("/block", "give 'block' or 'blocks', not both");
    }
}

Step read_step(ObjectReader& reader) {
    Step step;
    reader.known({"operation", "file_set", "block", "blocks", "sequential", "probability", "repeat",
                  "think_ns", "distribution", "read_share", "record", "sync", "signal"});
    reader.text("operation", step.operation);
    if (const auto kind = step_kind(step.operation)) {
        check_keys_of(reader, *kind);
    } else {
        reader.report("/operation", fmt::format("unknown operation '{}'{}", step.operation,
                                                did_you_mean(step.operation, operation_names())));
    }
    reader.text("file_set", step.file_set);
    reader.size("block", step.block_bytes);
    step.blocks = read_shares(reader, "blocks", "block");
    for (const SizeShare& entry : step.blocks) {
        step.block_bytes =
            &entry == &step.blocks.front() ? entry.bytes : std::max(step.block_bytes, entry.bytes);
    }
    reader.flag("sequential", step.sequential);
    reader.real("probability", step.probability);
    reader.count("repeat", step.repeat);
    reader.count("think_ns", step.think_ns);
    read_exponential(reader, "distribution", step.exponential);
    reader.real("read_share", step.read_share);
    reader.size("record", step.record_bytes);
    if (reader.has("record") && step.record_bytes == 0) reader.report("/record", "a record of zero bytes");
    std::size_t data_only = 1;
    reader.word("sync", kCommitSyncs, data_only);
    step.data_only = data_only == 1;
    reader.text("signal", step.signal);
    return step;
}

void read_sync(ObjectReader& reader, Stream& stream) {
    reader.known({"mode", "every"});
    std::size_t mode = 0;
    if (!reader.has("mode")) reader.report("", "the key 'mode' is missing");
    reader.word("mode", kSyncPolicyNames, mode);
    stream.sync = static_cast<SyncPolicy>(mode);
    reader.count("every", stream.sync_every);
    if (reader.has("every") && stream.sync != SyncPolicy::kFsync && stream.sync != SyncPolicy::kFdatasync) {
        reader.report("/every", "'every' belongs to the modes fsync and fdatasync");
    }
}

void read_rate(ObjectReader& reader, Stream& stream) {
    reader.known({"operations", "bytes", "open_loop", "arrivals"});
    reader.real("operations", stream.rate_operations);
    std::uint64_t bytes = 0;
    reader.size("bytes", bytes);
    stream.rate_bytes = static_cast<double>(bytes);
    if (reader.has("operations") == reader.has("bytes")) {
        reader.report("", "give a rate in 'operations' or in 'bytes' a second, one of them");
    }
    for (const char* key : {"operations", "bytes"}) {
        if (reader.has(key) && !(stream.rate_operations > 0 || stream.rate_bytes > 0)) {
            reader.report(std::string("/") + key, "a rate limit of zero lets nothing through");
        }
    }
    reader.flag("open_loop", stream.open_loop);
    read_exponential(reader, "arrivals", stream.exponential_arrivals);
}

Stream read_stream(ObjectReader& reader) {
    Stream stream;
    reader.known({"name", "file_set", "threads", "depth", "direct", "skew", "hot_spot", "working_set", "sync",
                  "rate", "counts", "steps"});
    reader.text("name", stream.name);
    reader.text("file_set", stream.file_set);
    reader.count("threads", stream.threads);
    reader.count("depth", stream.depth);
    reader.flag("direct", stream.direct);
    reader.real("skew", stream.skew);
    reader.object("hot_spot", [&](ObjectReader& spot) {
        spot.known({"accesses", "blocks"});
        spot.real("accesses", stream.hot_accesses);
        spot.real("blocks", stream.hot_blocks);
        if (!(stream.hot_accesses > 0 && stream.hot_blocks > 0)) {
            spot.report("", "a hot spot has the shares 'accesses' and 'blocks', both above 0");
        }
    });
    reader.real("working_set", stream.working_set);
    reader.object("sync", [&](ObjectReader& sync) { read_sync(sync, stream); });
    reader.object("rate", [&](ObjectReader& rate) { read_rate(rate, stream); });
    reader.flag("counts", stream.counts);
    reader.each("steps", [&](ObjectReader& item) { stream.steps.push_back(read_step(item)); });
    return stream;
}

Phase read_phase(ObjectReader& reader) {
    Phase phase;
    reader.known({"name", "seconds", "operations", "streams"});
    reader.text("name", phase.name);
    reader.real("seconds", phase.seconds);
    reader.count("operations", phase.operations);
    reader.texts("streams", phase.streams);
    return phase;
}

Load read_load(ObjectReader& reader) {
    Load load;
    reader.known({"objective", "metric", "flush_in_window", "window_seconds", "file_sets", "streams",
                  "phases", "counting_phase"});
    // "metric" is the older name.
    const char* key = reader.has("objective") ? "objective" : "metric";
    std::string wanted = load.metric;
    reader.text(key, wanted);
    if (reader.has("metric") && reader.has("objective")) {
        reader.report("/metric", "give 'objective' only: 'metric' is its older name");
    }
    if (!objective(wanted)) {
        reader.report(std::string("/") + key, fmt::format("unknown objective '{}'{}; known: {}", wanted,
                                                          did_you_mean(wanted, objective_names()),
                                                          fmt::join(objective_names(), ", ")));
    }
    load.metric = wanted;
    reader.flag("flush_in_window", load.flush_in_window);
    reader.real("window_seconds", load.window_seconds);
    reader.each("file_sets", [&](ObjectReader& item) { load.file_sets.push_back(read_file_set(item)); });
    reader.each("streams", [&](ObjectReader& item) { load.streams.push_back(read_stream(item)); });
    reader.each("phases", [&](ObjectReader& item) { load.phases.push_back(read_phase(item)); });
    reader.text("counting_phase", load.counting_phase);
    return load;
}

// {"base": LOAD, "changes": {"/streams/0/depth": 64}} -> LOAD with the changes.
Result<json> with_changes(const json& document, const std::string& name) {
    if (!document.is_object() || !document.contains("base")) return document;
    ObjectReader reader(document, name, "");
    reader.known({"base", "changes"});
    if (reader.error()) return tl::unexpected(*reader.error());
    json result = document["base"];
    const json changes = document.value("changes", json::object());
    if (!changes.is_object())
        return fail(ErrorCode::kBadInput, "an object is expected here", name + "#/changes");
    for (const auto& [where, value] : changes.items()) {
        const std::string context = name + "#/changes";
        if (where.empty() || where.front() != '/' || where.find('~') != std::string::npos) {
            return fail(ErrorCode::kBadInput, fmt::format("'{}' is not a JSON pointer", where), context,
                        "such as \"/streams/0/depth\"");
        }
        const json::json_pointer pointer(where);
        const json::json_pointer parent = pointer.parent_pointer();
        // A member may be new, what holds it may not.
        if (!result.contains(parent) || !(result[parent].is_object() || result.contains(pointer))) {
            return fail(ErrorCode::kBadInput, fmt::format("the base has no '{}'", where), context);
        }
        result[pointer] = value;
    }
    return result;
}

}  // namespace

Result<Load> load_from_json(const std::string& json_text, const std::string& name) {
    const json given = json::parse(json_text, nullptr, false, true);
    if (given.is_discarded()) return fail(ErrorCode::kBadInput, "this is not JSON", name);
    FSADVISE_ASSIGN(const json document, with_changes(given, name));
    ObjectReader reader(document, name, "");
    Load load = read_load(reader);
    if (reader.error()) return tl::unexpected(*reader.error());
    if (auto checked = check(load); !checked) {
        Error error = checked.error();
        error.context = name + "#" + error.context;
        return tl::unexpected(std::move(error));
    }
    return load;
}

}  // namespace fsadvise::tuner
