// The threads of one run and the windows they work in: what run_single and run_duet share.
//
// Threads: the caller's thread controls; one thread a worker; all are joined by the destructor.
// Errors: the first failed operation, after which no window runs any more.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tuner/engine/engine.h"
#include "tuner/engine/plan.h"
#include "tuner/engine/side.h"
#include "tuner/engine/worker.h"

namespace fsadvise::tuner {

struct Window {
    std::uint64_t operations = 0;  // of the counting streams
    std::uint64_t bytes = 0;       // read and written, of all streams
    double seconds = 0;            // until the last operation, and the flush, had ended
    double cpu_seconds = 0;        // of this process, the kernel's io_uring workers included
};

class Session {
  public:
    static Result<std::unique_ptr<Session>> start(const Load& load,
                                                  const std::vector<std::string>& directories,
                                                  const EngineOptions& options);
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    [[nodiscard]] const LoadPlan& plan() const { return plan_; }
    // The streams that run from now on; call between windows. The first phase is set at the start.
    void set_phase(std::size_t phase);
    // One window of one side. A stop request shortens it. An error has removed what the run created.
    Result<Window> run_window(int side, double seconds);
    [[nodiscard]] bool stopped() const { return stopped_; }
    // Forgets what was counted so far.
    void reset();
    // Counters of a side since reset(), all workers together; seconds, cpu and windows are the caller's.
    SideResult totals(int side);
    Histogram latency(int side);
    // Removes the files that the run created; call after the last window.
    void clean_up();

  private:
    Session(const Load& load, const EngineOptions& options) : load_(load), options_(options) {}
    Result<void> start_workers();
    void serve(std::size_t index, std::size_t stream, int thread, std::uint32_t first_actor);
    // A side to run, or one of the kCommand values.
    void command(int side, std::int64_t window_ns = 0);
    void wait_until_idle(bool poll_stop);
    Window counted(int side);
    [[nodiscard]] bool counts(const Worker& worker) const;

    static constexpr int kCommandQuit = -1, kCommandCleanUp = -2;

    const Load& load_;
    const EngineOptions& options_;
    LoadPlan plan_;
    std::vector<std::unique_ptr<Side>> sides_;
    RunControl control_;
    std::vector<std::unique_ptr<Worker>> workers_;
    std::vector<std::int64_t> began_ns_, ended_ns_;  // of the window, a worker
    bool stopped_ = false;
    bool cleaned_ = false;
    std::size_t phase_ = 0;  // read by the workers in a window, set between windows

    std::mutex mutex_;  // guards what follows
    std::condition_variable commanded_, idle_;
    std::uint64_t epoch_ = 0;
    int command_ = 0;
    std::size_t busy_ = 0;
    std::int64_t window_ns_ = 0;
    bool window_open_ = false;
    std::vector<std::jthread> threads_;
};

}  // namespace fsadvise::tuner
