#include "base/interrupt.h"

#include <atomic>
#include <csignal>
#include <cstdint>
#include <ctime>

#include <unistd.h>

namespace fsadvise {
namespace {

// The one piece of process-wide state: a signal handler cannot be handed an object.
std::atomic<int> first_signal{0};
std::atomic<std::int64_t> first_signal_ns{0};

// timeout(1) signals the process and then its group: what follows so soon is the same request, no second one.
constexpr std::int64_t kSameRequestNs = 500'000'000;

std::int64_t now_ns() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);  // safe in a handler, signal-safety(7)
    return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

void on_signal(int number) {
    const std::int64_t now = now_ns();
    std::int64_t none = 0;
    if (first_signal_ns.compare_exchange_strong(none, now)) {
        first_signal.store(number);
    } else if (now - none > kSameRequestNs) {
        _exit(128 + number);
    }
}

}  // namespace

void install_interrupt_handlers() {
    struct sigaction action {};
    action.sa_handler = on_signal;
    sigemptyset(&action.sa_mask);
    // No SA_RESTART: a blocking wait returns EINTR and its loop looks at interrupted().
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaction(number, &action, nullptr);
    std::signal(SIGPIPE, SIG_IGN);
}

int interrupted() {
    return first_signal.load(std::memory_order_relaxed);
}

void set_interrupted(int signal_number) {
    first_signal.store(signal_number);
}

}  // namespace fsadvise
