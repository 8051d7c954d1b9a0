// How `scale` acts on a file set, and how many files a load keeps of what it creates. Shared by layout and
// engine.
//
// Sets of many files lose files and keep their sizes; sets of few files keep the files and shrink them. So
// the shape that matters (many small files, or large files) survives scaling.
#pragma once

#include <cstdint>

#include "tuner/workload/workload.h"

namespace fsadvise::tuner {

inline constexpr std::uint64_t kFewFiles = 64;
inline constexpr std::uint64_t kSizeGrain = 4096;

struct ScaledSet {
    std::uint64_t files = 0;
    std::uint64_t size_bytes = 0, size_min_bytes = 0, size_max_bytes = 0;
};
ScaledSet scaled(const FileSet& set, double scale);

// Files one actor keeps of those it created. `keep`: unlink steps leave that many, so that data lives long
// enough to reach the disk. `most`: above it a create step removes the oldest file first.
struct CreatedFiles {
    std::uint64_t actors = 0;  // actors of all streams that create in the set; 0 = none
    std::uint64_t keep = 0, most = 0;
};
CreatedFiles created_files(const Load& load, const FileSet& set, double scale);

bool has_append(const Load& load, const FileSet& set);

}  // namespace fsadvise::tuner
