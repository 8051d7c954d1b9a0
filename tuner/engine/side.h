// One side of a run: a directory with the file sets of a plan, those of few files held open.
//
// Threads: read by all workers; tails are atomic, the coordination is safe for threads. Errors: kRunFailed
// with file and errno.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/fd.h"
#include "tuner/engine/coordination.h"
#include "tuner/engine/plan.h"

namespace fsadvise::tuner {

class Side {
  public:
    static Result<std::unique_ptr<Side>> open(const LoadPlan& plan, const std::string& directory);

    [[nodiscard]] int root() const { return root_.get(); }
    [[nodiscard]] const std::string& directory() const { return directory_; }
    // `way`: StreamPlan::handle_class().
    [[nodiscard]] bool has_handles(std::size_t set, std::size_t way) const {
        return !sets_[set].files[way].empty();
    }
    // Of a set that has handles.
    [[nodiscard]] int handle(std::size_t set, std::uint64_t file, std::size_t way) const {
        return sets_[set].files[way][file].get();
    }
    [[nodiscard]] std::uint64_t size(std::size_t set, std::uint64_t file) const {
        return sets_[set].sizes[file];
    }
    // Where the next append to the file goes.
    [[nodiscard]] std::atomic<std::uint64_t>& tail(std::size_t set, std::uint64_t file) {
        return sets_[set].tails[file];
    }

    [[nodiscard]] Signal& signal(std::size_t index) { return *signals_[index]; }
    // Of a set that some stream commits to.
    [[nodiscard]] GroupLog& log(std::size_t set) { return *logs_[set]; }
    [[nodiscard]] Pace& pace(std::size_t stream) { return *paces_[stream]; }

  private:
    struct Handles {
        std::array<std::vector<Fd>, kHandleClasses> files;
        std::vector<std::uint64_t> sizes;
        std::unique_ptr<std::atomic<std::uint64_t>[]> tails;
    };
    Result<void> open_set(const SetPlan& set, Handles& handles, const std::vector<int>& ways);
    Result<Fd> open_file(const SetPlan& set, std::uint64_t index, int flags);
    void make_coordination(const LoadPlan& plan);

    Fd root_;
    std::string directory_;
    std::vector<Handles> sets_;
    std::vector<std::unique_ptr<Signal>> signals_;
    std::vector<std::unique_ptr<GroupLog>> logs_;  // a set; null: no commit steps
    std::vector<std::unique_ptr<Pace>> paces_;     // a stream
};

// Where appends to a file begin, and the length at which it is cut back (a log that is rotated).
struct AppendRange {
    std::uint64_t begin = 0, limit = 0;
};
AppendRange append_range(const SetPlan& set, std::uint64_t size);

}  // namespace fsadvise::tuner
