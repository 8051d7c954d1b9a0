// The folder below which areas are mounted, owned and removed; leftovers of killed runs are swept.
#pragma once

#include <string>

#include "base/fd.h"
#include "base/result.h"

namespace fsadvise::tuner {

// Invariant: the directory exists and a lock on it is held, which tells other runs that its owner lives.
class WorkDirectory {
  public:
    // Below `parent`; empty means /run/fsadvise, or $TMPDIR where that cannot be made.
    // Errors: kUnavailable if the place is not writable or full.
    static Result<WorkDirectory> make(const std::string& parent);
    ~WorkDirectory();
    WorkDirectory(WorkDirectory&& other) noexcept = default;
    WorkDirectory& operator=(WorkDirectory&&) = delete;

    // A folder below it, made if absent.
    Result<std::string> folder(const std::string& name);
    [[nodiscard]] const std::string& path() const { return path_; }

  private:
    WorkDirectory(std::string path, Fd lock, std::string made_parent)
        : path_(std::move(path)), made_parent_(std::move(made_parent)), lock_(std::move(lock)) {}

    std::string path_;
    std::string made_parent_;  // removed with it; empty if it was there before
    Fd lock_;
};

// Where make() would put it. Errors: as make(), without touching anything.
Result<std::string> check_work_directory(const std::string& parent);

// Removes empty folders of runs whose process is gone and whose lock is free. Never removes a file.
void sweep_work_directories(const std::string& parent);

}  // namespace fsadvise::tuner
