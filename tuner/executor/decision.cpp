#include "tuner/executor/decision.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "models/change_point.h"
#include "models/outliers.h"

namespace fsadvise::tuner {
namespace {

constexpr double kFalseClaims = 0.05;
constexpr double kDriftLevel = 0.01, kDriftRatio = 1.05;

// Repeats with the bias of their area taken out, in order.
std::vector<double> without_area(std::span<const Repeat> repeats, const std::array<double, 2>& area_mean) {
    const double center = (area_mean[0] + area_mean[1]) / 2;
    std::vector<double> result;
    result.reserve(repeats.size());
    for (const Repeat& repeat : repeats) {
        result.push_back(repeat.log_ratio - area_mean[static_cast<std::size_t>(repeat.area)] + center);
    }
    return result;
}

}  // namespace

std::optional<Decision> decide(std::span<const Repeat> repeats, std::size_t contenders) {
    std::array<std::vector<double>, 2> logs;
    for (const Repeat& repeat : repeats)
        logs[static_cast<std::size_t>(repeat.area)].push_back(repeat.log_ratio);
    const double level = 1 - kFalseClaims / static_cast<double>(std::max<std::size_t>(1, contenders));
    const auto estimate = models::ratio_from_swapped_logs(logs[0], logs[1], level);
    if (!estimate) return std::nullopt;

    Decision decision;
    decision.estimate = *estimate;
    decision.material =
        estimate->pairs >= kFewestReplicates && estimate->low > 1 && estimate->ratio >= kMaterialRatio;
    const std::vector<double> alike = without_area(repeats, {models::mean(logs[0]), models::mean(logs[1])});
    decision.outliers = models::outliers(alike);
    if (const auto interval = models::median_interval(alike)) {
        decision.median = models::RatioEstimate{std::exp(models::median(alike)), std::exp(interval->low),
                                                std::exp(interval->high), interval->level, repeats.size()};
    }
    models::PlanTarget target;
    target.difference = kMaterialRatio - 1;
    target.level = level;
    decision.plan = models::plan_replicates(models::pilot_of_swapped(logs[0], logs[1]), target);
    return decision;
}

std::optional<Drift> drift_of(std::span<const double> rates) {
    const auto change = models::pettitt(rates);
    if (!change || change->p > kDriftLevel || !(change->before > 0)) return std::nullopt;
    const double ratio = change->after / change->before;
    if (ratio < kDriftRatio && ratio > 1 / kDriftRatio) return std::nullopt;
    return Drift{change->index, ratio, change->p};
}

}  // namespace fsadvise::tuner
