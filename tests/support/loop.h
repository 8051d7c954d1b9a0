// A loop device over a sparse file in RAM, for tests; detached and removed when it goes out of scope.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include <unistd.h>

#include "base/process.h"
#include "base/text.h"

namespace fsadvise::test {

class SparseLoop {
  public:
    explicit SparseLoop(std::uint64_t bytes, const std::string& name = "loop") {
        file_ = "/dev/shm/fsadvise-test-" + name + "-" + std::to_string(::getpid());
        SystemProcessRunner runner;
        std::filesystem::remove(file_);
        const auto made = runner.run({{"truncate", "-s", std::to_string(bytes), file_}, {}});
        if (!made || !made->ok()) return;
        const auto attached = runner.run({{"losetup", "-f", "--show", file_}, {}});
        if (attached && attached->ok()) device_ = std::string(trim(attached->output));
    }
    ~SparseLoop() {
        SystemProcessRunner runner;
        if (!device_.empty()) (void)runner.run({{"losetup", "-d", device_}, {}});
        std::filesystem::remove(file_);
    }
    SparseLoop(const SparseLoop&) = delete;
    SparseLoop& operator=(const SparseLoop&) = delete;

    [[nodiscard]] const std::string& device() const { return device_; }  // empty if it could not be made

  private:
    std::string file_, device_;
};

// Why loop devices cannot be used here, or nothing.
inline std::optional<std::string> no_loop_devices() {
    if (::geteuid() != 0) return "formatting and mounting need root";
    if (::access("/dev/loop-control", W_OK) != 0) return "no loop devices here";
    return std::nullopt;
}

}  // namespace fsadvise::test
