#include "tuner/engine/plan.h"

#include <algorithm>
#include <cmath>
#include <thread>

#include <fmt/format.h>

#include "tuner/engine/random.h"

namespace fsadvise::tuner {
namespace {

// More files than this are opened by path at each use: descriptors are a limited resource.
constexpr std::uint64_t kMostSharedHandles = 1024;

template <class... Args>
void print(PathBuffer& path, fmt::format_string<Args...> format, Args&&... args) {
    const auto end = fmt::format_to_n(path.data(), path.size() - 1, format, std::forward<Args>(args)...);
    *end.out = '\0';
}

SetPlan plan_set(const Load& load, const FileSet& set, const EngineOptions& options, std::uint64_t seed) {
    SetPlan plan;
    plan.name = set.name;
    plan.shape = scaled(set, options.scale);
    plan.created = created_files(load, set, options.scale);
    plan.nested = set.directory_width > 0;
    plan.width = set.directory_width;
    if (plan.nested) {
        plan.directories = static_cast<std::uint32_t>((plan.shape.files + plan.width - 1) / plan.width);
    }
    plan.preallocate = set.preallocate;
    plan.fill = set.fill;
    plan.appended = has_append(load, set);
    plan.shared_handles = plan.shape.files <= kMostSharedHandles;
    plan.compressible = set.compressible;
    plan.seed = seed;
    return plan;
}

std::size_t index_of(const Load& load, const std::string& name) {
    const auto found = std::find_if(load.file_sets.begin(), load.file_sets.end(),
                                    [&](const FileSet& set) { return set.name == name; });
    return static_cast<std::size_t>(found - load.file_sets.begin());
}

StreamPlan plan_stream(const Load& load, const Stream& stream, int cores, LoadPlan& plan) {
    StreamPlan result{stream.name,
                      std::min(stream.threads, cores),
                      stream.depth,
                      stream.direct,
                      stream.counts,
                      stream.skew,
                      0,
                      0,
                      {}};
    double dense_bytes = 0, bytes = 0;
    for (const Step& step : stream.steps) {
        StepPlan planned;
        planned.kind = step_kind(step.operation).value_or(StepKind::kThink);
        planned.block_bytes = step.block_bytes;
        planned.sequential = step.sequential;
        planned.probability = step.probability;
        planned.repeat = step.repeat;
        planned.think_ns = static_cast<std::int64_t>(step.think_ns);
        if (planned.kind != StepKind::kThink) {
            planned.set = index_of(load, step.file_set.empty() ? stream.file_set : step.file_set);
            SetPlan& set = plan.sets[planned.set];
            if (is_data_step(planned.kind)) set.has_data_steps = true;
            if (uses_block(planned.kind)) {
                result.buffer_bytes = std::max(result.buffer_bytes, step.block_bytes);
                bytes += static_cast<double>(step.block_bytes);
                dense_bytes += static_cast<double>(step.block_bytes) * (1 - set.compressible);
            }
        }
        result.steps.push_back(planned);
    }
    // One buffer an actor: its compressibility is the mean over what the stream writes.
    result.compressible = bytes > 0 ? 1 - dense_bytes / bytes : 0;
    return result;
}

}  // namespace

std::uint64_t SetPlan::draw_size(std::uint64_t random) const {
    if (shape.size_max_bytes <= shape.size_min_bytes || shape.size_min_bytes == 0) return shape.size_bytes;
    const auto low = static_cast<double>(shape.size_min_bytes);
    const double unit = static_cast<double>(random >> 11) * 0x1p-53;
    return static_cast<std::uint64_t>(low * std::pow(static_cast<double>(shape.size_max_bytes) / low, unit));
}

std::uint64_t SetPlan::size_of(std::uint64_t index) const {
    return draw_size(mix(seed, index));
}

void SetPlan::directory_path(PathBuffer& path, std::uint32_t directory) const {
    nested ? print(path, "{}/d{:05}", name, directory) : print(path, "{}", name);
}

void SetPlan::file_path(PathBuffer& path, std::uint64_t index) const {
    nested ? print(path, "{}/d{:05}/f{:08}", name, index / width, index)
           : print(path, "{}/f{:08}", name, index);
}

void SetPlan::created_path(PathBuffer& path, std::uint32_t actor, const CreatedFile& file) const {
    const char letter = file.renamed ? 'm' : 'c';
    nested ? print(path, "{}/d{:05}/{}{:04}-{:08}", name, file.directory, letter, actor, file.number)
           : print(path, "{}/{}{:04}-{:08}", name, letter, actor, file.number);
}

void SetPlan::scratch_directory_path(PathBuffer& path, std::uint32_t directory, std::uint32_t actor) const {
    nested ? print(path, "{}/d{:05}/t{:04}", name, directory, actor) : print(path, "{}/t{:04}", name, actor);
}

Result<LoadPlan> make_plan(const Load& load, const EngineOptions& options) {
    FSADVISE_TRY(check(load));
    if (!(options.scale > 0)) return fail(ErrorCode::kUsage, "the scale of a load is above zero");
    LoadPlan plan;
    for (std::size_t i = 0; i < load.file_sets.size(); ++i) {
        plan.sets.push_back(plan_set(load, load.file_sets[i], options, mix(options.seed, i)));
    }
    const int online = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    const int cores = options.cores > 0 ? options.cores : online;
    for (const Stream& stream : load.streams) {
        plan.streams.push_back(plan_stream(load, stream, cores, plan));
    }
    return plan;
}

}  // namespace fsadvise::tuner
