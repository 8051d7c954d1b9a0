// What the tests of the engine share: a folder in RAM, small loads, contents of a folder.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tuner/engine/engine.h"

namespace fsadvise::testing {

// A folder in RAM, removed at the end.
struct RamFolder {
    std::string path;
    RamFolder() {
        char name[] = "/dev/shm/engine-test.XXXXXX";
        path = ::mkdtemp(name);
    }
    ~RamFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path, ignored);
    }
    RamFolder(const RamFolder&) = delete;
    RamFolder& operator=(const RamFolder&) = delete;
};

inline tuner::Load load_of(const std::string& json) {
    const auto load = tuner::load_from_json(json, "test");
    REQUIRE_MESSAGE(load.has_value(), (load ? std::string() : to_text(load.error())));
    return *load;
}

inline tuner::EngineOptions short_run(double seconds) {
    tuner::EngineOptions options;
    options.seconds = seconds;
    options.warmup_seconds = 0;
    options.cores = 2;
    return options;
}

inline void must_lay_out(const tuner::Load& load, const std::string& directory) {
    const auto done = tuner::lay_out(load, directory, short_run(1));
    REQUIRE_MESSAGE(done.has_value(), (done ? std::string() : to_text(done.error())));
}

inline tuner::SideResult must_run(const tuner::Load& load, const std::string& directory, double seconds) {
    auto result = tuner::run_single(load, directory, short_run(seconds));
    REQUIRE_MESSAGE(result.has_value(), (result ? std::string() : to_text(result.error())));
    return *result;
}

// Relative paths of everything below a folder, with the size of files.
inline std::map<std::string, std::uintmax_t> names_below(const std::string& folder) {
    std::map<std::string, std::uintmax_t> result;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
        const bool file = entry.is_regular_file() && !entry.is_symlink();
        const auto parent = std::filesystem::relative(entry.path().parent_path(), folder);
        result[(parent / entry.path().filename()).lexically_normal()] = file ? entry.file_size() : 0;
    }
    return result;
}

// A rate that a limit or a clock allows: never above it, and near it unless the machine has no time for the
// test.
inline bool keeps_rate(double rate, double limit) {
    CAPTURE(rate);
    return rate <= limit * 1.2 && rate >= limit * 0.4;
}

inline bool no_ring_here() {
    const auto probe = tuner::probe_engine();
    if (!probe) MESSAGE("SKIPPED: " << to_text(probe.error()));
    return !probe;
}

}  // namespace fsadvise::testing
