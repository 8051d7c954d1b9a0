#include "tuner/engine/actor.h"

#include <algorithm>
#include <cerrno>

#include <fmt/format.h>

#include "tuner/engine/failure.h"
#include "tuner/engine/payload.h"
#include "tuner/engine/worker.h"

namespace fsadvise::tuner {
namespace {

bool is_sync(StepKind kind) {
    return kind == StepKind::kFsync || kind == StepKind::kFdatasync;
}

std::uint64_t blocks_in(std::uint64_t size, std::uint64_t block) {
    return std::max<std::uint64_t>(1, size / block);
}

// File and offset of one transfer.
struct Place {
    std::uint64_t file = 0, offset = 0;
};

Cursor& cursor_of(ActorState& actor, std::size_t index, StepKind kind) {
    if (kind == StepKind::kRead) return actor.cursors[index];
    return actor.worker.shared_cursor(actor.side_index, index);
}

Place choose_place(ActorState& actor, std::size_t index, const StepPlan& step) {
    if (!step.sequential) {
        const StepChooser& chooser = actor.worker.chooser(index);
        const std::uint64_t file = chooser.files(actor.random);
        const std::uint64_t blocks = blocks_in(actor.side.size(step.set, file), step.block_bytes);
        return {file, chooser.blocks(actor.random) % blocks * step.block_bytes};
    }
    Cursor& cursor = cursor_of(actor, index, step.kind);
    if (cursor.block >= blocks_in(actor.side.size(step.set, cursor.file), step.block_bytes)) {
        cursor.file = (cursor.file + 1) % actor.plan.sets[step.set].shape.files;
        cursor.block = 0;
    }
    return {cursor.file, cursor.block++ * step.block_bytes};
}

// Takes the next piece of a growing file; `rotate` says that the file is to be cut back first.
Place choose_tail(ActorState& actor, std::size_t index, const StepPlan& step, bool& rotate) {
    const SetPlan& set = actor.plan.sets[step.set];
    Cursor& cursor = actor.worker.shared_cursor(actor.side_index, index);
    const std::uint64_t file =
        step.sequential ? cursor.file : actor.worker.chooser(index).files(actor.random);
    const AppendRange range = append_range(set, actor.side.size(step.set, file));
    auto& tail = actor.side.tail(step.set, file);
    std::uint64_t offset = tail.fetch_add(step.block_bytes, std::memory_order_relaxed);
    if (actor.stream.direct) offset = (offset + step.block_bytes - 1) / step.block_bytes * step.block_bytes;
    rotate = offset + step.block_bytes > std::max(range.limit, range.begin + step.block_bytes);
    if (rotate) {
        offset = range.begin;
        tail.store(range.begin + step.block_bytes, std::memory_order_relaxed);
        if (step.sequential) cursor.file = (cursor.file + 1) % set.shape.files;
    }
    return {file, offset};
}

// There is no ring operation for truncate before Linux 6.9, and a log rotates rarely.
int rotate_file(const ActorState& actor, const StepPlan& step, std::uint64_t file, int fd) {
    const SetPlan& set = actor.plan.sets[step.set];
    const std::uint64_t size = actor.side.size(step.set, file);
    if (::ftruncate(fd, static_cast<off_t>(append_range(set, size).begin)) != 0) return -errno;
    if (set.preallocate && ::fallocate(fd, 0, 0, static_cast<off_t>(size)) != 0 && errno != EOPNOTSUPP)
        return -errno;
    return 0;
}

void mark_unsynced(ActorState& actor, std::size_t set, std::uint64_t file) {
    OwnFiles& own = actor.own[set];
    if (own.is_unsynced.empty() || own.is_unsynced[file]) return;
    own.is_unsynced[file] = true;
    own.unsynced.push_back(static_cast<std::uint32_t>(file));
}

// The next descriptor a sync step has to sync, or -1 when it is done. `first`: the step has synced nothing
// yet.
int next_to_sync(ActorState& actor, std::size_t index, const StepPlan& step, bool first) {
    if (actor.open_fd >= 0 && actor.open_set == step.set && actor.open_is_written) {
        actor.open_is_written = false;
        return actor.open_fd;
    }
    if (!actor.side.has_handles(step.set, actor.stream.direct)) return -1;
    OwnFiles& own = actor.own[step.set];
    std::uint64_t file = 0;
    if (!own.unsynced.empty()) {
        file = own.unsynced.back();
        own.unsynced.pop_back();
        own.is_unsynced[file] = false;
    } else if (first && actor.plan.sets[step.set].created.actors == 0) {
        file = actor.worker.chooser(index).files(actor.random);
    } else {
        return -1;
    }
    return actor.side.handle(step.set, file, actor.stream.direct);
}

int failed_on_file(ActorState& actor, const StepPlan& step, std::uint64_t file, int result) {
    PathBuffer path;
    actor.plan.sets[step.set].file_path(path, file);
    return failed(actor, step.kind, path.data(), result);
}

// Starting points of an actor's own sequential reads: spread over the files, and inside the files if actors
// share one.
Cursor first_cursor(const ActorState& actor, const StepPlan& step, std::uint32_t actors) {
    const SetPlan& set = actor.plan.sets[step.set];
    const std::uint64_t files = set.shape.files;
    if (files >= actors) return {actor.number % actors * files / actors, 0};
    const std::uint64_t sharing = (actors + files - 1) / files;
    const std::uint64_t rank = actor.number % actors;
    return {rank % files, blocks_in(set.shape.size_bytes, step.block_bytes) * (rank / files) / sharing};
}

}  // namespace

ActorState::ActorState(Worker& w, Side& s, int side_number, std::uint32_t actor_number, std::byte* memory,
                       Io& operations)
    : worker(w),
      side(s),
      plan(w.plan()),
      stream(w.stream()),
      side_index(side_number),
      number(actor_number),
      io(operations),
      random(mix(w.seed(), mix(w.stream_index(), actor_number))),
      buffer(memory),
      stamp(random.next()),
      own(plan.sets.size()) {
    const auto actors = static_cast<std::uint32_t>(stream.threads * stream.depth);
    for (const StepPlan& step : stream.steps) {
        cursors.push_back(step.kind == StepKind::kThink ? Cursor{} : first_cursor(*this, step, actors));
        if (is_sync(step.kind) && side.has_handles(step.set, stream.direct)) {
            own[step.set].is_unsynced.resize(plan.sets[step.set].shape.files);
        }
    }
}

int failed(ActorState& actor, StepKind kind, const char* path, int result) {
    if (result >= 0) return 0;
    actor.worker.report(
        operation_error(std::string(operation_name(kind)), actor.side.directory(), path, -result));
    return result;
}

Actor run_actor(ActorState& actor) {
    Worker& worker = actor.worker;
    Counters& counters = worker.counters(actor.side_index);
    Io& io = actor.io;
    const bool direct = actor.stream.direct, counts = actor.stream.counts, alone = worker.alone();
    co_await worker.gate();
    std::int64_t now = monotonic_ns();
    for (;;) {
        if (worker.window_over(now)) {
            co_await worker.gate();
            now = monotonic_ns();
            continue;
        }
        std::int64_t began = now;
        const std::uint64_t suspensions = io.suspensions();
        actor.did = 0;
        for (std::size_t index = 0; index < actor.stream.steps.size(); ++index) {
            const StepPlan& step = actor.stream.steps[index];
            if (step.probability < 1 && actor.random.unit() >= step.probability) continue;
            for (int turn = 0; turn < step.repeat && !worker.aborted(); ++turn) {
                if (is_data_step(step.kind) && actor.side.has_handles(step.set, direct)) {
                    bool rotate = false;
                    const Place place = step.kind == StepKind::kAppend
                                            ? choose_tail(actor, index, step, rotate)
                                            : choose_place(actor, index, step);
                    const int fd = actor.side.handle(step.set, place.file, direct);
                    int result = 0;
                    if (step.kind == StepKind::kRead) {
                        result = co_await io.read(fd, actor.buffer, step.block_bytes, place.offset, direct);
                        if (result > 0) counters.read_bytes += static_cast<std::uint64_t>(result);
                    } else {
                        if (rotate) result = rotate_file(actor, step, place.file, fd);
                        stamp_payload(actor.buffer, step.block_bytes, ++actor.stamp);
                        for (std::uint64_t done = 0; result >= 0 && done < step.block_bytes;) {
                            result = co_await io.write(fd, actor.buffer + done, step.block_bytes - done,
                                                       place.offset + done, direct);
                            if (result == 0) result = -ENOSPC;
                            if (result > 0) done += static_cast<std::uint64_t>(result);
                        }
                        if (result >= 0) counters.written_bytes += step.block_bytes;
                        mark_unsynced(actor, step.set, place.file);
                    }
                    if (result < 0) failed_on_file(actor, step, place.file, result);
                    ++actor.did;
                } else if (is_sync(step.kind)) {
                    bool first = true;
                    for (int fd = 0; (fd = next_to_sync(actor, index, step, first)) >= 0; first = false) {
                        const std::int64_t from = monotonic_ns();
                        const int result = co_await io.sync(fd, step.kind == StepKind::kFdatasync);
                        counters.sync_latency.record(monotonic_ns() - from);
                        if (failed(actor, step.kind, actor.plan.sets[step.set].name.c_str(), result) != 0)
                            break;
                        ++actor.did;
                    }
                } else if (step.kind == StepKind::kThink) {
                    if (actor.open_fd >= 0) co_await close_open_file(actor);
                    const std::int64_t from = monotonic_ns();
                    co_await worker.think(step.think_ns);
                    began += monotonic_ns() - from;  // latency is that of the storage
                } else {
                    co_await run_path_step(actor, index, step);
                }
            }
        }
        if (actor.open_fd >= 0) co_await close_open_file(actor);
        now = monotonic_ns();
        if (actor.did > 0 && counts && !worker.aborted()) {
            ++counters.operations;
            counters.latency.record(now - began);
        }
        // A loop that never waited would keep the thread from the other actors until the window ends.
        if (!alone && suspensions == io.suspensions()) {
            co_await worker.yield();
            now = monotonic_ns();
        }
    }
}

}  // namespace fsadvise::tuner
