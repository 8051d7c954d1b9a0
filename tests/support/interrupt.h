// SIGINT and SIGTERM as the program handles them (base/interrupt.h), for the time of one long test: its loop
// looks at interrupted() and leaves, so that destructors run.
#pragma once

#include <array>
#include <csignal>

#include "base/interrupt.h"

namespace fsadvise::test {

class ScopedInterrupts {
  public:
    ScopedInterrupts() {
        for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], nullptr, &before_[i]);
        install_interrupt_handlers();
    }
    // A test that was interrupted ends the program as the signal would have done.
    ~ScopedInterrupts() {
        for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &before_[i], nullptr);
        if (interrupted() != 0) (void)::raise(interrupted());
    }
    ScopedInterrupts(const ScopedInterrupts&) = delete;
    ScopedInterrupts& operator=(const ScopedInterrupts&) = delete;

  private:
    static constexpr std::array<int, 4> kSignals{SIGINT, SIGTERM, SIGHUP, SIGPIPE};
    std::array<struct sigaction, 4> before_{};
};

}  // namespace fsadvise::test
