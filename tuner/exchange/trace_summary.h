// Internal: a stream of requests reduced to the figures that a load needs, in bounded memory.
//
// Bounds: at most 2^17 counted regions (their size doubles when there are more), 4096 block sizes a
// direction, 32 runs a
//         file, 2^16 files.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "tuner/exchange/exchange.h"
#include "tuner/exchange/mix.h"

namespace fsadvise::tuner {

enum class TraceOperation { kRead, kWrite, kFsync, kFdatasync, kFlush, kDiscard };

struct TraceRequest {
    TraceOperation operation = TraceOperation::kRead;
    std::uint32_t file = 0;  // number of a file, or of a device
    std::uint64_t offset = 0, bytes = 0;
    std::uint64_t time_ns = 0;
    bool force_unit_access = false, synchronous = false, metadata = false, read_ahead = false;
};

// Accesses by region of the address space; the regions double in size when there are too many.
class RegionCounter {
  public:
    void add(std::uint32_t file, std::uint64_t offset, std::uint64_t bytes, bool random);
    [[nodiscard]] std::uint64_t touched_bytes() const { return touched_.size() * granule(); }
    // Exponent of the Zipf law over as many regions whose chance to meet the same region twice is that of the
    // random accesses; 0 = uniform. Unbiased also where most regions were met once.
    [[nodiscard]] double zipf_exponent() const;
    [[nodiscard]] std::uint64_t granule() const { return 1ull << shift_; }

  private:
    void coarsen();
    int shift_ = 12;
    std::unordered_map<std::uint64_t, std::uint32_t> touched_;  // key -> random accesses that began there
};

class TraceSummary {
  public:
    void add(const TraceRequest& request);

    struct Direction {
        std::uint64_t requests = 0, bytes = 0, sequential = 0;
        std::unordered_map<std::uint64_t, std::uint64_t> sizes;
        [[nodiscard]] std::vector<BlockShare> blocks() const;
    };
    Direction reads, writes;
    std::uint64_t fsyncs = 0, fdatasyncs = 0, flushes = 0, discards = 0, forced = 0, synchronous = 0,
                  metadata = 0, read_ahead = 0;
    RegionCounter regions;
    std::unordered_map<std::uint32_t, std::uint64_t> file_ends;  // largest end of each file
    std::uint64_t first_ns = UINT64_MAX, last_ns = 0;

    [[nodiscard]] std::uint64_t transfers() const { return reads.requests + writes.requests; }
    [[nodiscard]] double seconds() const;

  private:
    struct Run {
        std::uint64_t end = 0;
        std::uint64_t used = 0;  // when, in requests of the file
        std::uint8_t steps = 0;  // 2 and more: surely a run
    };
    struct Runs {  // the latest ones
        std::array<Run, 32> runs{};
        std::uint64_t requests = 0;
    };
    // How many requests are now known to be sequential: a run is one from its third request on, since in a
    // small file two random requests are neighbours by chance often enough. 0: this one begins elsewhere.
    int continues(std::uint32_t file, std::uint64_t offset, std::uint64_t end);
    std::unordered_map<std::uint32_t, Runs> runs_;
};

struct TraceFacts {
    std::string what;         // "an iolog of fio", "a blktrace recording"
    double depth = 0;         // requests in flight while there were any; 0 = the trace cannot say
    std::uint64_t files = 1;  // 0: not seen
    bool direct = false;
};
// The load of a trace. Errors: kBadInput if it holds no transfer.
Result<void> fill_from_trace(const TraceSummary& summary, const TraceFacts& facts, const std::string& path,
                             Notes& notes, WorkloadDocument& document);

}  // namespace fsadvise::tuner
