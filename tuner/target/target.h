// Scratch areas to format: two equal parts of a loop file or of an erased device, owned and always released.
//
// Safety: a device is touched only if named twice, not mounted, not held, not swap, without a signature (or with
// --overwrite-signature), and at least two minimum areas large. A scratch file must not exist or must begin with our
// marker (kScratchMarker in its first 4 KiB; areas start at 1 MiB). The file is unlinked once its loop devices are
// attached, and loop devices are set to auto-clear inside a private mount namespace: if the process is killed, the
// kernel unmounts, detaches and frees everything.
// Errors: kUsage for a device not named twice; kUnavailable for everything the machine forbids; each names the next step.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/process.h"
#include "base/result.h"
#include "space/spelling.h"

namespace fsadvise::tuner {

struct TargetRequest {
    std::string scratch_file;      // with size_bytes
    std::uint64_t size_bytes = 0;
    std::string device, erase;     // named twice
    bool overwrite_signature = false;
    std::string work_directory;    // where mount points are made; empty = /run/fsadvise or $TMPDIR
};

// A mounted filesystem; unmounts when destroyed.
class Mount {
  public:
    Mount(std::string directory, std::function<void()> release)
        : directory_(std::move(directory)), release_(std::move(release)) {}
    ~Mount() {
        if (release_) release_();
    }
    Mount(const Mount&) = delete;
    Mount& operator=(const Mount&) = delete;
    [[nodiscard]] const std::string& directory() const { return directory_; }

  private:
    std::string directory_;
    std::function<void()> release_;
};

class Target {
  public:
    virtual ~Target() = default;
    [[nodiscard]] virtual int areas() const = 0;                    // 2 (1 where there is room for one only)
    [[nodiscard]] virtual std::string area_device(int area) const = 0;  // /dev/loop3, /dev/vdb1
    [[nodiscard]] virtual std::uint64_t area_bytes() const = 0;
    // Formats the area with the real tool. The force flag is added here, where the area is known to be ours.
    // Errors: kRunFailed with the tool's own last line.
    virtual Result<double> format(int area, const Commands& commands, const std::vector<std::string>& force) = 0;
    // Mounts with mount(8) semantics; the error carries the kernel's log line where readable.
    virtual Result<std::unique_ptr<Mount>> mount(int area, const Commands& commands) = 0;
    // "a loop file on ext4 (/data)", "a loop file in RAM (tmpfs)", "the device /dev/nvme0n1 (Samsung 980)".
    [[nodiscard]] virtual std::string stands_for() const = 0;
    [[nodiscard]] virtual std::string medium() const = 0;  // "ram", "loop", "device"
};

// Checks and opens; nothing is written before all checks have passed.
Result<std::unique_ptr<Target>> open_target(const TargetRequest& request, ProcessRunner& runner);

// Checks only, for messages before a long run.
Result<void> check_target(const TargetRequest& request);

}  // namespace fsadvise::tuner
