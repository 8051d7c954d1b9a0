// A folder for the files of one test, removed with them.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>

namespace fsadvise::test {

class TemporaryFolder {
  public:
    explicit TemporaryFolder(const std::string& name)
        : path_(std::filesystem::temp_directory_path() /
                ("fsadvise-test-" + name + "-" + std::to_string(::getpid()))) {
        std::filesystem::remove_all(path_);
        std::filesystem::create_directories(path_);
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    // Full path of a new file with this content.
    [[nodiscard]] std::string write(const std::string& name, const std::string& content) const {
        std::ofstream(path_ / name, std::ios::binary) << content;
        return path_ / name;
    }
    [[nodiscard]] std::string path(const std::string& name) const { return path_ / name; }

  private:
    std::filesystem::path path_;
};

// The same in RAM, for scratch files and studies that must be quick; one a test program at a time.
struct MemoryFolder {
    std::filesystem::path path = "/dev/shm/fsadvise-test-" + std::to_string(::getpid());
    MemoryFolder() { std::filesystem::create_directories(path); }
    ~MemoryFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path, ignored);
    }
    MemoryFolder(const MemoryFolder&) = delete;
    MemoryFolder& operator=(const MemoryFolder&) = delete;
};

}  // namespace fsadvise::test
