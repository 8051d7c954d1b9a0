// What actors of one side share beyond files: signals, logs with a group commit, the pace of a stream.
//
// Two kinds of waiting, which differ at the end of a window:
//   held  (group commit): part of a loop that ends within the window; what it waits for ends on its own
//   idle  (signal): may outlast the window, like thinking, since the other stream may be at its gate already
// Threads: all members may be used by all workers. A waiter is resumed in its own worker's thread.
#pragma once

#include <atomic>
#include <coroutine>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "tuner/engine/payload.h"

namespace fsadvise::tuner {

class Worker;

// A suspended actor and how to reach it.
struct Waiter {
    Worker* worker = nullptr;
    std::size_t side = 0;
    std::coroutine_handle<> handle;
};

// A counting semaphore: each signal lets one wait through, now or later.
class Signal {
  public:
    void give(Worker& giver);
    // True: taken, nothing to wait for. False: the waiter is queued.
    bool take_or_queue(const Waiter& waiter);

  private:
    std::mutex mutex_;
    std::uint64_t count_ = 0;
    std::deque<Waiter> waiters_;  // bounded by the actors
};

// A log that is forced for many at once, as PostgreSQL (XLogFlush) and InnoDB (group commit of the redo log)
// do it: actors add records; one of them, the leader, writes and forces all that is in the log when it
// begins; those whose records were among them are done, the first of the others leads next.
//
// Positions are bytes since the start of the run; the log's files are used as a ring.
// Source: PostgreSQL 16, src/backend/access/transam/xlog.c (XLogFlush: LWLockAcquireOrWait on WALWriteLock).
class GroupLog {
  public:
    GroupLog(std::uint64_t file_bytes, std::uint64_t page_bytes, std::uint64_t files, double compressible,
             std::uint64_t seed);

    // Adds a record; returns the position behind it, which is to be forced.
    std::uint64_t insert(std::uint64_t bytes);

    enum class Turn { kServed, kLeads, kQueued };
    // Queues the waiter unless it is served already or leads. `leads` is set before a queued one is resumed.
    Turn enter(std::uint64_t position, const Waiter& waiter, bool* leads);
    // For the leader: what to write now, [from, to) in whole pages; the last page of the flush before is
    // written again where it was not full.
    struct Range {
        std::uint64_t from = 0, to = 0, position = 0;
    };
    Range begin_flush();
    // Wakes all who are served and the next leader.
    void end_flush(std::uint64_t position, Worker& leader);

    // Where a position lies, and how many bytes of that file follow it.
    struct Place {
        std::uint64_t file = 0, offset = 0, room = 0;
    };
    [[nodiscard]] Place place(std::uint64_t position) const;
    // Of the leader only.
    [[nodiscard]] std::byte* buffer() const { return buffer_.get(); }
    [[nodiscard]] std::uint64_t buffer_bytes() const { return buffer_bytes_; }
    std::uint64_t next_stamp() { return ++stamp_; }

  private:
    struct Queued {
        std::uint64_t position;
        Waiter waiter;
        bool* leads;
    };
    const std::uint64_t page_bytes_, file_bytes_, files_, buffer_bytes_;
    const Buffer buffer_;
    std::uint64_t stamp_;
    std::mutex mutex_;  // guards what follows
    std::uint64_t inserted_ = 0, forced_ = 0;
    bool busy_ = false;          // there is a leader
    std::vector<Queued> queue_;  // bounded by the actors
};

// When the next loop of a stream may begin, in nanoseconds of the time during which the side's windows were
// open.
class Pace {
  public:
    // The start that this loop is given, and the next one `interval_ns` later. `open_loop`: it may lie in the
    // past.
    std::int64_t take(std::int64_t now_ns, std::int64_t interval_ns, bool open_loop);
    // Adds to the debt of a stream that is limited in bytes.
    void charge(std::int64_t ns) { next_ns_.fetch_add(ns, std::memory_order_relaxed); }
    void restart(std::int64_t now_ns) { next_ns_.store(now_ns, std::memory_order_relaxed); }

  private:
    std::atomic<std::int64_t> next_ns_{0};
};

}  // namespace fsadvise::tuner
