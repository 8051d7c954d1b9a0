// Internal: what a stream of I/O is made of, before it is put into the words of a load.
//
// The importers fill this plain struct; only steps_of() knows how a load says it today.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tuner/workload/workload.h"

namespace fsadvise::tuner {

struct BlockShare {
    std::uint64_t bytes = 4096;
    double share = 1;  // any scale; normalised where used
};

struct AccessMix {
    double read_share = 1;                                 // of reads and writes
    double random_read_share = 1, random_write_share = 1;  // the rest is sequential
    std::vector<BlockShare> read_blocks, write_blocks;
    double fsyncs_per_write = 0, fdatasyncs_per_write = 0;
    bool appends = false;  // sequential writes extend files
    std::uint64_t think_ns = 0;
    double thinks_per_io = 0;
};

// In rising order, at most `most` sizes: the rarest are merged into their nearest neighbour by ratio.
std::vector<BlockShare> fewer_blocks(std::vector<BlockShare> blocks, std::size_t most);
// The commonest kind of access happens in every loop, the others with the probability that keeps the shares;
// several sizes of a kind are a distribution of its step.
std::vector<Step> steps_of(const AccessMix& mix);

// Clients that wait for each of their operations, as threads and actors a thread: a load caps threads to the
// cores, so many clients are spread over few threads.
std::pair<int, int> spread_clients(std::uint64_t jobs, std::uint64_t depth);

// Letters, digits, - and _, at most 64; `fallback` if nothing is left.
std::string plain_name(std::string_view text, std::string_view fallback);
// The same with lower case letters, for ids.
std::string plain_id(std::string_view text, std::string_view fallback);

// Collects what could not be carried over.
class Notes {
  public:
    explicit Notes(bool lenient) : lenient_(lenient) {}
    // An approximation that is always good enough.
    void add(std::string text);
    // A loss: an error, or with `lenient` a note.
    Result<void> lost(const std::string& where, const std::string& what, const std::string& hint = {});
    [[nodiscard]] std::vector<std::string> take() { return std::move(notes_); }

  private:
    bool lenient_;
    std::vector<std::string> notes_;
};

}  // namespace fsadvise::tuner
