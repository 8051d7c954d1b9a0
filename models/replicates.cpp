#include "models/replicates.h"

#include <algorithm>
#include <cmath>

#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/non_central_t.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <fmt/format.h>

#include "models/ranks.h"
#include "models/statistics.h"

namespace fsadvise::models {
namespace {

double squares_around_mean(std::span<const double> values) {
    const double center = mean(values);
    double sum = 0;
    for (const double value : values) sum += (value - center) * (value - center);
    return sum;
}

// The deviation that the true one stays below with the given chance.
double upper_deviation(const Pilot& pilot, double assurance) {
    if (assurance <= 0.5) return pilot.deviation;
    const auto freedom = static_cast<double>(pilot.repeats - pilot.groups);
    return pilot.deviation *
           std::sqrt(freedom / boost::math::quantile(boost::math::chi_squared(freedom), 1 - assurance));
}

bool is_share(double value) {
    return value > 0 && value < 1;
}

// Smallest count from `from` to `most` that reaches the power, or 0. Power grows with the count.
std::size_t smallest_count(double log_difference, double deviation, std::size_t groups,
                           const PlanTarget& target, std::size_t from) {
    const auto enough = [&](std::size_t count) {
        return power_of_t_test(log_difference, deviation, count, groups, target.level) >= target.power;
    };
    if (from > target.most || !enough(target.most)) return 0;
    std::size_t low = from, high = target.most;
    while (low < high) {
        const std::size_t middle = low + (high - low) / 2;
        if (enough(middle))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

double smallest_difference(double deviation, std::size_t groups, const PlanTarget& target) {
    double low = 0, high = 8 * deviation;  // above it even two repeats more than the groups have the power
    if (power_of_t_test(high, deviation, target.most, groups, target.level) < target.power) return 0;
    constexpr int kHalvings = 40;
    for (int i = 0; i < kHalvings; ++i) {
        const double middle = (low + high) / 2;
        (power_of_t_test(middle, deviation, target.most, groups, target.level) < target.power ? low : high) =
            middle;
    }
    return std::expm1(high);
}

}  // namespace

Pilot pilot_of(std::span<const double> log_ratios) {
    return {log_ratios.size(), 1, standard_deviation(log_ratios)};
}

Pilot pilot_of_swapped(std::span<const double> one, std::span<const double> other) {
    Pilot pilot{one.size() + other.size(), 2, std::nan("")};
    if (one.empty() || other.empty() || pilot.repeats < 3) return pilot;
    pilot.deviation = std::sqrt((squares_around_mean(one) + squares_around_mean(other)) /
                                static_cast<double>(pilot.repeats - pilot.groups));
    return pilot;
}

double power_of_t_test(double log_difference, double deviation, std::size_t repeats, std::size_t groups,
                       double level) {
    if (repeats <= groups || !(deviation > 0) || !is_share(level)) return 0;
    const auto freedom = static_cast<double>(repeats - groups);
    const double t = boost::math::quantile(boost::math::students_t(freedom), 0.5 + level / 2);
    const double center = std::abs(log_difference) / deviation * std::sqrt(static_cast<double>(repeats));
    constexpr double kCertain = 50;  // beyond it the distribution function only costs time
    if (center > t + kCertain) return 1;
    // The other tail would claim the opposite of the truth; it is no success.
    if (center == 0) return (1 - level) / 2;
    return boost::math::cdf(boost::math::complement(boost::math::non_central_t(freedom, center), t));
}

std::size_t fewest_for_median_interval(double level) {
    if (!is_share(level)) return 0;
    // The extremes of n values enclose the median with 1 - 2 / 2^n.
    std::size_t count = 2;
    double outside = 0.5;
    while (outside > 1 - level) {
        outside /= 2;
        ++count;
    }
    return count;
}

ReplicatePlan plan_replicates(const Pilot& pilot, const PlanTarget& target) {
    ReplicatePlan plan;
    if (!(target.difference > 0) || !std::isfinite(target.difference) || !is_share(target.level) ||
        !is_share(target.power) || !is_share(target.assurance)) {
        plan.why = "no plan: the difference must be above 0, and level, power and assurance between 0 and 1";
        return plan;
    }
    if (pilot.repeats <= pilot.groups || !std::isfinite(pilot.deviation)) {
        plan.why = fmt::format("no plan: the scatter is unknown after {} repeats, at least {} are needed",
                               pilot.repeats, pilot.groups + 1);
        return plan;
    }
    const double percent = 100 * target.difference;
    // Order statistics of the median are asked for the same level, which needs a count of its own.
    const std::size_t least = std::max(fewest_for_median_interval(target.level), pilot.groups + 1);
    std::size_t needed = 0;
    double deviation = 0;
    if (pilot.deviation > 0) {
        deviation = upper_deviation(pilot, target.assurance);
        needed = smallest_count(std::log1p(target.difference), deviation, pilot.groups, target, least);
    } else {
        needed = least <= target.most ? least : 0;  // equal values: any difference shows
    }
    if (needed == 0) {
        if (deviation > 0) plan.smallest_difference = smallest_difference(deviation, pilot.groups, target);
        plan.why =
            plan.smallest_difference > 0
                ? fmt::format(
                      "hopeless: repeats scatter by {:.1f} %, so even {} of them show no less than {:.1f} % "
                      "({:.1f} % is asked for); a longer run or a quieter machine is needed",
                      100 * std::expm1(pilot.deviation), target.most, 100 * plan.smallest_difference, percent)
                : fmt::format("hopeless: {} repeats are too few for any claim", target.most);
        return plan;
    }
    plan.possible = true;
    plan.needed = needed;
    plan.more = needed > pilot.repeats ? needed - pilot.repeats : 0;
    plan.why =
        plan.more > 0
            ? fmt::format(
                  "needs {} more repeats ({} altogether) to see {:.1f} %, as repeats scatter by {:.1f} %",
                  plan.more, needed, percent, 100 * std::expm1(pilot.deviation))
            : fmt::format("{} repeats are enough to see {:.1f} %", pilot.repeats, percent);
    return plan;
}

}  // namespace fsadvise::models
