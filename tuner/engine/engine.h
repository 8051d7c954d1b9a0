// Runs a Load on one directory, or as a duet on two, over io_uring, or with threads and plain calls where the
// kernel or a sandbox refuses it.
//
// Duet: the same load exists twice, on `candidate` and on `anchor`; windows alternate (A B B A ...); within a
// window only one side's actors run. A window ends when its last operation has completed (and, for buffered
// loads, the filesystem is flushed), so unfinished work is not given away. The metric of a window is
// operations / elapsed. Phases of a load run one after the other, each in windows of its own. Errors: ENOSPC,
// EIO and other failed operations stop all actors and end the run with kRunFailed, which names
//         operation, file and errno; the files that the run created are removed.
// Threads: one ring a thread (or none); the engine joins all before it returns. Bounds: memory independent of
// run length.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "tuner/engine/histogram.h"
#include "tuner/workload/workload.h"

namespace fsadvise::tuner {

struct EngineOptions {
    double scale = 1.0;
    int cores = 0;           // threads cap, 0 = online processors
    std::uint64_t seed = 1;  // same seed, same operations
    double seconds = 5;      // measuring time, both sides together for a duet
    double warmup_seconds = 0.5;
    double window_seconds = 0;  // 0 = the load's
    // Every actor a thread of its own with plain system calls. Chosen by itself where io_uring cannot be
    // used.
    bool plain_calls = false;
    // Whether latencies go into histograms; without, only rates are known, and an objective of latency finds
    // nothing to compare.
    bool record_latency = true;
    std::function<bool()> stop;  // polled at least every 100 ms; true ends the run early
};

// One phase of a load on one side.
struct PhaseResult {
    std::string name;
    std::uint64_t operations = 0;  // loops of its counting streams; of all where none of its streams counts
    std::uint64_t read_bytes = 0, written_bytes = 0;
    double seconds = 0, cpu_seconds = 0;
    Histogram latency;
};

// The counting phase, and all phases one by one.
struct SideResult {
    std::uint64_t operations = 0;  // loops of counting streams
    std::uint64_t read_bytes = 0, written_bytes = 0;
    double seconds = 0;                // time in its own windows
    double cpu_seconds = 0;            // user + system of the engine's threads
    Histogram latency;                 // of one loop of counting streams
    Histogram sync_latency;            // of fsync/fdatasync steps
    std::vector<double> window_rates;  // operations/s, in order
    std::vector<PhaseResult> phases;   // empty: the load has none
    // Operations that an application reports as failed; a failed one of the engine ends the run.
    std::uint64_t errors = 0;
    [[nodiscard]] double rate() const { return seconds > 0 ? static_cast<double>(operations) / seconds : 0; }
};

struct DuetResult {
    SideResult candidate, anchor;
    // Above 0 = the candidate is better. One a window pair: ln(candidate rate / anchor rate); where the
    // objective is a latency one as soon as both sides have enough loops: ln(anchor latency / candidate
    // latency).
    std::vector<double> log_ratios;
    double log_ratio = 0;            // mean
    double log_ratio_deviation = 0;  // standard error of the mean, widened by the serial correlation of the pairs
    double effective_pairs = 0;      // independent pairs that would say as much; 0 with fewer than two
    bool steady = true;              // SNIA rule over the anchor's windows
    bool stopped = false;            // ended by `stop`
    double window_seconds = 0;       // as chosen: lengthened until a window holds 20 operations
};

// Lays out the file sets of the load below `directory` (made if missing) and syncs. Deterministic for a seed.
Result<void> lay_out(const Load& load, const std::string& directory, const EngineOptions& options);

Result<SideResult> run_single(const Load& load, const std::string& directory, const EngineOptions& options);
Result<DuetResult> run_duet(const Load& load, const std::string& candidate_directory,
                            const std::string& anchor_directory, const EngineOptions& options);

// kUnavailable with the reason if io_uring cannot be used here.
Result<void> probe_engine();

}  // namespace fsadvise::tuner
