#include "tuner/engine/payload.h"

#include <algorithm>
#include <cstring>
#include <new>

#include <sys/mman.h>

#include "tuner/engine/random.h"

namespace fsadvise::tuner {
namespace {

constexpr std::size_t kHugePage = 2 << 20;
constexpr std::uint64_t kRepeatedBlocks = 64;

}  // namespace

Buffer aligned_buffer(std::size_t bytes) {
    // Direct I/O pins the buffer page by page at each operation: one huge page instead of 512 small ones.
    const std::size_t alignment = bytes >= kHugePage ? kHugePage : kPayloadUnit;
    const std::size_t rounded = (std::max<std::size_t>(bytes, 1) + alignment - 1) / alignment * alignment;
    void* memory = std::aligned_alloc(alignment, rounded);
    if (memory == nullptr) throw std::bad_alloc();
    if (alignment == kHugePage) ::madvise(memory, rounded, MADV_HUGEPAGE);
    std::memset(memory, 0, rounded);
    return Buffer(static_cast<std::byte*>(memory));
}

void fill_payload(std::byte* data, std::size_t bytes, double compressible, std::uint64_t seed) {
    Random random(seed);
    for (std::size_t at = 0; at < bytes; at += kPayloadUnit) {
        const std::size_t unit = std::min(kPayloadUnit, bytes - at);
        const auto dense = static_cast<std::size_t>(static_cast<double>(unit) * (1 - compressible));
        for (std::size_t i = 0; i < unit; i += sizeof(std::uint64_t)) {
            const std::size_t piece = std::min(sizeof(std::uint64_t), unit - i);
            const std::uint64_t word = i < dense ? random.next() : 0;
            std::memcpy(data + at + i, &word, piece);
        }
    }
}

Duplicates::Duplicates(double share, double compressible, std::uint64_t seed)
    : share_(share), blocks_(aligned_buffer(kRepeatedBlocks * kPayloadUnit)) {
    fill_payload(blocks_.get(), kRepeatedBlocks * kPayloadUnit, compressible, seed);
    stamp_payload(blocks_.get(), kRepeatedBlocks * kPayloadUnit, mix(seed));
}

const std::byte* Duplicates::instead_of(std::uint64_t word) const {
    Random random(word);
    if (random.unit() >= share_) return nullptr;
    return blocks_.get() + random.below(kRepeatedBlocks) * kPayloadUnit;
}

void stamp_payload(std::byte* data, std::size_t bytes, std::uint64_t stamp, const Duplicates* duplicates) {
    for (std::size_t at = 0; at + sizeof stamp <= bytes; at += kPayloadUnit) {
        const std::uint64_t word = mix(stamp, at);
        const std::byte* repeated = duplicates == nullptr ? nullptr : duplicates->instead_of(word);
        if (repeated != nullptr) {
            std::memcpy(data + at, repeated, std::min(kPayloadUnit, bytes - at));
        } else {
            std::memcpy(data + at, &word, sizeof word);
        }
    }
}

}  // namespace fsadvise::tuner
