#include "tuner/engine/actor.h"

#include <algorithm>
#include <cerrno>

#include "tuner/engine/failure.h"
#include "tuner/engine/payload.h"
#include "tuner/engine/worker.h"

namespace fsadvise::tuner {
namespace {

// When this loop may begin, in the side's time.
std::int64_t next_start(ActorState& actor, std::int64_t side_now) {
    const StreamPlan& stream = actor.stream;
    const double interval =
        stream.exponential_arrivals ? actor.random.exponential(stream.interval_ns) : stream.interval_ns;
    return actor.side.pace(actor.worker.stream_index())
        .take(side_now, static_cast<std::int64_t>(interval), stream.open_loop);
}

StepKind kind_of_turn(ActorState& actor, const StepPlan& step) {
    if (step.kind != StepKind::kReadWrite) return step.kind;
    return actor.random.unit() < step.read_share ? StepKind::kRead : StepKind::kWrite;
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
      way(stream.handle_class()),
      own(plan.sets.size()) {
    const auto actors = static_cast<std::uint32_t>(stream.threads * stream.depth);
    for (const StepPlan& step : stream.steps) {
        cursors.push_back(is_idle(step.kind) ? Cursor{} : first_cursor(*this, step, actors));
        const bool tracked = is_sync(step.kind) || (stream.sync_every > 0 && is_data_step(step.kind));
        if (tracked && side.has_handles(step.set, way)) {
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

int failed_on_file(ActorState& actor, StepKind kind, std::size_t set, std::uint64_t file, int result) {
    if (result >= 0) return 0;
    PathBuffer path;
    actor.plan.sets[set].file_path(path, file);
    return failed(actor, kind, path.data(), result);
}

void count_read(ActorState& actor, std::uint64_t bytes) {
    actor.worker.counters(actor.side_index).read_bytes += bytes;
    actor.moved += bytes;
}

void count_written(ActorState& actor, std::uint64_t bytes) {
    actor.worker.counters(actor.side_index).written_bytes += bytes;
    actor.moved += bytes;
}

Actor run_actor(ActorState& actor) {
    Worker& worker = actor.worker;
    const StreamPlan& stream = actor.stream;
    Counters& counters = worker.counters(actor.side_index);
    Io& io = actor.io;
    const bool direct = stream.direct, forced = stream.open_flags != 0, alone = worker.alone();
    co_await worker.gate();
    std::int64_t now = monotonic_ns();
    for (;;) {
        if (worker.window_over(now)) {
            co_await worker.gate();
            now = monotonic_ns();
            continue;
        }
        std::int64_t began = now;
        if (stream.paced()) {
            const std::int64_t side_now = worker.side_time(now), start = next_start(actor, side_now);
            if (start > side_now) co_await worker.think(start - side_now);
            began = now = monotonic_ns();
            // What waited for its turn behind slow loops has waited: the clock of an open loop began to run
            // then.
            if (stream.open_loop) began -= worker.side_time(now) - start;
        }
        const std::uint64_t suspensions = io.suspensions(), moved = actor.moved;
        actor.did = 0;
        for (std::size_t index = 0; index < stream.steps.size(); ++index) {
            const StepPlan& step = stream.steps[index];
            if (step.probability < 1 && actor.random.unit() >= step.probability) continue;
            for (int turn = 0; turn < step.repeat && !worker.aborted(); ++turn) {
                if (is_data_step(step.kind) && actor.side.has_handles(step.set, actor.way)) {
                    const StepKind kind = kind_of_turn(actor, step);
                    bool rotate = false;
                    const Place place = kind == StepKind::kAppend ? choose_tail(actor, index, step, rotate)
                                                                  : choose_place(actor, index, step);
                    const int fd = actor.side.handle(step.set, place.file, actor.way);
                    int result = 0;
                    if (kind == StepKind::kRead) {
                        result = co_await io.read(fd, actor.buffer, place.length, place.offset, direct);
                        if (result > 0) count_read(actor, static_cast<std::uint64_t>(result));
                    } else if (transfers(kind)) {
                        if (rotate) result = rotate_file(actor, step, place.file, fd);
                        stamp_payload(actor.buffer, place.length, ++actor.stamp,
                                      actor.plan.sets[step.set].duplicates.get());
                        for (std::uint64_t done = 0; result >= 0 && done < place.length;) {
                            result = co_await io.write(fd, actor.buffer + done, place.length - done,
                                                       place.offset + done, direct, forced);
                            if (result == 0) result = -ENOSPC;
                            if (result > 0) done += static_cast<std::uint64_t>(result);
                        }
                        if (result >= 0) count_written(actor, place.length);
                        mark_unsynced(actor, step.set, place.file);
                        if (stream.sync_every > 0 && result >= 0) co_await sync_by_policy(actor, index);
                    } else {
                        result = co_await change_space(actor, kind, fd, place,
                                                       actor.side.size(step.set, place.file));
                    }
                    if (result < 0) failed_on_file(actor, kind, step.set, place.file, result);
                    ++actor.did;
                } else if (is_sync(step.kind)) {
                    co_await sync_step(actor, index, step, true);
                } else if (step.kind == StepKind::kCommit) {
                    co_await commit_step(actor, step);
                } else if (step.kind == StepKind::kSignal) {
                    actor.side.signal(step.signal).give(worker);
                } else if (step.kind == StepKind::kWait) {
                    if (actor.open_fd >= 0) co_await close_open_file(actor);
                    const std::int64_t closed = worker.closed_ns();
                    co_await worker.wait(actor.side.signal(step.signal));
                    began += worker.closed_ns() - closed;
                } else if (step.kind == StepKind::kThink) {
                    if (actor.open_fd >= 0) co_await close_open_file(actor);
                    const std::int64_t from = monotonic_ns();
                    const auto mean = static_cast<double>(step.think_ns);
                    co_await worker.think(step.exponential
                                              ? static_cast<std::int64_t>(actor.random.exponential(mean))
                                              : step.think_ns);
                    began += monotonic_ns() - from;  // latency is that of the storage
                } else {
                    co_await run_path_step(actor, index, step);
                }
            }
        }
        if (actor.open_fd >= 0) co_await close_open_file(actor);
        now = monotonic_ns();
        if (stream.ns_per_byte > 0) {
            actor.side.pace(worker.stream_index())
                .charge(
                    static_cast<std::int64_t>(static_cast<double>(actor.moved - moved) * stream.ns_per_byte));
        }
        if (actor.did > 0 && !worker.aborted()) {
            ++counters.operations;
            if (actor.plan.record_latency) counters.latency.record(now - began);
        }
        // A loop that never waited would keep the thread from the other actors until the window ends.
        if (!alone && suspensions == io.suspensions()) {
            co_await worker.yield();
            now = monotonic_ns();
        }
    }
}

}  // namespace fsadvise::tuner
