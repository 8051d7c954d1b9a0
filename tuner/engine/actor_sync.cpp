// Forcing data to the medium: sync steps, the sync policy of a stream, and the group commit of a log.
#include <algorithm>
#include <cerrno>

#include "tuner/engine/actor.h"
#include "tuner/engine/worker.h"

namespace fsadvise::tuner {
namespace {

// The next descriptor that has to be forced, or -1 when all are. `any`: take a file where none was written.
int next_to_sync(ActorState& actor, std::size_t index, std::size_t set, bool any) {
    if (actor.open_fd >= 0 && actor.open_set == set && actor.open_is_written) {
        actor.open_is_written = false;
        return actor.open_fd;
    }
    if (!actor.side.has_handles(set, actor.way)) return -1;
    OwnFiles& own = actor.own[set];
    std::uint64_t file = 0;
    if (!own.unsynced.empty()) {
        file = own.unsynced.back();
        own.unsynced.pop_back();
        own.is_unsynced[file] = false;
    } else if (any && actor.plan.sets[set].created.file_actors == 0) {
        file = actor.worker.chooser(index).files(actor.random);
    } else {
        return -1;
    }
    return actor.side.handle(set, file, actor.way);
}

void record_sync(ActorState& actor, std::int64_t from) {
    if (actor.plan.record_latency)
        actor.worker.counters(actor.side_index).sync_latency.record(monotonic_ns() - from);
}

Task sync_set(ActorState& actor, std::size_t index, std::size_t set, bool data_only, bool any) {
    const StepKind kind = data_only ? StepKind::kFdatasync : StepKind::kFsync;
    for (int fd = 0; (fd = next_to_sync(actor, index, set, any)) >= 0; any = false) {
        const std::int64_t from = monotonic_ns();
        const int result = co_await actor.io.sync(fd, data_only);
        record_sync(actor, from);
        if (const int error = failed(actor, kind, actor.plan.sets[set].name.c_str(), result); error != 0)
            co_return error;
        ++actor.did;
    }
    co_return 0;
}

Task force_log(ActorState& actor, const StepPlan& step, std::uint64_t file) {
    if (actor.stream.open_flags != 0) co_return 0;  // each write was forced
    const std::int64_t from = monotonic_ns();
    const int fd = actor.side.handle(step.set, file, actor.way);
    const int result = co_await actor.io.sync(fd, step.data_only);
    record_sync(actor, from);
    co_return failed_on_file(actor, step.data_only ? StepKind::kFdatasync : StepKind::kFsync, step.set, file,
                             result);
}

// Writes and forces a range of the log, file after file.
Task flush_log(ActorState& actor, const StepPlan& step, GroupLog& log, GroupLog::Range range) {
    const bool direct = actor.stream.direct, forced = actor.stream.open_flags != 0;
    for (std::uint64_t at = range.from; at < range.to;) {
        const GroupLog::Place place = log.place(at);
        const std::uint64_t length = std::min({range.to - at, place.room, log.buffer_bytes()});
        stamp_payload(log.buffer(), length, log.next_stamp(), actor.plan.sets[step.set].duplicates.get());
        const int fd = actor.side.handle(step.set, place.file, actor.way);
        for (std::uint64_t done = 0; done < length;) {
            int result = co_await actor.io.write(fd, log.buffer() + done, length - done, place.offset + done,
                                                 direct, forced);
            if (result == 0) result = -ENOSPC;
            if (result < 0) co_return failed_on_file(actor, step.kind, step.set, place.file, result);
            done += static_cast<std::uint64_t>(result);
        }
        count_written(actor, length);
        at += length;
        if (at < range.to && log.place(at).file == place.file) continue;
        if (const int error = co_await force_log(actor, step, place.file); error != 0) co_return error;
    }
    co_return 0;
}

}  // namespace

void mark_unsynced(ActorState& actor, std::size_t set, std::uint64_t file) {
    OwnFiles& own = actor.own[set];
    if (own.is_unsynced.empty() || own.is_unsynced[file]) return;
    own.is_unsynced[file] = true;
    own.unsynced.push_back(static_cast<std::uint32_t>(file));
}

Task sync_step(ActorState& actor, std::size_t index, const StepPlan& step, bool any) {
    return sync_set(actor, index, step.set, step.kind == StepKind::kFdatasync, any);
}

Task sync_by_policy(ActorState& actor, std::size_t index) {
    if (++actor.writes < actor.stream.sync_every) co_return 0;
    actor.writes = 0;
    for (std::size_t set = 0; set < actor.own.size(); ++set) {
        if (const int error = co_await sync_set(actor, index, set, actor.stream.sync_data_only, false);
            error != 0)
            co_return error;
    }
    co_return 0;
}

Task commit_step(ActorState& actor, const StepPlan& step) {
    GroupLog& log = actor.side.log(step.set);
    const std::uint64_t position = log.insert(step.record_bytes);
    const bool leads = co_await actor.worker.commit(log, position);
    ++actor.did;
    if (!leads) {
        actor.io.count_suspension();
        co_return 0;
    }
    // The others wait for this actor, so it ends the flush whatever happens.
    const GroupLog::Range range = log.begin_flush();
    int error = 0;
    if (!actor.worker.aborted()) error = co_await flush_log(actor, step, log, range);
    log.end_flush(range.position, actor.worker);
    co_return error;
}

}  // namespace fsadvise::tuner
