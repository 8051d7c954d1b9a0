// A thread with a ring and the actors of one stream, for each side `depth` of them. A window opens the gate
// of one side.
//
// Invariant: between windows no operation is in flight and every actor waits at its gate, thinks or waits for
// a signal. An actor that has begun a loop ends it within the window, but for thinking and waiting: what is
// left of a think step is thought in the side's next window. Threads: a worker belongs to one thread; only
// wake() may be called from others.
#pragma once

#include <array>
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

#include "base/fd.h"
#include "tuner/engine/actor.h"
#include "tuner/engine/coordination.h"
#include "tuner/engine/histogram.h"
#include "tuner/engine/payload.h"

namespace fsadvise::tuner {

std::int64_t monotonic_ns();

// What the controller and all workers share.
struct RunControl {
    std::atomic<std::int64_t> deadline_ns{0};  // of the window in hand; the past = end now
    std::atomic<std::int64_t> opened_ns{0};    // when it began
    // Of a side: time in earlier windows. Written between windows.
    std::array<std::int64_t, 2> elapsed_ns{};
    std::atomic<bool> aborted{false};  // no new operation at all
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

    // An actor to resume; `idle`: it was not counted as running (see coordination.h).
    struct Wake {
        std::coroutine_handle<> handle;
        bool idle = false;
    };
    // Resumes it in this worker's thread, in a window of the side. `from`: the worker that calls.
    void wake(std::size_t side, Wake actor, const Worker& from);

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
    // Time during which windows of the side in hand were open, and how long they were closed since the first
    // one.
    [[nodiscard]] std::int64_t side_time(std::int64_t now) const {
        return control_.elapsed_ns[active_] + now - control_.opened_ns.load(std::memory_order_relaxed);
    }
    [[nodiscard]] std::int64_t closed_ns() const { return closed_ns_[active_]; }

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
    struct Wait {
        Worker& worker;
        Signal& signal;
        bool await_ready() const noexcept { return false; }
        bool await_suspend(std::coroutine_handle<> handle) {
            // Counted before it is queued: the signal may come from another thread at once.
            ++worker.idle_[worker.active_];
            --worker.running_;
            if (!signal.take_or_queue({&worker, worker.active_, handle})) return true;
            --worker.idle_[worker.active_];
            ++worker.running_;
            return false;
        }
        void await_resume() const noexcept {}
    };
    // True: this actor leads the flush. False: its record has been forced.
    struct Commit {
        Worker& worker;
        GroupLog& log;
        std::uint64_t position;
        bool leads = false;
        bool await_ready() const noexcept { return false; }
        bool await_suspend(std::coroutine_handle<> handle) {
            const auto turn = log.enter(position, {&worker, worker.active_, handle}, &leads);
            // A queued actor may be woken from now on, but resumes in this thread.
            if (turn == GroupLog::Turn::kQueued) return true;
            leads = turn == GroupLog::Turn::kLeads;
            return false;
        }
        bool await_resume() const noexcept { return leads; }
    };
    Wait wait(Signal& signal) { return {*this, signal}; }
    Commit commit(GroupLog& log, std::uint64_t position) { return {*this, log, position}; }
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
    // Moves the actors that other threads have woken to the ready ones.
    void take_woken();
    void make_ready(std::size_t side, Wake actor);
    // Waits for an operation, for a wake-up or for the time; negative = no limit.
    void pause(std::int64_t wait_ns);

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
    std::vector<int> idle_;                  // a side: actors that wait for signals
    std::vector<std::int64_t> closed_ns_;    // a side: time between its windows
    std::vector<std::int64_t> last_end_ns_;  // a side: end of its last window, 0 = none
    std::size_t active_ = 0;
    int running_ = 0;  // actors neither at the gate nor thinking nor waiting for a signal

    bool coordinated_ = false;  // some step waits for other actors
    Fd wake_event_;             // readable when others have woken an actor of this worker
    Operation wake_operation_;
    bool watching_ = false;  // wake_operation_ is with the ring
    std::atomic<bool> has_woken_{false};
    std::mutex woken_mutex_;  // guards woken_
    std::vector<std::pair<std::size_t, Wake>> woken_;

    // Order of destruction: frames first, then what they point to, the ring last.
    std::unique_ptr<Ring> ring_;
    std::unique_ptr<Io> io_;
    std::vector<std::unique_ptr<ActorState>> states_;
    std::vector<Actor> actors_;
};

}  // namespace fsadvise::tuner
