// How many operations a slice of a given length needs, learned from the slices before.
//
// Programs that stop after a count end with whole operations on an idle server; those that stop after a time
// know whole seconds only.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace fsadvise::tuner {

class Pacing {
  public:
    explicit Pacing(double first_guess_per_s) : rate_(first_guess_per_s) {}
    // Operations for `seconds`, a multiple of `grain` and at least that.
    [[nodiscard]] std::int64_t operations(double seconds, std::int64_t grain = 1) const {
        const auto grains = std::llround(rate_ * seconds / static_cast<double>(grain));
        return std::max<std::int64_t>(1, grains) * grain;
    }
    void learn(double operations, double seconds) {
        if (seconds <= 0 || operations <= 0) return;
        const double seen = operations / seconds;
        rate_ = known_ ? 0.5 * rate_ + 0.5 * seen : seen;
        known_ = true;
    }

  private:
    double rate_;
    bool known_ = false;
};

}  // namespace fsadvise::tuner
