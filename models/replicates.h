// How many repeats a difference needs, from the scatter of those already made.
//
// Units: log-ratios (natural logarithm); differences as ratio - 1, 0.03 = 3 %.
// Bounds: no plan beyond `most` repeats; a plan that needs more is said to be hopeless, with the reason.
// Source: power of the t test by the noncentral t distribution, Cohen, Statistical Power Analysis, 2nd ed.
// (1988), ch. 2; upper confidence limit of the pilot's deviation, Browne, Statistics in Medicine 14 (1995)
// 1933-1940.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace fsadvise::models {

// Scatter of the repeats made so far.
struct Pilot {
    std::size_t repeats = 0;
    std::size_t groups = 1;  // means taken from the same repeats: 2 with swapped areas
    double deviation = 0;    // within the groups
};
Pilot pilot_of(std::span<const double> log_ratios);
// Taken under two conditions that swap a bias, see ratio_from_swapped_logs().
Pilot pilot_of_swapped(std::span<const double> one, std::span<const double> other);

struct PlanTarget {
    double difference = 0.02;  // to be seen
    double level = 0.95;       // of the interval that has to exclude 1
    double power = 0.80;       // chance that it does when the difference is real
    // Chance that the planned count is enough, a pilot's deviation being uncertain; 0.5 takes the deviation
    // as it is.
    double assurance = 0.80;
    std::size_t most = 200;
};

struct ReplicatePlan {
    bool possible = false;
    std::size_t needed = 0;          // repeats altogether, at most `most`; 0 where not possible
    std::size_t more = 0;            // of them still to make
    double smallest_difference = 0;  // that `most` repeats show, where the one asked for is out of reach
    std::string why;                 // one sentence, also where possible
};
ReplicatePlan plan_replicates(const Pilot& pilot, const PlanTarget& target = {});

// Chance that a two-sided t test on `repeats` values sees a mean of `log_difference`.
double power_of_t_test(double log_difference, double deviation, std::size_t repeats, std::size_t groups,
                       double level);

// Fewest values whose order statistics give an interval of the median: 6 at 95 %, 8 at 99 %. 0 for a level
// outside (0, 1).
std::size_t fewest_for_median_interval(double level);

}  // namespace fsadvise::models
