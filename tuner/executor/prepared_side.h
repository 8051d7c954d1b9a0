// A configuration made real on one scratch area: formatted afresh, mounted, read back.
//
// Errors: kRunFailed names the step; a format or mount that silently differs from what was asked is an error
// too. Ownership: the mount is released with the side. Units: seconds, bytes.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/file_reader.h"
#include "space/read_back.h"
#include "space/spelling.h"
#include "tuner/target/target.h"

namespace fsadvise::tuner {

// What is needed to format and mount; nothing is owned.
struct Workshop {
    const Knowledge* knowledge = nullptr;
    Target* target = nullptr;
    ProcessRunner* runner = nullptr;
    const FileReader* files = nullptr;
};

struct PreparedSide {
    Configuration configuration;
    int area = 0;
    Commands commands;
    double format_seconds = 0, mount_seconds = 0;
    std::unique_ptr<Mount> mount;
    ReadBackResult read_back;

    // Where the load has its files.
    [[nodiscard]] std::string load_directory() const { return mount->directory() + "/load"; }
    [[nodiscard]] std::uint64_t used_bytes() const;
};

// Background initialisation is off: it is not part of the configuration under test and would disturb the run.
Result<PreparedSide> prepare_side(const Workshop& workshop, const Configuration& configuration, int area);

// Cuts the filesystem off in the middle of its work, as a crash of the machine would, and mounts it again:
// seconds of that mount, which replays the log. nullopt where the kernel cannot cut this filesystem off.
Result<std::optional<double>> crash_and_mount(const Workshop& workshop, PreparedSide& side);

// A fresh mount is the only cold cache that does not disturb the rest of the machine.
Result<void> mount_cold(const Workshop& workshop, PreparedSide& side);

}  // namespace fsadvise::tuner
