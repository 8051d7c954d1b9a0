#include "tuner/engine/worker.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <ctime>

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <unistd.h>

namespace fsadvise::tuner {
namespace {

// How long a worker sleeps before it looks whether the run was stopped.
constexpr std::int64_t kLongestSleepNs = 20'000'000;

constexpr int kNotDone = INT32_MIN;

// Sleeps; returns early when the descriptor, which may be -1, becomes readable.
void sleep_ns(std::int64_t ns, int fd) {
    const timespec duration{ns / 1'000'000'000, ns % 1'000'000'000};
    pollfd event{fd, POLLIN, 0};
    ::ppoll(&event, fd < 0 ? 0 : 1, &duration, nullptr);
}

bool waits_for_others(const StepPlan& step) {
    return step.kind == StepKind::kCommit || step.kind == StepKind::kWait;
}

}  // namespace

std::int64_t monotonic_ns() {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

Worker::Worker(const LoadPlan& plan, std::size_t stream, std::uint64_t seed, RunControl& control)
    : plan_(plan), stream_(stream), seed_(seed), control_(control) {}

Result<std::unique_ptr<Worker>> Worker::create(const LoadPlan& plan, std::size_t stream, int thread,
                                               std::uint32_t first_actor, std::uint64_t seed,
                                               std::span<const std::unique_ptr<Side>> sides,
                                               RunControl& control) {
    std::unique_ptr<Worker> worker(new Worker(plan, stream, seed, control));
    const StreamPlan& description = plan.streams[stream];
    const auto depth = static_cast<std::uint32_t>(description.depth);
    worker->ring_ = Ring::none();
    if (!plan.plain_calls) {
        FSADVISE_ASSIGN(worker->ring_, Ring::create(std::bit_ceil(std::max(depth, 4u))));
    }
    worker->io_ = std::make_unique<Io>(*worker->ring_, worker->alone());
    worker->counters_.resize(sides.size());
    worker->parked_.resize(sides.size());
    worker->thinking_.resize(sides.size());
    worker->cursors_.resize(sides.size());
    worker->idle_.resize(sides.size());
    worker->closed_ns_.resize(sides.size());
    worker->last_end_ns_.resize(sides.size());
    const auto& steps = description.steps;
    worker->coordinated_ = std::any_of(steps.begin(), steps.end(), waits_for_others);
    if (worker->coordinated_) {
        worker->wake_event_ = Fd(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
        if (!worker->wake_event_.valid()) {
            return fail(ErrorCode::kUnavailable, "eventfd failed: " + errno_text(errno), {},
                        "raise the limit of open files: ulimit -n");
        }
    }
    // The default slack of 50 us would lengthen every think time and every start by the clock.
    ::prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
    worker->make_choosers(thread);
    for (std::uint32_t slot = 0; slot < depth; ++slot) {
        worker->buffers_.push_back(aligned_buffer(description.buffer_bytes));
        fill_payload(worker->buffers_.back().get(), description.buffer_bytes, description.compressible,
                     mix(seed, first_actor + slot));
    }
    for (std::size_t side = 0; side < sides.size(); ++side) {
        for (std::uint32_t slot = 0; slot < depth; ++slot) {
            worker->states_.push_back(
                std::make_unique<ActorState>(*worker, *sides[side], static_cast<int>(side),
                                             first_actor + slot, worker->buffers_[slot].get(), *worker->io_));
            worker->actors_.push_back(run_actor(*worker->states_.back()));
        }
    }
    // Bring every actor to its gate.
    for (std::size_t i = 0; i < worker->actors_.size(); ++i) {
        worker->active_ = i / depth;
        ++worker->running_;
        worker->actors_[i].start();
    }
    return worker;
}

void Worker::make_choosers(int thread) {
    const StreamPlan& description = stream();
    for (const StepPlan& step : description.steps) {
        if (is_idle(step.kind)) {
            choosers_.emplace_back();
            for (auto& cursors : cursors_) cursors.emplace_back();
            continue;
        }
        const SetPlan& set = plan_.sets[step.set];
        const std::uint64_t largest = step.touched(std::max(set.shape.size_bytes, set.shape.size_max_bytes));
        const std::uint64_t blocks =
            std::max<std::uint64_t>(1, largest / std::max<std::uint64_t>(1, step.grain));
        choosers_.push_back({Picker(step.files, description.skew), Picker(blocks, description.skew)});
        if (description.hot_accesses > 0) {
            // Few files: the hot blocks are a share of each. Many: the hot files are a share of them.
            const bool many = set.shape.files > kFewFiles;
            auto& picker = many ? choosers_.back().files : choosers_.back().blocks;
            picker = Picker::hot_spot(many ? step.files : blocks, description.hot_accesses,
                                      description.hot_blocks);
        }
        // Threads begin evenly spread over the files, or over the file if there are fewer files than threads.
        const auto index = static_cast<std::uint64_t>(thread),
                   threads = static_cast<std::uint64_t>(description.threads);
        Cursor cursor{index * step.files / threads % step.files, 0};
        if (step.files < threads) cursor.offset = blocks * index / threads * step.grain;
        for (auto& cursors : cursors_) cursors.push_back(cursor);
    }
}

void Worker::reset_counters() {
    for (Counters& counters : counters_) counters = Counters();
}

std::int64_t Worker::wake_thinkers(std::int64_t now) {
    auto& thinkers = thinking_[active_];
    std::int64_t next = -1;
    for (std::size_t i = 0; i < thinkers.size();) {
        if (thinkers[i].due_ns <= now && !window_over(now)) {
            const auto handle = thinkers[i].handle;
            thinkers[i] = thinkers.back();
            thinkers.pop_back();
            ++running_;
            handle.resume();
            continue;
        }
        if (next < 0 || thinkers[i].due_ns < next) next = thinkers[i].due_ns;
        ++i;
    }
    return next;
}

void Worker::wake(std::size_t side, Wake actor, const Worker& from) {
    if (&from == this) return make_ready(side, actor);
    {
        const std::lock_guard lock(woken_mutex_);
        woken_.emplace_back(side, actor);
        has_woken_ = true;
    }
    const std::uint64_t one = 1;
    // It fails only when the counter is full, and then the other thread is woken anyway.
    [[maybe_unused]] const ssize_t written = ::write(wake_event_.get(), &one, sizeof one);
}

void Worker::make_ready(std::size_t side, Wake actor) {
    if (actor.idle) {
        --idle_[side];
        ++running_;
    }
    ready_.push_back(actor.handle);
}

void Worker::take_woken() {
    if (!has_woken_) return;
    std::uint64_t count = 0;
    [[maybe_unused]] const ssize_t got = ::read(wake_event_.get(), &count, sizeof count);
    const std::lock_guard lock(woken_mutex_);
    has_woken_ = false;
    // What belongs to the other side stays until its window.
    const auto other = std::stable_partition(woken_.begin(), woken_.end(),
                                             [&](const auto& woken) { return woken.first == active_; });
    for (auto woken = woken_.begin(); woken != other; ++woken) make_ready(active_, woken->second);
    woken_.erase(woken_.begin(), other);
}

void Worker::pause(std::int64_t wait_ns) {
    // A stopped run must be seen even if nobody wakes this worker any more.
    if (coordinated_ && wait_ns < 0) wait_ns = kLongestSleepNs;
    if (watching_ && wake_operation_.result != kNotDone) watching_ = false;
    if (ring_->in_flight() == (watching_ ? 1u : 0u)) {
        if (wait_ns > 0) sleep_ns(wait_ns, wake_event_.get());
        return;
    }
    if (coordinated_ && !watching_ && wait_ns != 0) {
        wake_operation_ = Operation{{}, kNotDone};
        ring_->watch(wake_event_.get(), wake_operation_);
        watching_ = true;
    }
    const int result = ring_->run_once(wait_ns);
    if (result < 0) report(Error{ErrorCode::kRunFailed, "io_uring failed: " + errno_text(-result), {}, {}});
}

void Worker::run_window(int side) {
    active_ = static_cast<std::size_t>(side);
    std::int64_t now = monotonic_ns();
    if (last_end_ns_[active_] != 0) closed_ns_[active_] += now - last_end_ns_[active_];
    for (Thinker& thinker : thinking_[active_]) thinker.due_ns += now;
    auto waiting = std::move(parked_[active_]);
    parked_[active_].clear();
    running_ = static_cast<int>(waiting.size());
    has_woken_ = coordinated_;
    for (const auto handle : waiting) handle.resume();

    for (;;) {
        take_woken();
        // Yielding again puts an actor behind all others, so take only those that are there now.
        resumed_.swap(ready_);
        for (const auto handle : resumed_) handle.resume();
        resumed_.clear();
        std::int64_t wait_ns = -1;
        if (!thinking_[active_].empty() || running_ == 0) {
            now = monotonic_ns();
            const std::int64_t due = wake_thinkers(now);
            const std::int64_t deadline = control_.deadline_ns.load(std::memory_order_relaxed);
            const bool nothing_comes = due < 0 && idle_[active_] == 0;
            if (running_ == 0 && ready_.empty() && (nothing_comes || now >= deadline)) break;
            if (now < deadline && (due >= 0 || running_ == 0)) {
                const std::int64_t until = due >= 0 ? std::min(due, deadline) : deadline;
                wait_ns = std::clamp<std::int64_t>(until - now, 0, kLongestSleepNs);
            }
        }
        if (!ready_.empty()) wait_ns = 0;
        pause(wait_ns);
    }
    now = monotonic_ns();
    last_end_ns_[active_] = now;
    for (Thinker& thinker : thinking_[active_])
        thinker.due_ns = std::max<std::int64_t>(0, thinker.due_ns - now);
}

void Worker::remove_created_files() {
    PathBuffer path;
    for (const auto& state : states_) {
        if (state->open_fd >= 0) ::close(std::exchange(state->open_fd, -1));
        for (std::size_t set = 0; set < plan_.sets.size(); ++set) {
            OwnFiles& own = state->own[set];
            for (auto* names : {&own.created, &own.symlinks, &own.directories}) {
                const int flags = names == &own.directories ? AT_REMOVEDIR : 0;
                for (const CreatedFile& file : *names) {
                    plan_.sets[set].created_path(path, state->number, file);
                    ::unlinkat(state->side.root(), path.data(), flags);
                }
                names->clear();
            }
        }
    }
}

}  // namespace fsadvise::tuner
