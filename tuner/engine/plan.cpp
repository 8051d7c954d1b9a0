#include "tuner/engine/plan.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <thread>

#include <fcntl.h>

#include "tuner/workload/phases.h"

namespace fsadvise::tuner {
namespace {

constexpr int kMostThreads = 1024;  // of a stream, without a ring

SetPlan plan_set(const Load& load, const FileSet& set, const EngineOptions& options, std::uint64_t seed) {
    SetPlan plan;
    plan.name = set.name;
    plan.shape = scaled(set, options.scale);
    plan.created = created_files(load, set, options.scale);
    plan.nested = set.directory_width > 0 || set.fan_out > 0;
    plan.width = set.directory_width;
    if (set.fan_out > 0) {
        plan.fan_out = static_cast<std::uint32_t>(set.fan_out);
        plan.tree_depth = set.tree_depth;
        const auto leaves = static_cast<std::uint64_t>(std::llround(std::pow(set.fan_out, set.tree_depth)));
        // Without a width the tree keeps its shape when files are scaled away.
        if (plan.width == 0) plan.width = (plan.shape.files + leaves - 1) / leaves;
    }
    if (plan.nested) {
        plan.directories = static_cast<std::uint32_t>((plan.shape.files + plan.width - 1) / plan.width);
    }
    plan.preallocate = set.preallocate;
    plan.fill = set.fill;
    plan.appended = has_append(load, set);
    plan.shared_handles = plan.shape.files <= kMostSharedHandles;
    plan.compressible = set.compressible;
    if (set.duplicates > 0) {
        plan.duplicates = std::make_shared<const Duplicates>(set.duplicates, set.compressible, mix(seed, 77));
    }
    plan.seed = seed;
    return plan;
}

std::size_t index_of(const Load& load, const std::string& name) {
    const auto found = std::find_if(load.file_sets.begin(), load.file_sets.end(),
                                    [&](const FileSet& set) { return set.name == name; });
    return static_cast<std::size_t>(found - load.file_sets.begin());
}

// Where the step may go: blocks, working set.
void plan_range(const Stream& stream, const Step& step, const SetPlan& set, StepPlan& planned) {
    planned.grain = step.block_bytes;
    double sum = 0;
    for (const SizeShare& entry : step.blocks) {
        planned.grain = std::min(planned.grain, entry.bytes);
        planned.blocks.push_back({entry.bytes, sum += entry.share});
    }
    planned.files = set.shape.files;
    if (set.shape.files > kFewFiles) {
        const double touched = std::ceil(static_cast<double>(set.shape.files) * stream.working_set);
        planned.files = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(touched));
    } else {
        planned.span = stream.working_set;
    }
}

StepPlan plan_step(const Load& load, const Stream& stream, const Step& step, LoadPlan& plan,
                   std::map<std::string, std::size_t>& signals) {
    StepPlan planned;
    planned.kind = step_kind(step.operation).value_or(StepKind::kThink);
    planned.block_bytes = step.block_bytes;
    planned.sequential = step.sequential;
    planned.probability = step.probability;
    planned.repeat = step.repeat;
    planned.think_ns = static_cast<std::int64_t>(step.think_ns);
    planned.exponential = step.exponential;
    planned.read_share = step.read_share;
    planned.record_bytes = step.record_bytes > 0 ? step.record_bytes : step.block_bytes;
    planned.data_only = step.data_only;
    if (planned.kind == StepKind::kSignal || planned.kind == StepKind::kWait) {
        planned.signal = signals.emplace(step.signal, signals.size()).first->second;
    }
    if (is_idle(planned.kind)) return planned;
    planned.set = index_of(load, step.file_set.empty() ? stream.file_set : step.file_set);
    SetPlan& set = plan.sets[planned.set];
    if (is_data_step(planned.kind) || planned.kind == StepKind::kCommit) set.has_data_steps = true;
    plan_range(stream, step, set, planned);
    return planned;
}

void plan_pace(const Stream& stream, StreamPlan& result) {
    if (stream.rate_operations > 0) result.interval_ns = 1e9 / stream.rate_operations;
    if (stream.rate_bytes > 0) result.ns_per_byte = 1e9 / stream.rate_bytes;
    result.open_loop = stream.open_loop;
    result.exponential_arrivals = stream.exponential_arrivals;
}

void plan_sync(const Stream& stream, StreamPlan& result) {
    if (stream.sync == SyncPolicy::kODsync) result.open_flags = O_DSYNC;
    if (stream.sync == SyncPolicy::kOSync) result.open_flags = O_SYNC;
    const bool fdatasync = stream.sync == SyncPolicy::kFdatasync;
    if (fdatasync || stream.sync == SyncPolicy::kFsync) result.sync_every = stream.sync_every;
    result.sync_data_only = fdatasync;
}

// Fewer threads carry the same clients; without a ring a client needs a thread of its own to overlap with
// others.
void plan_threads(const Stream& stream, int cores, bool plain_calls, StreamPlan& result) {
    const int actors = stream.threads * stream.depth;
    result.threads = plain_calls ? std::min(actors, kMostThreads) : std::min(stream.threads, cores);
    result.depth = (actors + result.threads - 1) / result.threads;
}

StreamPlan plan_stream(const Load& load, const Stream& stream, int cores, LoadPlan& plan,
                       std::map<std::string, std::size_t>& signals) {
    StreamPlan result;
    result.name = stream.name;
    plan_threads(stream, cores, plan.plain_calls, result);
    result.direct = stream.direct;
    result.counts = stream.counts;
    result.skew = stream.skew;
    result.hot_accesses = stream.hot_accesses;
    result.hot_blocks = stream.hot_blocks;
    plan_pace(stream, result);
    plan_sync(stream, result);
    double dense_bytes = 0, bytes = 0;
    for (const Step& step : stream.steps) {
        StepPlan planned = plan_step(load, stream, step, plan, signals);
        // A commit is written from the buffer of its log.
        if (uses_block(planned.kind) && planned.kind != StepKind::kCommit) {
            const auto block = static_cast<double>(step.block_bytes);
            result.buffer_bytes = std::max(result.buffer_bytes, step.block_bytes);
            bytes += block;
            dense_bytes += block * (1 - plan.sets[planned.set].compressible);
        }
        result.steps.push_back(std::move(planned));
    }
    // One buffer an actor: its compressibility is the mean over what the stream writes.
    result.compressible = bytes > 0 ? 1 - dense_bytes / bytes : 0;
    return result;
}

std::vector<PhasePlan> plan_phases(const Load& load) {
    std::vector<PhasePlan> result(std::max<std::size_t>(1, load.phases.size()));
    for (std::size_t i = 0; i < result.size(); ++i) {
        PhasePlan& phase = result[i];
        if (i < load.phases.size()) {
            phase.name = load.phases[i].name;
            phase.seconds = load.phases[i].seconds;
            phase.operations = load.phases[i].operations;
        }
        phase.runs = phase_streams(load, i);
        phase.counts = phase.runs;
        for (std::size_t s = 0; s < phase.counts.size(); ++s) {
            phase.counts[s] = phase.counts[s] && load.streams[s].counts;
        }
        if (std::none_of(phase.counts.begin(), phase.counts.end(), [](bool counts) { return counts; })) {
            phase.counts = phase.runs;
        }
    }
    return result;
}

}  // namespace

