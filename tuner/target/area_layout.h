// Where the two scratch areas lie on a file or device.
//
// Units: bytes. The first MiB (marker, partition tables) and the last (backup tables, RAID superblocks) stay
// free.
#pragma once

#include <cstdint>
#include <optional>

#include "base/units.h"

namespace fsadvise::tuner {

inline constexpr int kAreas = 2;
inline constexpr std::uint64_t kAreaStartBytes = kMiB;
// Smaller than this, btrfs refuses to format (about 109 MiB) and measurements are of caches only. XFS wants
// 300 MiB.
inline constexpr std::uint64_t kMinimumAreaBytes = 128 * kMiB;
inline constexpr std::uint64_t kMinimumTotalBytes = kAreas * kMinimumAreaBytes + 2 * kMiB;

struct AreaLayout {
    std::uint64_t area_bytes = 0;  // a whole number of MiB
    [[nodiscard]] std::uint64_t offset_bytes(int area) const {
        return kAreaStartBytes + static_cast<std::uint64_t>(area) * area_bytes;
    }
};

// nullopt if two minimum areas do not fit.
inline std::optional<AreaLayout> layout_areas(std::uint64_t total_bytes) {
    if (total_bytes < kMinimumTotalBytes) return std::nullopt;
    const std::uint64_t half = (total_bytes - 2 * kMiB) / kAreas;
    return AreaLayout{half - half % kMiB};
}

}  // namespace fsadvise::tuner
