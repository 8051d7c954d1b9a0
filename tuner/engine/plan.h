// A load resolved for running: names become indices, sizes and counts are scaled. Built once, read by all
// threads.
//
// Files are named by index, so a set of a million files costs no memory:
//   SET/f00000007 (one directory)   SET/d00012/f00000735 (directory_width files each)
//   SET/n0001/d00012/f00000735 (a tree of two levels)
// What actors add: LETTER<actor>-<number>; c created, m renamed, l hard link, s symbolic link, k directory.
// Paths are relative to the side's directory.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tuner/engine/engine.h"
#include "tuner/engine/payload.h"
#include "tuner/engine/random.h"
#include "tuner/workload/objective.h"
#include "tuner/workload/scaling.h"
#include "tuner/workload/step_kind.h"
#include "tuner/workload/workload.h"

namespace fsadvise::tuner {

// "SET/n0001/.../d00012/f00000735" for a name of at most 64 characters and a tree of 8 levels.
using PathBuffer = std::array<char, 192>;

// A name that an actor added to a set.
struct CreatedFile {
    std::uint64_t number = 0;
    std::uint32_t directory = 0;
    char letter = 'c';
};

struct SetPlan {
    std::string name;
    ScaledSet shape;
    CreatedFiles created;
    std::uint64_t width = 0;
    std::uint32_t directories = 1;
    bool nested = false;        // files lie in d00000... below SET
    std::uint32_t fan_out = 0;  // of a tree
    int tree_depth = 1;         // levels below SET, the last one is d00000...
    bool preallocate = false;
    bool fill = true;
    bool appended = false;
    bool has_data_steps = false;  // some stream reads or writes inside its files
    bool shared_handles = false;  // few enough files to keep all open
    double compressible = 0;
    std::shared_ptr<const Duplicates> duplicates;  // null: no block repeats
    std::uint64_t seed = 0;

    [[nodiscard]] std::uint64_t size_of(std::uint64_t index) const;     // of laid out file `index`
    [[nodiscard]] std::uint64_t draw_size(std::uint64_t random) const;  // of a created file
    // The first `levels` levels of it below SET; all of them by default.
    void directory_path(PathBuffer& path, std::uint32_t directory, int levels = 99) const;
    void file_path(PathBuffer& path, std::uint64_t index) const;
    void created_path(PathBuffer& path, std::uint32_t actor, const CreatedFile& file) const;
    void scratch_directory_path(PathBuffer& path, std::uint32_t directory, std::uint32_t actor) const;
};

struct StepPlan {
    StepKind kind = StepKind::kRead;
    std::size_t set = 0;
    std::uint64_t block_bytes = 4096;  // the largest
    std::uint64_t grain = 4096;        // places are multiples of it: the smallest block
    std::vector<SizeShare> blocks;     // empty: all are block_bytes; shares are cumulative
    bool sequential = false;
    double probability = 1;
    int repeat = 1;
    std::int64_t think_ns = 0;
    bool exponential = false;
    double read_share = 0;
    std::uint64_t files = 1;  // the working set: the first files of the set ...
    double span = 1;          // ... and this share of each of them
    std::uint64_t record_bytes = 0;
    bool data_only = true;
    std::size_t signal = 0;

    [[nodiscard]] std::uint64_t draw_block(Random& random) const;
    // Bytes of a file of this size that the step touches; at least one block.
    [[nodiscard]] std::uint64_t touched(std::uint64_t size) const;
};

struct StreamPlan {
    std::string name;
    int threads = 1, depth = 1;
    bool direct = false, counts = true;
    int open_flags = 0;  // O_DSYNC or O_SYNC
    int sync_every = 0;  // writes between two syncs of an actor; 0 = none by policy
    bool sync_data_only = true;
    double interval_ns = 0;  // between two loops of the stream, 0 = no limit
    double ns_per_byte = 0;  // 0 = no limit
    bool open_loop = false, exponential_arrivals = false;
    double skew = 0;
    double hot_accesses = 0, hot_blocks = 0;
    std::uint64_t buffer_bytes = 0;  // largest block
    double compressible = 0;         // of what it writes
    std::vector<StepPlan> steps;

    // Which descriptors of a file it uses: one for each way of opening.
    [[nodiscard]] std::size_t handle_class() const;
    [[nodiscard]] bool paced() const { return interval_ns > 0 || ns_per_byte > 0; }
};
inline constexpr std::size_t kHandleClasses = 6;

struct PhasePlan {
    std::string name;
    double seconds = 0;            // 0 = not limited
    std::uint64_t operations = 0;  // 0 = not limited
    std::vector<bool> runs;        // a stream
    std::vector<bool> counts;      // a stream; of a phase without a counting stream: all that run
};

struct LoadPlan {
    std::vector<SetPlan> sets;
    std::vector<StreamPlan> streams;
    std::size_t signals = 0;
    bool plain_calls = false;
    bool record_latency = true;
    std::vector<PhasePlan> phases;  // at least one
    std::size_t counting_phase = 0;
    Objective objective;
};

// Errors: those of check(load).
Result<LoadPlan> make_plan(const Load& load, const EngineOptions& options);

}  // namespace fsadvise::tuner