std::uint64_t StepPlan::draw_block(Random& random) const {
    if (blocks.empty()) return block_bytes;
    const double unit = random.unit();
    for (const SizeShare& entry : blocks) {
        if (unit < entry.share) return entry.bytes;
    }
    return blocks.back().bytes;
}

std::uint64_t StepPlan::touched(std::uint64_t size) const {
    if (span < 1) size = static_cast<std::uint64_t>(static_cast<double>(size) * span);
    return std::max(size, block_bytes);
}

std::size_t StreamPlan::handle_class() const {
    const std::size_t sync = open_flags == 0 ? 0 : open_flags == O_DSYNC ? 1 : 2;
    return sync * 2 + (direct ? 1 : 0);
}

Result<LoadPlan> make_plan(const Load& load, const EngineOptions& options) {
    FSADVISE_TRY(check(load));
    if (!(options.scale > 0)) return fail(ErrorCode::kUsage, "the scale of a load is above zero");
    LoadPlan plan;
    plan.plain_calls = options.plain_calls;
    plan.record_latency = options.record_latency;
    for (std::size_t i = 0; i < load.file_sets.size(); ++i) {
        plan.sets.push_back(plan_set(load, load.file_sets[i], options, mix(options.seed, i)));
    }
    const int online = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    const int cores = options.cores > 0 ? options.cores : online;
    std::map<std::string, std::size_t> signals;
    for (const Stream& stream : load.streams) {
        plan.streams.push_back(plan_stream(load, stream, cores, plan, signals));
    }
    plan.signals = signals.size();
    plan.phases = plan_phases(load);
    plan.counting_phase = counting_phase(load);
    plan.objective = objective(load.metric).value_or(Objective{});
    return plan;
}

}  // namespace fsadvise::tuner
