// Loop devices over a range of a file or block device, owned and always detached.
//
// The device clears itself when its last opener closes it (LO_FLAGS_AUTOCLEAR): closing here, unmounting, or
// being killed. Source: loop(4), <linux/loop.h>; LOOP_CONFIGURE is there from Linux 5.8 on.
#pragma once

#include <cstdint>
#include <string>

#include "base/fd.h"
#include "base/result.h"

namespace fsadvise::tuner {

// Invariant: the loop device exists and is ours as long as this object does.
class LoopDevice {
  public:
    // Attaches [offset_bytes, offset_bytes + size_bytes) of an open, writable file. `label` is shown by
    // losetup. Direct I/O to the backing file is used where its filesystem supports it, so that data is
    // cached once, not twice. Errors: kUnavailable if there is no free loop device or no loop driver.
    static Result<LoopDevice> attach(int backing_fd, const std::string& label, std::uint64_t offset_bytes,
                                     std::uint64_t size_bytes);

    [[nodiscard]] const std::string& path() const { return path_; }
    [[nodiscard]] bool direct_io() const { return direct_io_; }
    [[nodiscard]] Fd release_descriptor() { return std::move(keeper_); }

  private:
    LoopDevice(Fd keeper, std::string path, bool direct_io)
        : keeper_(std::move(keeper)), path_(std::move(path)), direct_io_(direct_io) {}

    Fd keeper_;  // read-only: kernels built to protect mounted devices refuse to mount while one is open for
                 // writing
    std::string path_;
    bool direct_io_ = false;
};

}  // namespace fsadvise::tuner
