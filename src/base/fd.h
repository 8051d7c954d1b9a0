// An owned file descriptor and whole-file reads and writes.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace fsadvise {

// Invariant: holds a descriptor it alone closes, or -1.
class Fd {
  public:
    Fd() = default;
    explicit Fd(int fd) : fd_(fd) {}
    Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    Fd& operator=(Fd&& other) noexcept {
        if (this != &other) {
            reset();
            fd_ = std::exchange(other.fd_, -1);
        }
        return *this;
    }
    Fd(const Fd&) = delete;
    Fd& operator=(const Fd&) = delete;
    ~Fd() { reset(); }

    // open(2) with O_CLOEXEC; the error's context is the path.
    static Result<Fd> open(const std::string& path, int flags, unsigned mode = 0);

    [[nodiscard]] int get() const { return fd_; }
    [[nodiscard]] bool valid() const { return fd_ >= 0; }
    int release() { return std::exchange(fd_, -1); }
    void reset();

  private:
    int fd_ = -1;
};

// Errors: kBadInput with the path as context. Bounds: refuses files above `limit_bytes`.
Result<std::string> read_file(const std::string& path, std::size_t limit_bytes = 256u << 20);
// Writes a temporary in the same folder, fsyncs, renames: a reader sees the old or the new file, never half
// of one. Keeps mode and owner of what it replaces; follows links; a device or FIFO is written to, never replaced.
Result<void> write_file_atomically(const std::string& path, std::string_view content);

}  // namespace fsadvise
