// An owned io_uring and coroutine operations on it.
//
// An operation is awaited inside an actor: `int n = co_await ring.read(fd, buffer, offset);` The result is
// the kernel's:
// >= 0, or -errno. One ring belongs to one thread.
// Errors: Ring::create is kUnavailable when the kernel or a sandbox refuses io_uring (hint says which
// switch). Source: io_uring(7), liburing 2.3.
#pragma once

#include <coroutine>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <utility>

#include <liburing.h>
#include <sys/stat.h>

#include "base/result.h"

namespace fsadvise::tuner {

// A fire-and-forget coroutine owned by whoever holds it; resumes when its operation completes.
class Actor {
  public:
    struct promise_type {
        Actor get_return_object() { return Actor(std::coroutine_handle<promise_type>::from_promise(*this)); }
        std::suspend_always initial_suspend() noexcept { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() { std::terminate(); }
    };
    explicit Actor(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
    Actor(Actor&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    Actor& operator=(Actor&&) = delete;
    ~Actor() {
        if (handle_) handle_.destroy();
    }
    void start() { handle_.resume(); }
    [[nodiscard]] bool done() const { return handle_.done(); }

  private:
    std::coroutine_handle<promise_type> handle_;
};

// One submission in flight. `waiter` may be null. Lives in the coroutine frame, so nothing is allocated an
// operation.
struct Operation {
    std::coroutine_handle<> waiter;
    int result = 0;
};

class Ring {
  public:
    static Result<std::unique_ptr<Ring>> create(unsigned entries);
    // Supports no operation; for threads that make plain calls.
    static std::unique_ptr<Ring> none() { return std::unique_ptr<Ring>(new Ring()); }
    ~Ring();
    Ring(const Ring&) = delete;
    Ring& operator=(const Ring&) = delete;

    // Awaitable that fills one SQE with `Prepare` and resumes with the completion.
    template <class Prepare>
    struct Awaitable {
        Ring& ring;
        Prepare prepare;
        Operation operation{};
        bool await_ready() const noexcept { return false; }
        void await_suspend(std::coroutine_handle<> handle) {
            operation.waiter = handle;
            io_uring_sqe* sqe = ring.next_sqe();
            prepare(sqe);
            io_uring_sqe_set_data(sqe, &operation);
            ++ring.in_flight_;
        }
        int await_resume() const noexcept { return operation.result; }
    };
    template <class Prepare>
    Awaitable<Prepare> submit(Prepare prepare) {
        return {*this, std::move(prepare)};
    }

    // Completes `operation`, which nobody awaits, when the descriptor becomes readable.
    void watch(int fd, Operation& operation);

    // Submits what is queued and waits for at least one completion, or until timeout_ns; resumes the waiters.
    // Returns the number of completions, or -errno.
    int run_once(std::int64_t timeout_ns);
    [[nodiscard]] unsigned in_flight() const { return in_flight_; }

    // Whether the kernel offers an opcode (namespace operations came over several releases).
    [[nodiscard]] bool supports(int opcode) const;

  private:
    Ring() = default;
    io_uring_sqe* next_sqe();
    io_uring ring_{};
    bool open_ = false;
    unsigned in_flight_ = 0;
    io_uring_probe* probe_ = nullptr;
};

}  // namespace fsadvise::tuner
