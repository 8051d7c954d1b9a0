// Signals as a flag: one request however often it is delivered at once, and a second one that ends the
// process.
#include <chrono>
#include <csignal>
#include <thread>

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/interrupt.h"

using namespace fsadvise;

namespace {

// Exit status of a child that runs `body`; the flag is global, so it must not be set in this process.
template <class Body>
int status_of_child(Body body) {
    const pid_t child = ::fork();
    if (child == 0) {
        install_interrupt_handlers();
        ::_exit(body());
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    REQUIRE(WIFEXITED(status));
    return WEXITSTATUS(status);
}

}  // namespace

TEST_CASE("signals: two at once are one request, a later one ends the process") {
    CHECK(status_of_child([] {
              ::raise(SIGINT);
              ::raise(SIGINT);
              return interrupted() == SIGINT ? 7 : 8;
          }) == 7);
    CHECK(status_of_child([] {
              ::raise(SIGINT);
              std::this_thread::sleep_for(std::chrono::milliseconds(600));
              ::raise(SIGTERM);
              return 9;
          }) == 128 + SIGTERM);
}
