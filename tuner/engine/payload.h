// Bytes to write: random with a share that compresses away, and never the same 4 KiB twice, but for a share
// of repeated blocks where a set asks for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>

namespace fsadvise::tuner {

inline constexpr std::size_t kPayloadUnit = 4096;

struct FreeDeleter {
    void operator()(void* memory) const { std::free(memory); }
};
using Buffer = std::unique_ptr<std::byte[], FreeDeleter>;

// Zeroed memory aligned for O_DIRECT.
Buffer aligned_buffer(std::size_t bytes);

// Fills with random bytes; the last `compressible` share of each 4 KiB is zeros.
void fill_payload(std::byte* data, std::size_t bytes, double compressible, std::uint64_t seed);

// The 4 KiB blocks that repeat in a set, the same on both sides and for all actors.
class Duplicates {
  public:
    Duplicates(double share, double compressible, std::uint64_t seed);
    // The block to repeat in place of the one with this stamp, or null.
    [[nodiscard]] const std::byte* instead_of(std::uint64_t word) const;

  private:
    double share_;
    Buffer blocks_;
};

// Makes each 4 KiB of the buffer differ from all others for eight bytes a unit, so that a stale buffer can be
// written again without looking like a duplicate. `duplicates` may be null.
void stamp_payload(std::byte* data, std::size_t bytes, std::uint64_t stamp,
                   const Duplicates* duplicates = nullptr);

}  // namespace fsadvise::tuner
