// A step of an actor as a coroutine of its own: `int error = co_await unlink_oldest(actor, step);`
//
// Runs at once when awaited; a step that never waits returns without touching the scheduler, and a long row
// of such steps does not grow the stack. One level of a frame allocation a step: for steps that cost a path
// walk anyway.
#pragma once

#include <coroutine>
#include <exception>
#include <utility>

namespace fsadvise::tuner {

// Owns its frame. The value is 0 or -errno, as the kernel's.
class Task {
  public:
    struct promise_type {
        std::coroutine_handle<> continuation;
        int value = 0;
        struct Final {
            bool await_ready() const noexcept { return false; }
            // Nothing of the frame is used after the resumption: the awaiting coroutine destroys it.
            void await_suspend(std::coroutine_handle<promise_type> handle) const noexcept {
                if (const auto next = handle.promise().continuation) next.resume();
            }
            void await_resume() const noexcept {}
        };
        Task get_return_object() { return Task(std::coroutine_handle<promise_type>::from_promise(*this)); }
        std::suspend_always initial_suspend() noexcept { return {}; }
        Final final_suspend() noexcept { return {}; }
        void return_value(int result) { value = result; }
        void unhandled_exception() { std::terminate(); }
    };

    explicit Task(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
    Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    Task& operator=(Task&&) = delete;
    ~Task() {
        if (handle_) handle_.destroy();
    }

    bool await_ready() const noexcept { return false; }
    bool await_suspend(std::coroutine_handle<> waiter) {
        handle_.resume();
        if (handle_.done()) return false;
        handle_.promise().continuation = waiter;
        return true;
    }
    int await_resume() const noexcept { return handle_.promise().value; }

  private:
    std::coroutine_handle<promise_type> handle_;
};

}  // namespace fsadvise::tuner
