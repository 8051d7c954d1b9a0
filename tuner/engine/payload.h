// Bytes to write: random with a share that compresses away, and never the same 4 KiB twice.
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

// Makes each 4 KiB of the buffer differ from all others for eight bytes a unit, so that a stale buffer can be
// written again without looking like a duplicate.
void stamp_payload(std::byte* data, std::size_t bytes, std::uint64_t stamp);

}  // namespace fsadvise::tuner
