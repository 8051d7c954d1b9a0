#include "tuner/engine/coordination.h"

#include <algorithm>

#include "tuner/engine/random.h"
#include "tuner/engine/worker.h"

namespace fsadvise::tuner {
namespace {

constexpr std::uint64_t kLogBuffer = 256 * 1024;

}  // namespace

void Signal::give(Worker& giver) {
    Waiter next;
    {
        const std::lock_guard lock(mutex_);
        if (waiters_.empty()) {
            ++count_;
            return;
        }
        next = waiters_.front();
        waiters_.pop_front();
    }
    next.worker->wake(next.side, {next.handle, true}, giver);
}

bool Signal::take_or_queue(const Waiter& waiter) {
    const std::lock_guard lock(mutex_);
    if (count_ > 0) {
        --count_;
        return true;
    }
    waiters_.push_back(waiter);
    return false;
}

GroupLog::GroupLog(std::uint64_t file_bytes, std::uint64_t page_bytes, std::uint64_t files,
                   double compressible, std::uint64_t seed)
    : page_bytes_(page_bytes),
      file_bytes_(std::max(page_bytes, file_bytes / page_bytes * page_bytes)),
      files_(files),
      buffer_bytes_(std::max(page_bytes, kLogBuffer / page_bytes * page_bytes)),
      buffer_(aligned_buffer(buffer_bytes_)),
      stamp_(mix(seed)) {
    fill_payload(buffer_.get(), buffer_bytes_, compressible, seed);
}

std::uint64_t GroupLog::insert(std::uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    return inserted_ += bytes;
}

GroupLog::Turn GroupLog::enter(std::uint64_t position, const Waiter& waiter, bool* leads) {
    const std::lock_guard lock(mutex_);
    if (forced_ >= position) return Turn::kServed;
    if (!busy_) {
        busy_ = true;
        return Turn::kLeads;
    }
    queue_.push_back({position, waiter, leads});
    return Turn::kQueued;
}

GroupLog::Range GroupLog::begin_flush() {
    const std::lock_guard lock(mutex_);
    return {forced_ / page_bytes_ * page_bytes_, (inserted_ + page_bytes_ - 1) / page_bytes_ * page_bytes_,
            inserted_};
}

void GroupLog::end_flush(std::uint64_t position, Worker& leader) {
    std::vector<Waiter> served;
    {
        const std::lock_guard lock(mutex_);
        forced_ = position;
        const auto waits = std::stable_partition(
            queue_.begin(), queue_.end(), [&](const Queued& queued) { return queued.position <= position; });
        for (auto queued = queue_.begin(); queued != waits; ++queued) served.push_back(queued->waiter);
        queue_.erase(queue_.begin(), waits);
        busy_ = !queue_.empty();
        if (busy_) {
            *queue_.front().leads = true;
            served.push_back(queue_.front().waiter);
            queue_.erase(queue_.begin());
        }
    }
    for (const Waiter& waiter : served) waiter.worker->wake(waiter.side, {waiter.handle, false}, leader);
}

GroupLog::Place GroupLog::place(std::uint64_t position) const {
    const std::uint64_t offset = position % file_bytes_;
    return {position / file_bytes_ % files_, offset, file_bytes_ - offset};
}

std::int64_t Pace::take(std::int64_t now_ns, std::int64_t interval_ns, bool open_loop) {
    if (open_loop) return next_ns_.fetch_add(interval_ns, std::memory_order_relaxed);
    std::int64_t next = next_ns_.load(std::memory_order_relaxed);
    std::int64_t start = 0;
    do {
        start = std::max(next, now_ns);
    } while (!next_ns_.compare_exchange_weak(next, start + interval_ns, std::memory_order_relaxed));
    return start;
}

}  // namespace fsadvise::tuner
