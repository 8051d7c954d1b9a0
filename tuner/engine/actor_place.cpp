// Which piece of which file a step takes.
#include <algorithm>
#include <cerrno>

#include "tuner/engine/actor.h"
#include "tuner/engine/worker.h"

namespace fsadvise::tuner {
namespace {

Cursor& cursor_of(ActorState& actor, std::size_t index, StepKind kind) {
    if (kind == StepKind::kRead) return actor.cursors[index];
    return actor.worker.shared_cursor(actor.side_index, index);
}

}  // namespace

Place choose_place(ActorState& actor, std::size_t index, const StepPlan& step) {
    if (!step.sequential) {
        const StepChooser& chooser = actor.worker.chooser(index);
        const std::uint64_t file = chooser.files(actor.random);
        const std::uint64_t length = step.draw_block(actor.random);
        const std::uint64_t size = step.touched(actor.side.size(step.set, file));
        const std::uint64_t places = size > length ? (size - length) / step.grain + 1 : 1;
        return {file, chooser.blocks(actor.random) % places * step.grain, length};
    }
    Cursor& cursor = cursor_of(actor, index, step.kind);
    const std::uint64_t length = step.draw_block(actor.random);
    if (cursor.offset + length > step.touched(actor.side.size(step.set, cursor.file))) {
        cursor.file = (cursor.file + 1) % step.files;
        cursor.offset = 0;
    }
    const Place place{cursor.file, cursor.offset, length};
    cursor.offset += length;
    return place;
}

Place choose_tail(ActorState& actor, std::size_t index, const StepPlan& step, bool& rotate) {
    const SetPlan& set = actor.plan.sets[step.set];
    Cursor& cursor = actor.worker.shared_cursor(actor.side_index, index);
    const std::uint64_t file =
        step.sequential ? cursor.file : actor.worker.chooser(index).files(actor.random);
    const std::uint64_t length = step.draw_block(actor.random);
    const AppendRange range = append_range(set, actor.side.size(step.set, file));
    auto& tail = actor.side.tail(step.set, file);
    std::uint64_t offset = tail.fetch_add(length, std::memory_order_relaxed);
    if (actor.stream.direct) offset = (offset + step.grain - 1) / step.grain * step.grain;
    rotate = offset + length > std::max(range.limit, range.begin + length);
    if (rotate) {
        offset = range.begin;
        tail.store(range.begin + length, std::memory_order_relaxed);
        if (step.sequential) cursor.file = (cursor.file + 1) % step.files;
    }
    return {file, offset, length};
}

// A log rotates rarely, so this is a plain call.
int rotate_file(const ActorState& actor, const StepPlan& step, std::uint64_t file, int fd) {
    const SetPlan& set = actor.plan.sets[step.set];
    const std::uint64_t size = actor.side.size(step.set, file);
    if (::ftruncate(fd, static_cast<off_t>(append_range(set, size).begin)) != 0) return -errno;
    if (set.preallocate && ::fallocate(fd, 0, 0, static_cast<off_t>(size)) != 0 && errno != EOPNOTSUPP)
        return -errno;
    return 0;
}

// Starting points of an actor's own sequential reads: spread over the files, and inside the files if actors
// share one.
Cursor first_cursor(const ActorState& actor, const StepPlan& step, std::uint32_t actors) {
    if (step.files >= actors) return {actor.number % actors * step.files / actors, 0};
    const std::uint64_t sharing = (actors + step.files - 1) / step.files;
    const std::uint64_t rank = actor.number % actors;
    const std::uint64_t size = step.touched(actor.plan.sets[step.set].shape.size_bytes);
    const std::uint64_t blocks = std::max<std::uint64_t>(1, size / step.grain);
    return {rank % step.files, blocks * (rank / step.files) / sharing * step.grain};
}

}  // namespace fsadvise::tuner
