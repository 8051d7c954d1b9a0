#include "base/interrupt.h"

#include <atomic>
#include <csignal>

#include <unistd.h>

namespace fsadvise {
namespace {

// The one piece of process-wide state: a signal handler cannot be handed an object.
std::atomic<int> first_signal{0};

void on_signal(int number) {
    int none = 0;
    if (first_signal.compare_exchange_strong(none, number)) return;
    _exit(128 + number);
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
