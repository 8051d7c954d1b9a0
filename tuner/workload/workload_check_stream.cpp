// Streams and their steps.
#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "tuner/workload/scaling.h"
#include "tuner/workload/step_kind.h"
#include "tuner/workload/workload_check.h"

namespace fsadvise::tuner {
namespace {

constexpr std::uint64_t kLargestBlock = 64ull << 20;

// The step that makes what this one takes.
std::optional<StepKind> maker_of(StepKind kind) {
    switch (kind) {
        case StepKind::kUnlink:
        case StepKind::kRename:
            return StepKind::kCreate;
        case StepKind::kReadlink:
            return StepKind::kSymlink;
        case StepKind::kRmdir:
            return StepKind::kMkdir;
        default:
            return std::nullopt;
    }
}

bool makes(const Stream& stream, const std::string& set, StepKind maker) {
    return std::any_of(stream.steps.begin(), stream.steps.end(), [&](const Step& step) {
        const auto kind = step_kind(step.operation);
        const bool makes_it = kind == maker || (maker == StepKind::kCreate && kind == StepKind::kLink);
        return makes_it && set_name(stream, step) == set;
    });
}

// Steps that choose an existing file by name.
bool takes_name(StepKind kind) {
    return kind == StepKind::kReadFile || kind == StepKind::kStat || kind == StepKind::kOpenClose ||
           kind == StepKind::kLink || kind == StepKind::kSymlink;
}

Result<void> check_block(const Stream& stream, StepKind kind, std::uint64_t block, const FileSet& set,
                         const std::string& at) {
    if (block == 0 || block > kLargestBlock) return bad_load(at, "a block is 1 byte to 64 MiB");
    if (stream.direct && block % 512 != 0)
        return bad_load(at, "blocks of direct I/O are multiples of 512 bytes");
    const bool inside = is_data_step(kind) || kind == StepKind::kCommit;
    if (inside && block > std::max(set.size_bytes, set.size_max_bytes)) {
        return bad_load(at, fmt::format("the block is larger than the files of '{}'", set.name));
    }
    return {};
}

Result<void> check_blocks(const Stream& stream, const Step& step, StepKind kind, const FileSet& set,
                          const std::string& at) {
    if (step.blocks.empty()) return check_block(stream, kind, step.block_bytes, set, at + "/block");
    FSADVISE_TRY(check_shares(step.blocks, at + "/blocks"));
    for (std::size_t i = 0; i < step.blocks.size(); ++i) {
        FSADVISE_TRY(
            check_block(stream, kind, step.blocks[i].bytes, set, fmt::format("{}/blocks/{}/block", at, i)));
    }
    return {};
}

// What a step of this kind needs from its file set.
Result<void> check_step_on_set(const Stream& stream, const Step& step, StepKind kind, const FileSet& set,
                               const std::string& at) {
    const auto maker = maker_of(kind);
    if (maker && !makes(stream, set.name, *maker)) {
        return bad_load(
            at,
            fmt::format("'{}' works on what the stream has created, and stream '{}' has no {} step on '{}'",
                        step.operation, stream.name, operation_name(*maker), set.name),
            fmt::format("add a {} step before it", operation_name(*maker)));
    }
    const bool inside = is_data_step(kind) && kind != StepKind::kWrite && kind != StepKind::kAppend;
    if ((takes_name(kind) || inside) && !set.fill && !makes(stream, set.name, StepKind::kCreate)) {
        return bad_load(
            at, fmt::format("'{}' finds no files: file set '{}' is not filled", step.operation, set.name),
            "set fill, or add a create step to the stream");
    }
    if (kind == StepKind::kCommit) {
        if (set.files > kMostSharedHandles) {
            return bad_load(at,
                            fmt::format("the log '{}' has more than {} files", set.name, kMostSharedHandles));
        }
        if (set.size_min_bytes != set.size_max_bytes || !set.sizes.empty() || set.size_median_bytes > 0) {
            return bad_load(at, fmt::format("the files of the log '{}' differ in size", set.name),
                            "give one 'size'");
        }
    }
    if (uses_block(kind)) FSADVISE_TRY(check_blocks(stream, step, kind, set, at));
    return {};
}

Result<void> check_idle_step(const Step& step, StepKind kind, const std::string& at) {
    if (kind == StepKind::kThink && step.think_ns == 0) {
        return bad_load(at + "/think_ns", "a think step needs think_ns");
    }
    if (kind != StepKind::kThink && !is_plain_name(step.signal)) {
        return bad_load(at + "/signal", fmt::format("a {} step names its signal", step.operation));
    }
    return {};
}

Result<void> check_step(const Load& load, const Stream& stream, const Step& step, const std::string& at) {
    const auto kind = step_kind(step.operation);
    if (!kind) {
        return bad_load(at + "/operation", fmt::format("unknown operation '{}'{}", step.operation,
                                                       did_you_mean(step.operation, operation_names())));
    }
    if (!(step.probability > 0 && step.probability <= 1)) {
        return bad_load(at + "/probability", "the probability is not above 0 and at most 1");
    }
    if (step.repeat < 1) return bad_load(at + "/repeat", "repeat is below 1");
    if (!(step.read_share >= 0 && step.read_share <= 1)) {
        return bad_load(at + "/read_share", "the share of reads is not between 0 and 1");
    }
    if (is_idle(*kind)) return check_idle_step(step, *kind, at);
    const std::string& name = set_name(stream, step);
    const auto set = std::find_if(load.file_sets.begin(), load.file_sets.end(),
                                  [&](const FileSet& candidate) { return candidate.name == name; });
    if (set == load.file_sets.end()) {
        std::vector<std::string> names;
        for (const FileSet& known : load.file_sets) names.push_back(known.name);
        return bad_load(at + "/file_set",
                        fmt::format("unknown file set '{}'{}", name, did_you_mean(name, names)));
    }
    return check_step_on_set(stream, step, *kind, *set, at);
}

Result<void> check_choice(const Stream& stream, const std::string& at) {
    if (!(stream.skew >= 0 && stream.skew <= 5)) return bad_load(at + "/skew", "skew is 0 to 5");
    const auto share = [](double value) { return value >= 0 && value <= 1; };
    if (!share(stream.hot_accesses)) return bad_load(at + "/hot_spot/accesses", "a share is between 0 and 1");
    if (!share(stream.hot_blocks)) return bad_load(at + "/hot_spot/blocks", "a share is between 0 and 1");
    if ((stream.hot_accesses > 0) != (stream.hot_blocks > 0)) {
        return bad_load(at + "/hot_spot", "a hot spot has the shares 'accesses' and 'blocks', both above 0");
    }
    if (stream.hot_accesses > 0 && stream.skew > 0) {
        return bad_load(at + "/hot_spot", "'hot_spot' and 'skew' contradict each other", "keep one of them");
    }
    if (!(stream.working_set > 0 && stream.working_set <= 1)) {
        return bad_load(at + "/working_set", "the working set is a share above 0 and at most 1");
    }
    return {};
}

Result<void> check_pace(const Stream& stream, const std::string& at) {
    if (!(stream.rate_operations >= 0) || stream.rate_operations > 1e9) {
        return bad_load(at + "/rate/operations", "a rate is above 0 and at most 1e9 operations a second");
    }
    if (!(stream.rate_bytes >= 0)) return bad_load(at + "/rate/bytes", "a rate is above 0");
    if (stream.open_loop && stream.rate_operations <= 0) {
        return bad_load(at + "/rate/open_loop", "an open loop has a rate in operations a second",
                        "its loops begin by the clock, whatever they transfer");
    }
    if (stream.exponential_arrivals && stream.rate_operations <= 0) {
        return bad_load(at + "/rate/arrivals", "random arrivals have a rate in operations a second");
    }
    if (stream.sync_every < 1) return bad_load(at + "/sync/every", "a sync after every zero writes");
    return {};
}

}  // namespace

Result<void> check_stream(const Load& load, const Stream& stream, const std::string& at) {
    if (stream.threads < 1 || stream.threads > 1024)
        return bad_load(at + "/threads", "threads are 1 to 1024");
    if (stream.depth < 1 || stream.depth > 4096) return bad_load(at + "/depth", "depth is 1 to 4096");
    FSADVISE_TRY(check_choice(stream, at));
    FSADVISE_TRY(check_pace(stream, at));
    for (std::size_t i = 0; i < stream.steps.size(); ++i) {
        FSADVISE_TRY(check_step(load, stream, stream.steps[i], fmt::format("{}/steps/{}", at, i)));
    }
    const auto has = [&](auto matches) {
        return std::any_of(stream.steps.begin(), stream.steps.end(), [&](const Step& step) {
            const auto kind = step_kind(step.operation);
            return kind && matches(*kind);
        });
    };
    if (!has([](StepKind kind) { return !is_idle(kind); })) {
        return bad_load(at + "/steps", fmt::format("stream '{}' does nothing", stream.name));
    }
    const auto writes = [](StepKind kind) {
        return kind == StepKind::kWrite || kind == StepKind::kReadWrite || kind == StepKind::kAppend ||
               kind == StepKind::kCreate || kind == StepKind::kCommit;
    };
    if (stream.sync != SyncPolicy::kNone && !has(writes)) {
        return bad_load(at + "/sync",
                        fmt::format("stream '{}' writes nothing that could be forced", stream.name));
    }
    const auto moves = [](StepKind kind) {
        return transfers(kind) || kind == StepKind::kReadFile || kind == StepKind::kCreate;
    };
    if (stream.rate_bytes > 0 && !has(moves)) {
        return bad_load(at + "/rate/bytes", fmt::format("stream '{}' transfers no bytes", stream.name));
    }
    return {};
}

}  // namespace fsadvise::tuner
