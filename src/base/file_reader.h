// Reads of sysfs, procfs and /etc behind an interface: a captured tree is a test fixture and a support
// bundle.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace fsadvise {

class FileReader {
  public:
    virtual ~FileReader() = default;
    // Whole content, or nullopt if the file is absent or unreadable. Absent means unknown, never zero.
    virtual std::optional<std::string> read(const std::string& path) const = 0;
    // Names in a directory, sorted; empty if absent.
    virtual std::vector<std::string> list(const std::string& path) const = 0;
    // Target of a symbolic link, or nullopt.
    virtual std::optional<std::string> link(const std::string& path) const = 0;
};

// The machine's files, below an optional root directory.
class SystemFileReader final : public FileReader {
  public:
    explicit SystemFileReader(std::string root = {}) : root_(std::move(root)) {}
    std::optional<std::string> read(const std::string& path) const override;
    std::vector<std::string> list(const std::string& path) const override;
    std::optional<std::string> link(const std::string& path) const override;

  private:
    std::string root_;
};

// In-memory files; records every path asked for.
class FakeFileReader final : public FileReader {
  public:
    std::map<std::string, std::string> files;
    std::map<std::string, std::string> links;
    mutable std::vector<std::string> accesses;
    std::optional<std::string> read(const std::string& path) const override;
    std::vector<std::string> list(const std::string& path) const override;
    std::optional<std::string> link(const std::string& path) const override;
};

}  // namespace fsadvise
