// One side of a run: a directory with the file sets of a plan, those of few files held open.
//
// Threads: read by all workers; tails are atomic. Errors: kRunFailed with file and errno.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/fd.h"
#include "tuner/engine/plan.h"

namespace fsadvise::tuner {

class Side {
  public:
    static Result<std::unique_ptr<Side>> open(const LoadPlan& plan, const std::string& directory);

    [[nodiscard]] int root() const { return root_.get(); }
    [[nodiscard]] const std::string& directory() const { return directory_; }
    [[nodiscard]] bool has_handles(std::size_t set, bool direct) const {
        return !(direct ? sets_[set].direct : sets_[set].buffered).empty();
    }
    // Of a set that has handles.
    [[nodiscard]] int handle(std::size_t set, std::uint64_t file, bool direct) const {
        return (direct ? sets_[set].direct : sets_[set].buffered)[file].get();
    }
    [[nodiscard]] std::uint64_t size(std::size_t set, std::uint64_t file) const {
        return sets_[set].sizes[file];
    }
    // Where the next append to the file goes.
    [[nodiscard]] std::atomic<std::uint64_t>& tail(std::size_t set, std::uint64_t file) {
        return sets_[set].tails[file];
    }

  private:
    struct Handles {
        std::vector<Fd> buffered, direct;
        std::vector<std::uint64_t> sizes;
        std::unique_ptr<std::atomic<std::uint64_t>[]> tails;
    };
    Result<void> open_set(const SetPlan& set, Handles& handles, bool buffered, bool direct);
    Result<Fd> open_file(const SetPlan& set, std::uint64_t index, int flags);

    Fd root_;
    std::string directory_;
    std::vector<Handles> sets_;
};

// Where appends to a file begin, and the length at which it is cut back (a log that is rotated).
struct AppendRange {
    std::uint64_t begin = 0, limit = 0;
};
AppendRange append_range(const SetPlan& set, std::uint64_t size);

}  // namespace fsadvise::tuner
