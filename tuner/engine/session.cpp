#include "tuner/engine/session.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <utility>

#include <unistd.h>

#include "tuner/engine/failure.h"

namespace fsadvise::tuner {
namespace {

constexpr std::chrono::milliseconds kStopPoll{50};

// The process clock and not the sum of the workers' thread clocks: it includes the kernel threads that
// io_uring starts for this process, whose work would otherwise be free. Only one side runs at a time, so the
// difference over a window belongs to that side.
std::int64_t process_cpu_ns() {
    timespec now{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

Result<std::unique_ptr<Session>> Session::start(const Load& load, const std::vector<std::string>& directories,
                                                const EngineOptions& options) {
    std::unique_ptr<Session> session(new Session(load, options));
    EngineOptions planned = options;
    planned.plain_calls = options.plain_calls || !probe_engine();
    FSADVISE_ASSIGN(session->plan_, make_plan(load, planned));
    for (const std::string& directory : directories) {
        FSADVISE_ASSIGN(auto side, Side::open(session->plan_, directory));
        session->sides_.push_back(std::move(side));
    }
    FSADVISE_TRY(session->start_workers());
    return session;
}

Result<void> Session::start_workers() {
    std::size_t count = 0;
    for (const StreamPlan& stream : plan_.streams) count += static_cast<std::size_t>(stream.threads);
    workers_.resize(count);
    began_ns_.resize(count);
    ended_ns_.resize(count);
    busy_ = count;  // each reports itself ready, with its ring made in its own thread
    std::size_t index = 0;
    std::uint32_t first_actor = 0;
    for (std::size_t stream = 0; stream < plan_.streams.size(); ++stream) {
        for (int thread = 0; thread < plan_.streams[stream].threads; ++thread) {
            threads_.emplace_back(
                [this, index, stream, thread, first_actor] { serve(index, stream, thread, first_actor); });
            ++index;
            first_actor += static_cast<std::uint32_t>(plan_.streams[stream].depth);
        }
    }
    wait_until_idle(false);
    const std::lock_guard lock(control_.mutex);
    if (control_.error) return tl::unexpected(*control_.error);
    return {};
}

Session::~Session() {
    command(kCommandQuit);
    threads_.clear();
}

void Session::serve(std::size_t index, std::size_t stream, int thread, std::uint32_t first_actor) {
    auto created = Worker::create(plan_, stream, thread, first_actor, options_.seed, sides_, control_);
    if (!created) control_.report(std::move(created.error()));
    std::unique_ptr<Worker> worker = created ? std::move(*created) : nullptr;
    std::unique_lock lock(mutex_);
    workers_[index] = std::move(worker);
    for (std::uint64_t seen = epoch_;; seen = epoch_) {
        if (--busy_ == 0) idle_.notify_one();
        commanded_.wait(lock, [&] { return epoch_ != seen; });
        const int side = command_;
        if (side == kCommandQuit) break;
        Worker* mine = workers_[index].get();
        const bool runs = side == kCommandCleanUp || plan_.phases[phase_].runs[stream];
        if (mine == nullptr || !runs) continue;
        // The first worker to wake opens the window: on a busy machine that may be late.
        if (!std::exchange(window_open_, true)) {
            control_.opened_ns = monotonic_ns();
            control_.deadline_ns = control_.opened_ns + window_ns_;
        }
        lock.unlock();
        if (side == kCommandCleanUp) {
            mine->remove_created_files();
        } else {
            began_ns_[index] = monotonic_ns();
            mine->run_window(side);
            ended_ns_[index] = monotonic_ns();
        }
        lock.lock();
    }
    // The ring is taken down in the thread that made it.
    worker = std::move(workers_[index]);
    lock.unlock();
}

void Session::command(int side, std::int64_t window_ns) {
    const std::lock_guard lock(mutex_);
    command_ = side;
    window_ns_ = window_ns;
    window_open_ = false;
    std::fill(began_ns_.begin(), began_ns_.end(), INT64_MAX);
    std::fill(ended_ns_.begin(), ended_ns_.end(), 0);
    busy_ = workers_.size();
    ++epoch_;
    commanded_.notify_all();
}

void Session::wait_until_idle(bool poll_stop) {
    std::unique_lock lock(mutex_);
    while (!idle_.wait_for(lock, kStopPoll, [&] { return busy_ == 0; })) {
        if (!poll_stop || stopped_ || !options_.stop) continue;
        lock.unlock();
        const bool stop = options_.stop();
        lock.lock();
        if (stop) {
            stopped_ = true;
            window_ns_ = 0;
            control_.deadline_ns = 0;
        }
    }
}

bool Session::counts(const Worker& worker) const {
    return plan_.phases[phase_].counts[worker.stream_index()];
}

Window Session::counted(int side) {
    Window total;
    for (const auto& worker : workers_) {
        const Counters& counters = worker->counters(side);
        if (counts(*worker)) total.operations += counters.operations;
        total.bytes += counters.read_bytes + counters.written_bytes;
    }
    return total;
}

void Session::set_phase(std::size_t phase) {
    const auto& before = plan_.phases[phase_].runs;
    for (std::size_t stream = 0; stream < plan_.streams.size(); ++stream) {
        // A stream that stood still owes nothing for that time.
        if (phase_ == phase || before[stream]) continue;
        for (std::size_t side = 0; side < sides_.size(); ++side) {
            sides_[side]->pace(stream).restart(control_.elapsed_ns[side]);
        }
    }
    phase_ = phase;
}

Result<Window> Session::run_window(int side, double seconds) {
    if (!stopped_ && options_.stop && options_.stop()) stopped_ = true;
    Window window;
    if (stopped_) return window;
    const Window before = counted(side);
    const std::int64_t cpu_before = process_cpu_ns();
    command(side, static_cast<std::int64_t>(seconds * 1e9));
    wait_until_idle(true);
    std::int64_t ended = *std::max_element(ended_ns_.begin(), ended_ns_.end());
    if (load_.flush_in_window && !control_.aborted) {
        const Side& flushed = *sides_[static_cast<std::size_t>(side)];
        if (::syncfs(flushed.root()) != 0)
            control_.report(operation_error("syncfs", flushed.directory(), "", errno));
        ended = monotonic_ns();
    }
    window.cpu_seconds = static_cast<double>(process_cpu_ns() - cpu_before) * 1e-9;
    window.seconds =
        static_cast<double>(ended - *std::min_element(began_ns_.begin(), began_ns_.end())) * 1e-9;
    control_.elapsed_ns[static_cast<std::size_t>(side)] += ended - control_.opened_ns;
    const Window after = counted(side);
    window.operations = after.operations - before.operations;
    window.bytes = after.bytes - before.bytes;
    if (control_.aborted) clean_up();
    const std::lock_guard lock(control_.mutex);
    if (control_.error) return tl::unexpected(*control_.error);
    return window;
}

void Session::reset() {
    for (const auto& worker : workers_) worker->reset_counters();
}

SideResult Session::totals(int side) {
    SideResult result;
    for (const auto& worker : workers_) {
        const Counters& counters = worker->counters(side);
        if (counts(*worker)) {
            result.operations += counters.operations;
            result.latency.merge(counters.latency);
        }
        result.read_bytes += counters.read_bytes;
        result.written_bytes += counters.written_bytes;
        result.sync_latency.merge(counters.sync_latency);
    }
    return result;
}

Histogram Session::latency(int side) {
    Histogram result;
    for (const auto& worker : workers_) {
        if (counts(*worker)) result.merge(worker->counters(side).latency);
    }
    return result;
}

void Session::clean_up() {
    if (stopped_ || std::exchange(cleaned_, true)) return;
    command(kCommandCleanUp);
    wait_until_idle(false);
}

}  // namespace fsadvise::tuner
