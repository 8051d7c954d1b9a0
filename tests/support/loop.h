// A loop device over a sparse file in RAM, for tests. The file has no name and the device clears itself when
// this process ends, however it ends: a killed test leaves neither behind.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <fcntl.h>
#include <unistd.h>

#include "base/fd.h"
#include "tuner/target/loop_device.h"

namespace fsadvise::test {

class SparseLoop {
  public:
    explicit SparseLoop(std::uint64_t bytes, const std::string& name = "loop") {
        auto file = Fd::open("/dev/shm", O_TMPFILE | O_RDWR | O_EXCL, 0600);
        if (!file || ::ftruncate(file->get(), static_cast<off_t>(bytes)) != 0) return;
        auto loop = tuner::LoopDevice::attach(file->get(), "fsadvise-test-" + name, 0, bytes);
        if (loop) loop_.emplace(std::move(*loop));
    }

    // Empty if it could not be made.
    [[nodiscard]] std::string device() const { return loop_ ? loop_->path() : std::string(); }

  private:
    std::optional<tuner::LoopDevice> loop_;
};

// Why loop devices cannot be used here, or nothing.
inline std::optional<std::string> no_loop_devices() {
    if (::geteuid() != 0) return "formatting and mounting need root";
    if (::access("/dev/loop-control", W_OK) != 0) return "no loop devices here";
    return std::nullopt;
}

}  // namespace fsadvise::test
