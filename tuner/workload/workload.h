// A load as data: file sets, streams of I/O and namespace operations, phases, and what counts as one
// operation.
//
// The JSON form is the "load" object of knowledge/workloads/*.json (documented in docs/workload.md).
// Units: bytes, counts, seconds. `scale` shrinks or grows file sets to the area, never the block sizes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace fsadvise::tuner {

// One entry of a distribution of sizes; the shares of a list sum to 1.
struct SizeShare {
    std::uint64_t bytes = 0;
    double share = 0;
};

struct FileSet {
    std::string name;
    std::uint64_t files = 1;
    std::uint64_t size_bytes = 0;      // mean
    std::uint64_t size_min_bytes = 0;  // log-uniform between min and max if both are set
    std::uint64_t size_max_bytes = 0;
    std::uint64_t directory_width = 0;    // files a directory, 0 = all in one
    bool preallocate = false;             // fallocate instead of writing zeros-free data
    bool fill = true;                     // false: directories only, files appear during the run
    double compressible = 0.5;            // share of each block that compresses away
    std::vector<SizeShare> sizes;         // explicit distribution
    std::uint64_t size_median_bytes = 0;  // lognormal if both are set
    double size_sigma = 0;                // of the natural logarithm of the size
    int fan_out = 0;                      // directories a directory of a tree, 0 = no tree
    int tree_depth = 1;                   // levels of the tree
    double duplicates = 0;                // share of the 4 KiB blocks that repeat others
    std::int64_t keep = -1;               // created files an actor keeps; -1 = three quarters of its share
};

// One step of a stream's loop.
struct Step {
    std::string operation;  // a name of operation_names() (step_kind.h)
    std::string file_set;   // empty: the stream's
    std::uint64_t block_bytes =
        4096;  // read/write/append size; chunk of read-file and create; page of commit
    bool sequential = false;
    double probability = 1.0;  // step is skipped otherwise
    int repeat = 1;
    std::uint64_t think_ns = 0;
    std::vector<SizeShare> blocks;   // distribution instead of block_bytes, which is then its largest
    double read_share = 0.5;         // of read-write
    bool exponential = false;        // think: think_ns is the mean
    std::uint64_t record_bytes = 0;  // commit: bytes it adds to the log, 0 = one block
    bool data_only = true;           // commit: fdatasync, else fsync
    std::string signal;              // of signal and wait
};

// What is forced to the medium without a sync step.
enum class SyncPolicy { kNone, kFsync, kFdatasync, kODsync, kOSync };

struct Stream {
    std::string name;
    std::string file_set;
    int threads = 1;      // rings; capped to the cores given
    int depth = 1;        // concurrent actors a thread
    bool direct = false;  // O_DIRECT
    double skew = 0;      // 0 uniform, else Zipf exponent of file and block choice
    std::vector<Step> steps;
    bool counts = true;  // its loops are the metric; false: background load
    SyncPolicy sync = SyncPolicy::kNone;
    int sync_every = 1;          // writes between two syncs of an actor
    double rate_operations = 0;  // loops a second of the whole stream, 0 = no limit
    double rate_bytes = 0;       // bytes a second of the whole stream, 0 = no limit
    bool open_loop = false;      // arrivals do not wait for completions; latency from the intended start
    bool exponential_arrivals = false;
    double working_set = 1;   // share of the files (or blocks, of few files) that is touched
    double hot_accesses = 0;  // hot spot: this share of the accesses ...
    double hot_blocks = 0;    // ... goes to this share of the blocks (or files, of many)
};

// A part of the run that is measured on its own.
struct Phase {
    std::string name;
    double seconds = 0;            // 0 = not limited
    std::uint64_t operations = 0;  // loops of its counting streams on each side; 0 = not limited
    std::vector<std::string> streams;
};

struct Load {
    std::vector<FileSet> file_sets;
    std::vector<Stream> streams;
    std::string metric = "operations";  // the objective, a name of objective_names()
    bool flush_in_window = false;       // buffered load: syncfs at the end of each window counts
    double window_seconds = 0.1;        // default window of a duet
    std::vector<Phase> phases;          // empty: one phase with all streams
    std::string counting_phase;         // empty: the last
};

// Errors: kBadInput with JSON pointer; unknown keys and operations name the nearest known one.
Result<Load> load_from_json(const std::string& json_text, const std::string& name);
// Checks contradictions (no counting stream, unknown file set, zero files).
Result<void> check(const Load& load);
// Bytes and inodes of the file sets after scaling.
std::uint64_t data_bytes(const Load& load, double scale);
std::uint64_t file_count(const Load& load, double scale);
// Largest scale (at most 1) whose data fills no more than `share` of the area.
double fitting_scale(const Load& load, std::uint64_t area_bytes, double share = 0.45);

}  // namespace fsadvise::tuner
