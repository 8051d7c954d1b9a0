// One actor: a client that runs its stream's loop on one side, and what it remembers between steps.
//
// The steps on open files are part of the actor's own coroutine (actor.cpp); steps by path are Tasks
// (actor_namespace.cpp). Threads: an actor belongs to one worker.
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
    Zipf files, blocks;
};

// Position of a sequential step.
struct Cursor {
    std::uint64_t file = 0, block = 0;
};

// Files of one set as one actor sees them.
struct OwnFiles {
    std::deque<CreatedFile> created;  // oldest first; bounded by SetPlan::created.most
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

    std::vector<OwnFiles> own;        // a set
    std::vector<Cursor> cursors;      // a step; reading only, writers of a thread share theirs
    PathBuffer path{}, other_path{};  // live until the operation that names them completes
    struct statx attributes {};

    // A file opened by path stays open for the sync steps that follow it.
    int open_fd = -1;
    std::size_t open_set = 0;
    bool open_is_written = false;
    std::uint64_t did = 0;  // operations of the loop in hand; a loop of skipped steps does not count
};

// The loop; runs until destroyed.
Actor run_actor(ActorState& actor);

// A step by path. 0, or -errno after the failure has been reported to the worker.
Task run_path_step(ActorState& actor, std::size_t index, const StepPlan& step);
Task close_open_file(ActorState& actor);

// Reports to the worker; returns `result` if it is an error, else 0.
int failed(ActorState& actor, StepKind kind, const char* path, int result);

}  // namespace fsadvise::tuner
