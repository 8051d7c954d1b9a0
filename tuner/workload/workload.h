// A load as data: file sets, streams of I/O and namespace operations, what counts as one operation.
//
// The JSON form is the "load" object of knowledge/workloads/*.json (documented in docs/workload.md).
// Units: bytes, counts, seconds. `scale` shrinks or grows file sets to the area, never the block sizes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace fsadvise::tuner {

struct FileSet {
    std::string name;
    std::uint64_t files = 1;
    std::uint64_t size_bytes = 0;       // mean
    std::uint64_t size_min_bytes = 0;   // log-uniform between min and max if both are set
    std::uint64_t size_max_bytes = 0;
    std::uint64_t directory_width = 0;  // files a directory, 0 = all in one
    bool preallocate = false;           // fallocate instead of writing zeros-free data
    bool fill = true;                   // false: directories only, files appear during the run
    double compressible = 0.5;          // share of each block that compresses away
};

// One step of a stream's loop.
struct Step {
    std::string operation;  // read, write, append, read-file, create, stat, open-close, unlink, rename, mkdir-rmdir,
                            // list, fsync, fdatasync, think
    std::string file_set;   // empty: the stream's
    std::uint64_t block_bytes = 4096;    // read/write/append size; chunk of read-file and create
    bool sequential = false;
    double probability = 1.0;            // step is skipped otherwise
    int repeat = 1;
    std::uint64_t think_ns = 0;
};

struct Stream {
    std::string name;
    std::string file_set;
    int threads = 1;        // rings; capped to the cores given
    int depth = 1;          // concurrent actors a thread
    bool direct = false;    // O_DIRECT
    double skew = 0;        // 0 uniform, else Zipf exponent of file and block choice
    std::vector<Step> steps;
    bool counts = true;     // its loops are the metric; false: background load
};

struct Load {
    std::vector<FileSet> file_sets;
    std::vector<Stream> streams;
    std::string metric = "operations";     // loops of counting streams per second
    bool flush_in_window = false;           // buffered load: syncfs at the end of each window counts
    double window_seconds = 0.1;            // default window of a duet
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
