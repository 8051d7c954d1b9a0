// A thread with a ring and the actors of one stream, for each side `depth` of them. A window opens the gate
// of one side.
//
// Invariant: between windows no operation is in flight and every actor waits at its gate or thinks. An actor
// that has begun a loop ends it within the window, but for thinking: what is left of a think step is thought
// in the side's next window.
#pragma once

#include <atomic>
#include <coroutine>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tuner/engine/actor.h"
#include "tuner/engine/histogram.h"
#include "tuner/engine/payload.h"

namespace fsadvise::tuner {

std::int64_t monotonic_ns();

// What the controller and all workers share.
struct RunControl {
    std::atomic<std::int64_t> deadline_ns{0};  // of the window in hand; the past = end now
    std::atomic<bool> aborted{false};          // no new operation at all
    std::mutex mutex;
    std::optional<Error> error;  // the first

    void report(Error failure) {
        const std::lock_guard lock(mutex);
        if (!error) error = std::move(failure);
        aborted = true;
        deadline_ns = 0;
    }
};

struct Counters {
    std::uint64_t operations = 0, read_bytes = 0, written_bytes = 0;
    Histogram latency, sync_latency;
};

class Worker {
  public:
    // Called in the thread that runs the windows: a ring has a single issuer.
    static Result<std::unique_ptr<Worker>> create(const LoadPlan& plan, std::size_t stream, int thread,
                                                  std::uint32_t first_actor, std::uint64_t seed,
                                                  std::span<const std::unique_ptr<Side>> sides,
                                                  RunControl& control);

    // Runs the actors of the side until the deadline and until all have ended their loops.
    void run_window(int side);

    [[nodiscard]] Counters& counters(int side) { return counters_[static_cast<std::size_t>(side)]; }
    void reset_counters();
    // Removes what the actors created.
    void remove_created_files();

    // For actors.
    [[nodiscard]] const LoadPlan& plan() const { return plan_; }
    [[nodiscard]] const StreamPlan& stream() const { return plan_.streams[stream_]; }
    [[nodiscard]] const StepChooser& chooser(std::size_t step) const { return choosers_[step]; }
    [[nodiscard]] Cursor& shared_cursor(int side, std::size_t step) {
        return cursors_[static_cast<std::size_t>(side)][step];
    }
    [[nodiscard]] std::uint64_t seed() const { return seed_; }
    [[nodiscard]] std::size_t stream_index() const { return stream_; }
    [[nodiscard]] bool alone() const { return stream().depth == 1; }
    [[nodiscard]] bool window_over(std::int64_t now) const {
        return now >= control_.deadline_ns.load(std::memory_order_relaxed);
    }
    [[nodiscard]] bool aborted() const { return control_.aborted.load(std::memory_order_relaxed); }
    void report(Error error) { control_.report(std::move(error)); }

    struct Gate {
        Worker& worker;
        bool await_ready() const noexcept { return false; }
        void await_suspend(std::coroutine_handle<> handle) {
            worker.parked_[worker.active_].push_back(handle);
            --worker.running_;
        }
        void await_resume() const noexcept {}
    };
    struct Think {
        Worker& worker;
        std::int64_t ns;
        bool await_ready() const noexcept { return false; }
        void await_suspend(std::coroutine_handle<> handle) {
            worker.thinking_[worker.active_].push_back({monotonic_ns() + ns, handle});
            --worker.running_;
        }
        void await_resume() const noexcept {}
    };
    struct Yield {
        Worker& worker;
        bool await_ready() const noexcept { return false; }
        void await_suspend(std::coroutine_handle<> handle) { worker.ready_.push_back(handle); }
        void await_resume() const noexcept {}
    };
    Gate gate() { return {*this}; }
    Think think(std::int64_t ns) { return {*this, ns}; }
    Yield yield() { return {*this}; }

  private:
    struct Thinker {
        std::int64_t due_ns;  // between windows: what is left
        std::coroutine_handle<> handle;
    };
    Worker(const LoadPlan& plan, std::size_t stream, std::uint64_t seed, RunControl& control);
    void make_choosers(int thread);
    // Resumes thinkers whose time has come; returns when the next is due, or -1.
    std::int64_t wake_thinkers(std::int64_t now);

    const LoadPlan& plan_;
    const std::size_t stream_;
    const std::uint64_t seed_;
    RunControl& control_;
    std::vector<Counters> counters_;
    std::vector<StepChooser> choosers_;
    std::vector<std::vector<Cursor>> cursors_;  // a side, a step
    std::vector<Buffer> buffers_;               // a slot; the sides never run at the same time
    std::vector<std::vector<std::coroutine_handle<>>> parked_;
    std::vector<std::vector<Thinker>> thinking_;
    std::vector<std::coroutine_handle<>> ready_, resumed_;
    std::size_t active_ = 0;
    int running_ = 0;  // actors neither at the gate nor thinking
    // Order of destruction: frames first, then what they point to, the ring last.
    std::unique_ptr<Ring> ring_;
    std::unique_ptr<Io> io_;
    std::vector<std::unique_ptr<ActorState>> states_;
    std::vector<Actor> actors_;
};

}  // namespace fsadvise::tuner
