// What the kernel said during one operation, from /dev/kmsg: the true reason of a refused mount.
//
// Source: Documentation/ABI/testing/dev-kmsg of the Linux kernel.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"

namespace fsadvise::tuner {

// Remembers the end of the log when made. Without permission to read it, there are simply no lines.
class KernelLog {
  public:
    KernelLog();
    // Messages since construction or the last call that name one of `subjects` (case does not matter), oldest
    // first.
    std::vector<std::string> lines_about(const std::vector<std::string>& subjects);

  private:
    Fd log_;
};

// Message of one record "6,339,5140900,-;text\n DICTIONARY=..."; empty if it has none. For tests.
std::string kernel_message(std::string_view record);

}  // namespace fsadvise::tuner
