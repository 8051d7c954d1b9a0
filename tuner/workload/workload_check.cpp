#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "tuner/workload/step_kind.h"
#include "tuner/workload/workload.h"

namespace fsadvise::tuner {
namespace {

constexpr std::uint64_t kLargestBlock = 64ull << 20;

Result<void> bad(const std::string& pointer, std::string message, std::string hint = {}) {
    return fail(ErrorCode::kBadInput, std::move(message), pointer, std::move(hint));
}

// Names become directory names.
bool is_plain_name(const std::string& name) {
    return !name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), [](unsigned char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
               c == '_';
    });
}

Result<void> check_file_set(const FileSet& set, const std::string& at) {
    if (!is_plain_name(set.name)) {
        return bad(at + "/name", fmt::format("'{}' is not a name of letters, digits, - and _", set.name));
    }
    if (set.files == 0) return bad(at + "/files", fmt::format("file set '{}' has zero files", set.name));
    if (set.files > 1'000'000'000) return bad(at + "/files", "more than a thousand million files");
    if (set.size_min_bytes > set.size_max_bytes) return bad(at + "/size_min", "size_min is above size_max");
    if (set.size_max_bytes > 0 && set.size_min_bytes == 0) return bad(at + "/size_min", "size_min is zero");
    if (!(set.compressible >= 0 && set.compressible <= 1)) {
        return bad(at + "/compressible", "the compressible share is not between 0 and 1");
    }
    return {};
}

bool creates(const Stream& stream, const std::string& set) {
    return std::any_of(stream.steps.begin(), stream.steps.end(), [&](const Step& step) {
        return step.operation == "create" && (step.file_set.empty() ? stream.file_set : step.file_set) == set;
    });
}

// What a step of this kind needs from its file set.
Result<void> check_step_on_set(const Stream& stream, const Step& step, StepKind kind, const FileSet& set,
                               const std::string& at) {
    const bool own_files = creates(stream, set.name);
    if ((kind == StepKind::kUnlink || kind == StepKind::kRename) && !own_files) {
        return bad(at,
                   fmt::format("'{}' works on files that the stream has created, and stream '{}' creates "
                               "none in '{}'",
                               step.operation, stream.name, set.name),
                   "add a create step before it");
    }
    const bool by_name =
        kind == StepKind::kReadFile || kind == StepKind::kStat || kind == StepKind::kOpenClose;
    if ((by_name || kind == StepKind::kRead) && !set.fill && !own_files) {
        return bad(at,
                   fmt::format("'{}' finds no files: file set '{}' is not filled", step.operation, set.name),
                   "set fill, or add a create step to the stream");
    }
    if (is_data_step(kind)) {
        const auto largest = std::max(set.size_bytes, set.size_max_bytes);
        if (step.block_bytes > largest) {
            return bad(at + "/block", fmt::format("the block is larger than the files of '{}'", set.name));
        }
    }
    if (uses_block(kind)) {
        if (step.block_bytes == 0 || step.block_bytes > kLargestBlock) {
            return bad(at + "/block", "a block is 1 byte to 64 MiB");
        }
        if (stream.direct && step.block_bytes % 512 != 0) {
            return bad(at + "/block", "blocks of direct I/O are multiples of 512 bytes");
        }
    }
    return {};
}

Result<void> check_step(const Load& load, const Stream& stream, const Step& step, const std::string& at) {
    const auto kind = step_kind(step.operation);
    if (!kind) {
        return bad(at + "/operation", fmt::format("unknown operation '{}'{}", step.operation,
                                                  did_you_mean(step.operation, operation_names())));
    }
    if (!(step.probability > 0 && step.probability <= 1)) {
        return bad(at + "/probability", "the probability is not above 0 and at most 1");
    }
    if (step.repeat < 1) return bad(at + "/repeat", "repeat is below 1");
    if (*kind == StepKind::kThink) {
        if (step.think_ns == 0) return bad(at + "/think_ns", "a think step needs think_ns");
        return {};
    }
    const std::string& name = step.file_set.empty() ? stream.file_set : step.file_set;
    const auto set = std::find_if(load.file_sets.begin(), load.file_sets.end(),
                                  [&](const FileSet& candidate) { return candidate.name == name; });
    if (set == load.file_sets.end()) {
        std::vector<std::string> names;
        for (const FileSet& known : load.file_sets) names.push_back(known.name);
        return bad(at + "/file_set", fmt::format("unknown file set '{}'{}", name, did_you_mean(name, names)));
    }
    return check_step_on_set(stream, step, *kind, *set, at);
}

Result<void> check_stream(const Load& load, const Stream& stream, const std::string& at) {
    if (stream.threads < 1 || stream.threads > 1024) return bad(at + "/threads", "threads are 1 to 1024");
    if (stream.depth < 1 || stream.depth > 4096) return bad(at + "/depth", "depth is 1 to 4096");
    if (!(stream.skew >= 0 && stream.skew <= 5)) return bad(at + "/skew", "skew is 0 to 5");
    for (std::size_t i = 0; i < stream.steps.size(); ++i) {
        FSADVISE_TRY(check_step(load, stream, stream.steps[i], fmt::format("{}/steps/{}", at, i)));
    }
    if (std::all_of(stream.steps.begin(), stream.steps.end(),
                    [](const Step& step) { return step.operation == "think"; })) {
        return bad(at + "/steps", fmt::format("stream '{}' does nothing", stream.name));
    }
    return {};
}

}  // namespace

Result<void> check(const Load& load) {
    if (load.metric != "operations") {
        return bad("/metric", fmt::format("unknown metric '{}'", load.metric), "the metric is 'operations'");
    }
    if (!(load.window_seconds >= 0.005 && load.window_seconds <= 60)) {
        return bad("/window_seconds", "a window is 0.005 to 60 seconds");
    }
    std::set<std::string> names;
    for (std::size_t i = 0; i < load.file_sets.size(); ++i) {
        const std::string at = fmt::format("/file_sets/{}", i);
        FSADVISE_TRY(check_file_set(load.file_sets[i], at));
        if (!names.insert(load.file_sets[i].name).second) {
            return bad(at + "/name", fmt::format("two file sets are named '{}'", load.file_sets[i].name));
        }
    }
    for (std::size_t i = 0; i < load.streams.size(); ++i) {
        FSADVISE_TRY(check_stream(load, load.streams[i], fmt::format("/streams/{}", i)));
    }
    if (std::none_of(load.streams.begin(), load.streams.end(), [](const Stream& s) { return s.counts; })) {
        return bad("/streams", "no stream counts, so there is nothing to measure",
                   "leave 'counts' true on the stream that is the metric");
    }
    return {};
}

}  // namespace fsadvise::tuner
