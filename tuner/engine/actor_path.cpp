// Transfers that open their file first, and changes of a file's space.
#include <algorithm>
#include <cerrno>
#include <utility>

#include "tuner/engine/actor.h"
#include "tuner/engine/payload.h"
#include "tuner/engine/worker.h"

namespace fsadvise::tuner {
namespace {

int access_of(const SetPlan& set, StepKind kind) {
    if (kind == StepKind::kRead) return O_RDONLY;
    return O_WRONLY | (set.fill ? 0 : O_CREAT);
}

// The end of the open file, which is cut back when it has grown enough. Negative: -errno.
std::int64_t tail_of(const ActorState& actor, const SetPlan& set, std::uint64_t size, std::uint64_t length) {
    struct stat now {};
    if (::fstat(actor.open_fd, &now) != 0) return -errno;
    const AppendRange range = append_range(set, size);
    const auto at = static_cast<std::uint64_t>(now.st_size);
    if (at + length <= std::max(range.limit, range.begin + length)) return now.st_size;
    if (::ftruncate(actor.open_fd, static_cast<off_t>(range.begin)) != 0) return -errno;
    return static_cast<std::int64_t>(range.begin);
}

}  // namespace

bool choose_file(ActorState& actor, std::size_t index, const StepPlan& step, std::uint64_t& size) {
    const SetPlan& set = actor.plan.sets[step.set];
    const StepChooser& chooser = actor.worker.chooser(index);
    const auto& created = actor.own[step.set].created;
    const std::uint64_t laid_out = set.fill ? step.files : 0;
    if (laid_out == 0 && created.empty()) return false;
    const std::uint64_t pick = chooser.files.biased() && laid_out > 0
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

Task write_content(ActorState& actor, const StepPlan& step, std::uint64_t size) {
    const bool forced = actor.stream.open_flags != 0;
    for (std::uint64_t at = 0; at < size && !actor.worker.aborted();) {
        const std::uint64_t length = std::min(step.block_bytes, size - at);
        stamp_payload(actor.buffer, length, ++actor.stamp, actor.plan.sets[step.set].duplicates.get());
        int result =
            co_await actor.io.write(actor.open_fd, actor.buffer, length, at, actor.stream.direct, forced);
        if (result == 0) result = -ENOSPC;
        if (result < 0) co_return failed(actor, step.kind, actor.path.data(), result);
        at += static_cast<std::uint64_t>(result);
        count_written(actor, static_cast<std::uint64_t>(result));
    }
    co_return 0;
}

Task open_current(ActorState& actor, const StepPlan& step, int flags) {
    if (actor.open_fd >= 0) co_await close_open_file(actor);
    const int fd = co_await actor.io.open(actor.side.root(), actor.path.data(), flags);
    if (fd < 0) co_return failed(actor, step.kind, actor.path.data(), fd);
    actor.open_fd = fd;
    actor.open_set = step.set;
    actor.open_is_written = false;
    co_return 0;
}

Task close_open_file(ActorState& actor) {
    const int result = co_await actor.io.close(std::exchange(actor.open_fd, -1));
    actor.open_is_written = false;
    co_return failed(actor, StepKind::kOpenClose, actor.plan.sets[actor.open_set].name.c_str(), result);
}

Task read_file(ActorState& actor, std::size_t index, const StepPlan& step) {
    std::uint64_t size = 0;
    if (!choose_file(actor, index, step, size)) co_return 0;
    if (const int error = co_await open_current(actor, step, O_RDONLY | direct_flag(actor)); error != 0)
        co_return error;
    for (std::uint64_t at = 0; at < size && !actor.worker.aborted();) {
        const int result =
            co_await actor.io.read(actor.open_fd, actor.buffer, step.block_bytes, at, actor.stream.direct);
        if (result < 0) co_return failed(actor, step.kind, actor.path.data(), result);
        at += static_cast<std::uint64_t>(result);
        count_read(actor, static_cast<std::uint64_t>(result));
        if (static_cast<std::uint64_t>(result) < step.block_bytes) break;
    }
    ++actor.did;
    co_return co_await close_open_file(actor);
}

Task transfer_by_path(ActorState& actor, std::size_t index, const StepPlan& step) {
    const SetPlan& set = actor.plan.sets[step.set];
    const StepChooser& chooser = actor.worker.chooser(index);
    const StreamPlan& stream = actor.stream;
    StepKind kind = step.kind;
    if (kind == StepKind::kReadWrite)
        kind = actor.random.unit() < step.read_share ? StepKind::kRead : StepKind::kWrite;
    Place place{chooser.files(actor.random), 0, step.draw_block(actor.random)};
    const std::uint64_t size = set.size_of(place.file);
    const std::uint64_t places = size > place.length ? (size - place.length) / step.grain + 1 : 1;
    place.offset = chooser.blocks(actor.random) % places * step.grain;
    set.file_path(actor.path, place.file);
    const int flags =
        access_of(set, kind) | direct_flag(actor) | (kind == StepKind::kRead ? 0 : stream.open_flags);
    if (const int error = co_await open_current(actor, step, flags); error != 0) co_return error;
    ++actor.did;
    if (kind == StepKind::kRead) {
        const int result =
            co_await actor.io.read(actor.open_fd, actor.buffer, place.length, place.offset, stream.direct);
        if (result > 0) count_read(actor, static_cast<std::uint64_t>(result));
        co_return failed(actor, kind, actor.path.data(), result);
    }
    if (!transfers(kind)) {
        const int result = co_await change_space(actor, kind, actor.open_fd, place, size);
        co_return failed(actor, kind, actor.path.data(), result);
    }
    if (kind == StepKind::kAppend) {
        const std::int64_t tail = tail_of(actor, set, size, place.length);
        if (tail < 0) co_return failed(actor, kind, actor.path.data(), static_cast<int>(tail));
        place.offset = static_cast<std::uint64_t>(tail);
    }
    actor.open_is_written = true;
    stamp_payload(actor.buffer, place.length, ++actor.stamp, set.duplicates.get());
    const int result = co_await actor.io.write(actor.open_fd, actor.buffer, place.length, place.offset,
                                               stream.direct, stream.open_flags != 0);
    if (result < 0) co_return failed(actor, kind, actor.path.data(), result);
    count_written(actor, static_cast<std::uint64_t>(result));
    if (stream.sync_every > 0) co_return co_await sync_by_policy(actor, index);
    co_return 0;
}

Task change_space(ActorState& actor, StepKind kind, int fd, Place place, std::uint64_t size) {
    switch (kind) {
        case StepKind::kTruncate: {
            // Cut off and extended again, so that the file keeps its size and has a hole.
            const int result = co_await actor.io.truncate(fd, place.offset);
            if (result < 0) co_return result;
            co_return co_await actor.io.truncate(fd, size);
        }
        case StepKind::kFallocate:
            co_return co_await actor.io.allocate(fd, FALLOC_FL_KEEP_SIZE, place.offset, place.length);
        default:
            co_return co_await actor.io.allocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, place.offset,
                                                 place.length);
    }
}

}  // namespace fsadvise::tuner
