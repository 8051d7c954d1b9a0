// Steps that name a file: opening, creating, renaming, removing, listing.
#include <algorithm>
#include <cerrno>
#include <utility>

#include <dirent.h>
#include <sys/syscall.h>

#include "tuner/engine/actor.h"
#include "tuner/engine/payload.h"
#include "tuner/engine/worker.h"

namespace fsadvise::tuner {
namespace {

constexpr std::uint64_t kDirectGrain = 4096;

// Puts the path of a file to read into actor.path: a laid out one or an own one. False if there is none.
bool choose_file(ActorState& actor, const StepPlan& step, const StepChooser& chooser, std::uint64_t& size) {
    const SetPlan& set = actor.plan.sets[step.set];
    const auto& created = actor.own[step.set].created;
    const std::uint64_t laid_out = set.fill ? set.shape.files : 0;
    if (laid_out == 0 && created.empty()) return false;
    const std::uint64_t pick = actor.stream.skew > 0 && laid_out > 0
                                   ? chooser.files(actor.random)
                                   : actor.random.below(laid_out + created.size());
    if (pick < laid_out) {
        set.file_path(actor.path, pick);
        size = set.size_of(pick);
    } else {
        set.created_path(actor.path, actor.number, created[pick - laid_out]);
        size = UINT64_MAX;
    }
    return true;
}

int direct_flag(const ActorState& actor) {
    return actor.stream.direct ? O_DIRECT : 0;
}

// Writes `size` bytes from the actor's buffer to the open file.
Task write_content(ActorState& actor, const StepPlan& step, std::uint64_t size) {
    for (std::uint64_t at = 0; at < size && !actor.worker.aborted();) {
        const std::uint64_t length = std::min(step.block_bytes, size - at);
        stamp_payload(actor.buffer, length, ++actor.stamp);
        int result = co_await actor.io.write(actor.open_fd, actor.buffer, length, at, actor.stream.direct);
        if (result == 0) result = -ENOSPC;
        if (result < 0) co_return failed(actor, step.kind, actor.path.data(), result);
        at += static_cast<std::uint64_t>(result);
        actor.worker.counters(actor.side_index).written_bytes += static_cast<std::uint64_t>(result);
    }
    co_return 0;
}

// Opens actor.path as the actor's open file.
Task open_current(ActorState& actor, const StepPlan& step, int flags) {
    if (actor.open_fd >= 0) co_await close_open_file(actor);
    const int fd = co_await actor.io.open(actor.side.root(), actor.path.data(), flags);
    if (fd < 0) co_return failed(actor, step.kind, actor.path.data(), fd);
    actor.open_fd = fd;
    actor.open_set = step.set;
    actor.open_is_written = false;
    co_return 0;
}

Task remove_oldest(ActorState& actor, const StepPlan& step) {
    auto& created = actor.own[step.set].created;
    actor.plan.sets[step.set].created_path(actor.path, actor.number, created.front());
    created.pop_front();
    const int result = co_await actor.io.unlink(actor.side.root(), actor.path.data(), 0);
    co_return failed(actor, step.kind, actor.path.data(), result);
}

Task read_file(ActorState& actor, const StepPlan& step, const StepChooser& chooser) {
    std::uint64_t size = 0;
    if (!choose_file(actor, step, chooser, size)) co_return 0;
    if (const int error = co_await open_current(actor, step, O_RDONLY | direct_flag(actor)); error != 0)
        co_return error;
    for (std::uint64_t at = 0; at < size && !actor.worker.aborted();) {
        const int result =
            co_await actor.io.read(actor.open_fd, actor.buffer, step.block_bytes, at, actor.stream.direct);
        if (result < 0) co_return failed(actor, step.kind, actor.path.data(), result);
        at += static_cast<std::uint64_t>(result);
        actor.worker.counters(actor.side_index).read_bytes += static_cast<std::uint64_t>(result);
        if (static_cast<std::uint64_t>(result) < step.block_bytes) break;
    }
    ++actor.did;
    co_return co_await close_open_file(actor);
}

Task create_file(ActorState& actor, const StepPlan& step) {
    const SetPlan& set = actor.plan.sets[step.set];
    OwnFiles& own = actor.own[step.set];
    if (actor.open_fd >= 0) co_await close_open_file(actor);
    if (own.created.size() >= set.created.most) {
        if (const int error = co_await remove_oldest(actor, step); error != 0) co_return error;
    }
    const CreatedFile file{own.next_number++, static_cast<std::uint32_t>(actor.random.below(set.directories)),
                           false};
    std::uint64_t size = set.draw_size(actor.random.next());
    if (actor.stream.direct) size = (size + kDirectGrain - 1) / kDirectGrain * kDirectGrain;
    set.created_path(actor.path, actor.number, file);
    const int flags = O_WRONLY | O_CREAT | O_TRUNC | direct_flag(actor);
    if (const int error = co_await open_current(actor, step, flags); error != 0) co_return error;
    own.created.push_back(file);
    if (set.preallocate && size > 0) {
        const int result = co_await actor.io.allocate(actor.open_fd, size);
        if (result < 0 && result != -EOPNOTSUPP)
            co_return failed(actor, step.kind, actor.path.data(), result);
    }
    ++actor.did;
    actor.open_is_written = true;
    co_return co_await write_content(actor, step, size);
}

Task stat_file(ActorState& actor, const StepPlan& step, const StepChooser& chooser) {
    std::uint64_t size = 0;
    if (!choose_file(actor, step, chooser, size)) co_return 0;
    const int result = co_await actor.io.stat(actor.side.root(), actor.path.data(), &actor.attributes);
    ++actor.did;
    co_return failed(actor, step.kind, actor.path.data(), result);
}

Task open_close(ActorState& actor, const StepPlan& step, const StepChooser& chooser) {
    std::uint64_t size = 0;
    if (!choose_file(actor, step, chooser, size)) co_return 0;
    if (const int error = co_await open_current(actor, step, O_RDONLY); error != 0) co_return error;
    ++actor.did;
    co_return co_await close_open_file(actor);
}

Task unlink_file(ActorState& actor, const StepPlan& step) {
    if (actor.own[step.set].created.size() <= actor.plan.sets[step.set].created.keep) co_return 0;
    if (actor.open_fd >= 0) co_await close_open_file(actor);
    ++actor.did;
    co_return co_await remove_oldest(actor, step);
}

Task rename_file(ActorState& actor, const StepPlan& step) {
    const SetPlan& set = actor.plan.sets[step.set];
    auto& created = actor.own[step.set].created;
    // The youngest: a file is written under one name and published under another.
    if (created.empty()) co_return 0;
    if (actor.open_fd >= 0) co_await close_open_file(actor);
    set.created_path(actor.path, actor.number, created.back());
    created.back().renamed = !created.back().renamed;
    created.back().directory = static_cast<std::uint32_t>(actor.random.below(set.directories));
    set.created_path(actor.other_path, actor.number, created.back());
    const int result =
        co_await actor.io.rename(actor.side.root(), actor.path.data(), actor.other_path.data());
    ++actor.did;
    co_return failed(actor, step.kind, actor.path.data(), result);
}

Task make_and_remove_directory(ActorState& actor, const StepPlan& step) {
    const SetPlan& set = actor.plan.sets[step.set];
    const auto directory = static_cast<std::uint32_t>(actor.random.below(set.directories));
    set.scratch_directory_path(actor.path, directory, actor.number);
    int result = co_await actor.io.mkdir(actor.side.root(), actor.path.data());
    if (result < 0) co_return failed(actor, step.kind, actor.path.data(), result);
    result = co_await actor.io.unlink(actor.side.root(), actor.path.data(), AT_REMOVEDIR);
    ++actor.did;
    co_return failed(actor, step.kind, actor.path.data(), result);
}

Task transfer_by_path(ActorState& actor, const StepPlan& step, const StepChooser& chooser) {
    const SetPlan& set = actor.plan.sets[step.set];
    const std::uint64_t file = chooser.files(actor.random);
    const std::uint64_t size = set.size_of(file);
    set.file_path(actor.path, file);
    const int access = step.kind == StepKind::kRead ? O_RDONLY : O_WRONLY | (set.fill ? 0 : O_CREAT);
    if (const int error = co_await open_current(actor, step, access | direct_flag(actor)); error != 0)
        co_return error;
    ++actor.did;
    std::uint64_t at =
        chooser.blocks(actor.random) % std::max<std::uint64_t>(1, size / step.block_bytes) * step.block_bytes;
    Counters& counters = actor.worker.counters(actor.side_index);
    if (step.kind == StepKind::kRead) {
        const int result =
            co_await actor.io.read(actor.open_fd, actor.buffer, step.block_bytes, at, actor.stream.direct);
        if (result > 0) counters.read_bytes += static_cast<std::uint64_t>(result);
        co_return failed(actor, step.kind, actor.path.data(), result);
    }
    if (step.kind == StepKind::kAppend) {
        struct stat now {};
        const AppendRange range = append_range(set, size);
        if (::fstat(actor.open_fd, &now) == 0) at = static_cast<std::uint64_t>(now.st_size);
        if (at + step.block_bytes > std::max(range.limit, range.begin + step.block_bytes)) {
            at = range.begin;
            if (::ftruncate(actor.open_fd, static_cast<off_t>(at)) != 0)
                co_return failed(actor, step.kind, actor.path.data(), -errno);
        }
    }
    actor.open_is_written = true;
    stamp_payload(actor.buffer, step.block_bytes, ++actor.stamp);
    const int result =
        co_await actor.io.write(actor.open_fd, actor.buffer, step.block_bytes, at, actor.stream.direct);
    if (result > 0) counters.written_bytes += static_cast<std::uint64_t>(result);
    co_return failed(actor, step.kind, actor.path.data(), result);
}

int list_directory(ActorState& actor, const StepPlan& step) {
    const SetPlan& set = actor.plan.sets[step.set];
    set.directory_path(actor.path, static_cast<std::uint32_t>(actor.random.below(set.directories)));
    // There is no ring operation that reads a directory.
    const int fd = ::openat(actor.side.root(), actor.path.data(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return failed(actor, step.kind, actor.path.data(), -errno);
    alignas(8) char entries[32768];
    long result = 0;
    do {
        result = ::syscall(SYS_getdents64, fd, entries, sizeof entries);
    } while (result > 0 && !actor.worker.aborted());
    const int error = result < 0 ? -errno : 0;
    ::close(fd);
    ++actor.did;
    return failed(actor, step.kind, actor.path.data(), error);
}

// A step that never waits.
Task list_step(ActorState& actor, const StepPlan& step) {
    co_return list_directory(actor, step);
}

}  // namespace

Task close_open_file(ActorState& actor) {
    const int result = co_await actor.io.close(std::exchange(actor.open_fd, -1));
    actor.open_is_written = false;
    co_return failed(actor, StepKind::kOpenClose, actor.plan.sets[actor.open_set].name.c_str(), result);
}

Task run_path_step(ActorState& actor, std::size_t index, const StepPlan& step) {
    const StepChooser& chooser = actor.worker.chooser(index);
    switch (step.kind) {
        case StepKind::kReadFile:
            return read_file(actor, step, chooser);
        case StepKind::kCreate:
            return create_file(actor, step);
        case StepKind::kStat:
            return stat_file(actor, step, chooser);
        case StepKind::kOpenClose:
            return open_close(actor, step, chooser);
        case StepKind::kUnlink:
            return unlink_file(actor, step);
        case StepKind::kRename:
            return rename_file(actor, step);
        case StepKind::kMkdirRmdir:
            return make_and_remove_directory(actor, step);
        case StepKind::kList:
            return list_step(actor, step);
        default:
            return transfer_by_path(actor, step, chooser);
    }
}

}  // namespace fsadvise::tuner
