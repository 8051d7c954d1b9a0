#include "tuner/engine/worker.h"

#include <algorithm>
#include <bit>
#include <ctime>

#include <fcntl.h>
#include <unistd.h>

namespace fsadvise::tuner {
namespace {

// How long a worker sleeps before it looks whether the run was stopped.
constexpr std::int64_t kLongestSleepNs = 20'000'000;

void sleep_ns(std::int64_t ns) {
    const timespec duration{ns / 1'000'000'000, ns % 1'000'000'000};
    ::nanosleep(&duration, nullptr);
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
    FSADVISE_ASSIGN(worker->ring_, Ring::create(std::bit_ceil(std::max(depth, 4u))));
    worker->io_ = std::make_unique<Io>(*worker->ring_, worker->alone());
    worker->counters_.resize(sides.size());
    worker->parked_.resize(sides.size());
    worker->thinking_.resize(sides.size());
    worker->cursors_.resize(sides.size());
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
        const SetPlan& set = plan_.sets[step.set];
        const std::uint64_t largest = std::max(set.shape.size_bytes, set.shape.size_max_bytes);
        const std::uint64_t blocks =
            std::max<std::uint64_t>(1, largest / std::max<std::uint64_t>(1, step.block_bytes));
        choosers_.push_back({Zipf(set.shape.files, description.skew), Zipf(blocks, description.skew)});
        // Threads begin evenly spread over the files, or over the file if there are fewer files than threads.
        const auto index = static_cast<std::uint64_t>(thread),
                   threads = static_cast<std::uint64_t>(description.threads);
        Cursor cursor{index * set.shape.files / threads % set.shape.files, 0};
        if (set.shape.files < threads) cursor.block = blocks * index / threads;
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

void Worker::run_window(int side) {
    active_ = static_cast<std::size_t>(side);
    std::int64_t now = monotonic_ns();
    for (Thinker& thinker : thinking_[active_]) thinker.due_ns += now;
    auto waiting = std::move(parked_[active_]);
    parked_[active_].clear();
    running_ = static_cast<int>(waiting.size());
    for (const auto handle : waiting) handle.resume();

    for (;;) {
        // Yielding again puts an actor behind all others, so take only those that are there now.
        resumed_.swap(ready_);
        for (const auto handle : resumed_) handle.resume();
        resumed_.clear();
        std::int64_t wait_ns = -1;
        if (!thinking_[active_].empty() || running_ == 0) {
            now = monotonic_ns();
            const std::int64_t due = wake_thinkers(now);
            const std::int64_t deadline = control_.deadline_ns.load(std::memory_order_relaxed);
            if (running_ == 0 && (due < 0 || now >= deadline)) break;
            if (due >= 0 && now < deadline) {
                wait_ns = std::clamp<std::int64_t>(std::min(due, deadline) - now, 0, kLongestSleepNs);
            }
        }
        if (!ready_.empty()) wait_ns = 0;
        if (ring_->in_flight() > 0) {
            const int result = ring_->run_once(wait_ns);
            if (result < 0) {
                report(Error{ErrorCode::kRunFailed, "io_uring failed: " + errno_text(-result), {}, {}});
                if (ring_->in_flight() == 0) continue;
            }
        } else if (wait_ns > 0) {
            sleep_ns(wait_ns);
        }
    }
    now = monotonic_ns();
    for (Thinker& thinker : thinking_[active_])
        thinker.due_ns = std::max<std::int64_t>(0, thinker.due_ns - now);
}

void Worker::remove_created_files() {
    PathBuffer path;
    for (const auto& state : states_) {
        if (state->open_fd >= 0) ::close(std::exchange(state->open_fd, -1));
        for (std::size_t set = 0; set < plan_.sets.size(); ++set) {
            for (const CreatedFile& file : state->own[set].created) {
                plan_.sets[set].created_path(path, state->number, file);
                ::unlinkat(state->side.root(), path.data(), 0);
            }
            state->own[set].created.clear();
        }
    }
}

}  // namespace fsadvise::tuner
