// Runs a program under another kernel, as a process: Debian's user-mode-linux with the machine's own files as
// its root.
//
// For what this kernel cannot do (F2FS, an older release) and for users who are not root: inside the guest
// the program is root over loop devices in the guest's own memory, and sees the host's files with the
// caller's rights. The guest has its own /dev, /proc, /run and /dev/shm, and ends when the program ends.
// Errors: kUnavailable names the missing Debian package, or says that the guest did not start; kRunFailed
// after the time
//         limit. Bounds: one processor, `memory_bytes`, output as ProcessRunner bounds it.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "base/process.h"

namespace fsadvise::tuner {

struct GuestRequest {
    std::vector<std::string> argv;  // argv[0] is an absolute path
    std::uint64_t memory_bytes = 3ull << 30;
    std::chrono::milliseconds timeout{1'800'000};
};

struct GuestResult {
    std::string kernel;  // "6.1.176"
    ProcessResult program;
};

// Errors: kUnavailable with the packages to install.
Result<void> check_guest(ProcessRunner& runner);
Result<GuestResult> run_in_guest(ProcessRunner& runner, const GuestRequest& request);

}  // namespace fsadvise::tuner
