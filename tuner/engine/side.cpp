#include "tuner/engine/side.h"

#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tuner/engine/failure.h"

namespace fsadvise::tuner {
namespace {

bool uses_handles(const StreamPlan& stream, std::size_t set) {
    return std::any_of(stream.steps.begin(), stream.steps.end(), [&](const StepPlan& step) {
        return step.set == set &&
               (is_data_step(step.kind) || is_sync(step.kind) || step.kind == StepKind::kCommit);
    });
}

// The soft limit of open files is small by default, the hard limit is meant for programs like this.
void raise_open_file_limit() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        ::setrlimit(RLIMIT_NOFILE, &limit);
    }
}

}  // namespace

AppendRange append_range(const SetPlan& set, std::uint64_t size) {
    if (set.preallocate || !set.fill) return {0, size};
    return {size, size * 2};
}

Result<std::unique_ptr<Side>> Side::open(const LoadPlan& plan, const std::string& directory) {
    raise_open_file_limit();
    auto side = std::make_unique<Side>();
    side->directory_ = directory;
    FSADVISE_ASSIGN(side->root_, Fd::open(directory, O_RDONLY | O_DIRECTORY));
    side->sets_.resize(plan.sets.size());
    for (std::size_t i = 0; i < plan.sets.size(); ++i) {
        const SetPlan& set = plan.sets[i];
        if (!set.shared_handles || !(set.has_data_steps || set.fill)) continue;
        std::vector<int> ways(kHandleClasses, -1);  // flags to open with, -1 = no stream does
        bool used = false;
        for (const StreamPlan& stream : plan.streams) {
            if (!uses_handles(stream, i)) continue;
            ways[stream.handle_class()] = stream.open_flags | (stream.direct ? O_DIRECT : 0);
            used = true;
        }
        if (used) FSADVISE_TRY(side->open_set(set, side->sets_[i], ways));
    }
    side->make_coordination(plan);
    return side;
}

Result<Fd> Side::open_file(const SetPlan& set, std::uint64_t index, int flags) {
    PathBuffer path;
    set.file_path(path, index);
    if (!set.fill) flags |= O_CREAT;
    Fd file(::openat(root_.get(), path.data(), O_RDWR | O_CLOEXEC | flags, 0644));
    if (file.valid()) return file;
    Error error = operation_error("open", directory_, path.data(), errno);
    if (errno == EINVAL && (flags & O_DIRECT) != 0) {
        error.message = "direct I/O is refused by this filesystem";
        error.hint = "set \"direct\": false in the load";
    }
    return tl::unexpected(std::move(error));
}

void Side::make_coordination(const LoadPlan& plan) {
    for (std::size_t i = 0; i < plan.signals; ++i) signals_.push_back(std::make_unique<Signal>());
    for (std::size_t i = 0; i < plan.streams.size(); ++i) paces_.push_back(std::make_unique<Pace>());
    logs_.resize(plan.sets.size());
    for (const StreamPlan& stream : plan.streams) {
        for (const StepPlan& step : stream.steps) {
            if (step.kind != StepKind::kCommit || logs_[step.set]) continue;
            const SetPlan& set = plan.sets[step.set];
            logs_[step.set] = std::make_unique<GroupLog>(set.shape.size_bytes, step.block_bytes,
                                                         set.shape.files, set.compressible, set.seed);
        }
    }
}

Result<void> Side::open_set(const SetPlan& set, Handles& handles, const std::vector<int>& ways) {
    handles.sizes.resize(set.shape.files);
    handles.tails = std::make_unique<std::atomic<std::uint64_t>[]>(set.shape.files);
    for (std::uint64_t i = 0; i < set.shape.files; ++i) {
        const std::uint64_t size = set.size_of(i);
        handles.sizes[i] = size;
        int fd = -1;
        for (std::size_t way = 0; way < ways.size(); ++way) {
            if (ways[way] < 0) continue;
            FSADVISE_ASSIGN(Fd file, open_file(set, i, ways[way]));
            fd = file.get();
            handles.files[way].push_back(std::move(file));
        }
        if (!set.appended) continue;
        // An earlier run may have left the file longer.
        const AppendRange range = append_range(set, size);
        handles.tails[i] = range.begin;
        if (!set.preallocate && ::ftruncate(fd, static_cast<off_t>(range.begin)) != 0) {
            PathBuffer path;
            set.file_path(path, i);
            return tl::unexpected(operation_error("truncate", directory_, path.data(), errno));
        }
    }
    return {};
}

}  // namespace fsadvise::tuner
