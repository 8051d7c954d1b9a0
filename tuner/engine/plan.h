// A load resolved for running: names become indices, sizes and counts are scaled. Built once, read by all
// threads.
//
// Files are named by index, so a set of a million files costs no memory:
//   SET/f00000007 (one directory)   SET/d00012/f00000735 (directory_width files each)
// Created files: c<actor>-<number>, after a rename m<actor>-<number>. Paths are relative to the side's
// directory.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tuner/engine/engine.h"
#include "tuner/workload/scaling.h"
#include "tuner/workload/step_kind.h"
#include "tuner/workload/workload.h"

namespace fsadvise::tuner {

// "SET/d00012/f00000735" for a name of at most 64 characters.
using PathBuffer = std::array<char, 192>;

// A file that an actor created; `renamed` tells which of its two names it has.
struct CreatedFile {
    std::uint64_t number = 0;
    std::uint32_t directory = 0;
    bool renamed = false;
};

struct SetPlan {
    std::string name;
    ScaledSet shape;
    CreatedFiles created;
    std::uint64_t width = 0;
    std::uint32_t directories = 1;
    bool nested = false;  // files lie in d00000... below SET
    bool preallocate = false;
    bool fill = true;
    bool appended = false;
    bool has_data_steps = false;  // some stream reads or writes inside its files
    bool shared_handles = false;  // few enough files to keep all open
    double compressible = 0;
    std::uint64_t seed = 0;

    [[nodiscard]] std::uint64_t size_of(std::uint64_t index) const;     // of laid out file `index`
    [[nodiscard]] std::uint64_t draw_size(std::uint64_t random) const;  // of a created file
    void directory_path(PathBuffer& path, std::uint32_t directory) const;
    void file_path(PathBuffer& path, std::uint64_t index) const;
    void created_path(PathBuffer& path, std::uint32_t actor, const CreatedFile& file) const;
    void scratch_directory_path(PathBuffer& path, std::uint32_t directory, std::uint32_t actor) const;
};

struct StepPlan {
    StepKind kind = StepKind::kRead;
    std::size_t set = 0;
    std::uint64_t block_bytes = 4096;
    bool sequential = false;
    double probability = 1;
    int repeat = 1;
    std::int64_t think_ns = 0;
};

struct StreamPlan {
    std::string name;
    int threads = 1, depth = 1;
    bool direct = false, counts = true;
    double skew = 0;
    std::uint64_t buffer_bytes = 0;  // largest block
    double compressible = 0;         // of what it writes
    std::vector<StepPlan> steps;
};

struct LoadPlan {
    std::vector<SetPlan> sets;
    std::vector<StreamPlan> streams;
};

// Errors: those of check(load).
Result<LoadPlan> make_plan(const Load& load, const EngineOptions& options);

}  // namespace fsadvise::tuner
