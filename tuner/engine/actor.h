// One actor: a client that runs its stream's loop on one side, and what it remembers between steps.
//
// The steps on open files are part of the actor's own coroutine (actor.cpp, their places in actor_place.cpp);
// syncs and commits (actor_sync.cpp), steps by path (actor_namespace.cpp, actor_path.cpp) are Tasks. Threads:
// an actor belongs to one worker.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "tuner/engine/io.h"
#include "tuner/engine/plan.h"
#include "tuner/engine/random.h"
#include "tuner/engine/ring.h"
#include "tuner/engine/side.h"
#include "tuner/engine/task.h"

namespace fsadvise::tuner {

class Worker;

// Which file and which block a step takes; the same for all actors of a stream.
struct StepChooser {
    Picker files, blocks;
};

// Position of a sequential step.
struct Cursor {
    std::uint64_t file = 0, offset = 0;
};

// One piece of a file.
struct Place {
    std::uint64_t file = 0, offset = 0, length = 0;
};

// Files of one set as one actor sees them.
struct OwnFiles {
    // Oldest first; each is bounded by SetPlan::created.most.
    std::deque<CreatedFile> created, symlinks, directories;
    std::uint64_t next_number = 0;
    std::vector<std::uint32_t> unsynced;  // files written since the last sync step, by index
    std::vector<bool> is_unsynced;        // empty: no sync step in the stream, nothing is tracked
};

struct ActorState {
    ActorState(Worker& w, Side& s, int side_number, std::uint32_t actor_number, std::byte* memory,
               Io& operations);

    Worker& worker;
    Side& side;
    const LoadPlan& plan;
    const StreamPlan& stream;
    const int side_index;
    const std::uint32_t number;  // over all actors of the side: names its files
    Io& io;
    Random random;
    std::byte* const buffer;
    std::uint64_t stamp;
    const std::size_t way;  // StreamPlan::handle_class()

    std::vector<OwnFiles> own;        // a set
    std::vector<Cursor> cursors;      // a step; reading only, writers of a thread share theirs
    PathBuffer path{}, other_path{};  // live until the operation that names them completes
    struct statx attributes {};

    // A file opened by path stays open for the sync steps that follow it.
    int open_fd = -1;
    std::size_t open_set = 0;
    bool open_is_written = false;
    std::uint64_t did = 0;    // operations of the loop in hand; a loop of skipped steps does not count
    std::uint64_t moved = 0;  // bytes read and written
    int writes = 0;           // since the last sync by policy
};

// The loop; runs until destroyed.
Actor run_actor(ActorState& actor);

// Where a step on open files goes.
Place choose_place(ActorState& actor, std::size_t index, const StepPlan& step);
// The next piece of a growing file; `rotate` says that the file is to be cut back first.
Place choose_tail(ActorState& actor, std::size_t index, const StepPlan& step, bool& rotate);
// Cuts a rotated file back. 0 or -errno.
int rotate_file(const ActorState& actor, const StepPlan& step, std::uint64_t file, int fd);
Cursor first_cursor(const ActorState& actor, const StepPlan& step, std::uint32_t actors);

// Notes a write for the sync steps that follow.
void mark_unsynced(ActorState& actor, std::size_t set, std::uint64_t file);
// Forces what the actor has written in the set; `any`: a file of the set where it wrote none.
Task sync_step(ActorState& actor, std::size_t index, const StepPlan& step, bool any);
// Forces all that the actor has written if the stream's policy asks for it after this write.
Task sync_by_policy(ActorState& actor, std::size_t index);
// Adds a record to the log of the set and returns when it is forced.
Task commit_step(ActorState& actor, const StepPlan& step);

// truncate, fallocate and punch-hole on an open file of `size` bytes; the kernel's result.
Task change_space(ActorState& actor, StepKind kind, int fd, Place place, std::uint64_t size);

// A step by path. 0, or -errno after the failure has been reported to the worker.
Task run_path_step(ActorState& actor, std::size_t index, const StepPlan& step);
Task open_current(ActorState& actor, const StepPlan& step, int flags);
Task close_open_file(ActorState& actor);
// Reads, writes and the like on a file of a set that has too many to keep them open.
Task transfer_by_path(ActorState& actor, std::size_t index, const StepPlan& step);
Task read_file(ActorState& actor, std::size_t index, const StepPlan& step);
// Writes `size` bytes from the actor's buffer to the open file.
Task write_content(ActorState& actor, const StepPlan& step, std::uint64_t size);
// Puts the path of an existing file into actor.path: a laid out one or an own one. False if there is none.
bool choose_file(ActorState& actor, std::size_t index, const StepPlan& step, std::uint64_t& size);

// Counters of what was moved.
void count_read(ActorState& actor, std::uint64_t bytes);
void count_written(ActorState& actor, std::uint64_t bytes);

inline int direct_flag(const ActorState& actor) {
    return actor.stream.direct ? O_DIRECT : 0;
}

// Reports to the worker; returns `result` if it is an error, else 0.
int failed(ActorState& actor, StepKind kind, const char* path, int result);
int failed_on_file(ActorState& actor, StepKind kind, std::size_t set, std::uint64_t file, int result);

}  // namespace fsadvise::tuner
