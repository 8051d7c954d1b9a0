// Steady state of a series of rounds by the rule of the SNIA performance test specification.
//
// Units: the values are of any one unit above 0; range and slope are shares of the window's mean.
// Errors: too few rounds, a value that is not finite or a mean that is not positive is "not steady", with the
// reason. Source: SNIA Solid State Storage Performance Test Specification 2.0.2 (2020), "Steady State": over
// a window of five rounds max - min is within 20 % of the mean and the fitted line moves by no more than 10 %
// of it.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace fsadvise::models {

struct SteadyRule {
    std::size_t rounds = 5;
    double range_limit = 0.20, slope_limit = 0.10;
};

struct SteadyCheck {
    bool usable = false;  // the values allow the check at all
    double mean = 0;
    double range = 0;  // max - min
    double slope = 0;  // what the fitted line climbs from the first to the last round, with its sign
    bool range_ok = false, slope_ok = false;
    [[nodiscard]] bool steady() const { return range_ok && slope_ok; }
};

// The rule over the whole of `window`, whatever its length (at least 2).
SteadyCheck check_steady(std::span<const double> window, const SteadyRule& rule = {});
bool is_steady(std::span<const double> window);

struct SteadySearch {
    std::optional<std::size_t> first;  // round at which the first steady window starts
    SteadyCheck check;                 // of that window, else of the last one
    std::string
        failed;  // "" if steady, else what the last window failed: "range 31 % of the mean, limit 20 %"
};
SteadySearch find_steady(std::span<const double> series, const SteadyRule& rule = {});

}  // namespace fsadvise::models
