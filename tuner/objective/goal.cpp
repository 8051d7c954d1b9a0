#include "tuner/objective/goal.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "models/pareto.h"

namespace fsadvise::tuner {

bool Goal::wants(Figure figure) const {
    const auto in = [&](const auto& list) {
        return std::any_of(list.begin(), list.end(),
                           [&](const auto& entry) { return entry.figure == figure; });
    };
    return in(weights) || in(limits) || std::find(front.begin(), front.end(), figure) != front.end();
}

std::optional<LogGain> measurement_gain(const Measurement& measurement, const Goal& goal) {
    if (goal.weights.empty()) return gain_of(measurement, Figure::kThroughput);
    LogGain sum;
    for (const Weight& weight : goal.weights) {
        const auto gain = gain_of(measurement, weight.figure);
        if (!gain) return std::nullopt;
        sum.log_ratio += weight.share * gain->log_ratio;
        sum.variance += weight.share * weight.share * gain->variance;
    }
    return sum;
}

std::optional<LogGain> trial_gain(const Trial& trial, const Goal& goal, const std::string& phase) {
    double weight = 0, sum = 0;
    for (const Measurement& measurement : trial.measurements) {
        if (!phase.empty() && measurement.phase != phase) continue;
        const auto gain = measurement_gain(measurement, goal);
        if (!gain) return std::nullopt;
        const double precision = 1 / std::max(gain->variance, 1e-8);
        weight += precision;
        sum += precision * gain->log_ratio;
    }
    if (weight <= 0) return std::nullopt;
    return LogGain{sum / weight, 1 / weight};
}

std::optional<double> trial_figure(const Trial& trial, const std::string& side, Figure figure) {
    double sum = 0;
    int count = 0;
    for (const Measurement& measurement : trial.measurements) {
        const auto value =
            figure_of(nlohmann::json::parse(measurement.metrics, nullptr, false), side, figure);
        if (!value) continue;
        sum += *value;
        ++count;
    }
    if (count == 0) return std::nullopt;
    return sum / count;
}

std::vector<std::string> broken_limits(const Trial& trial, const std::string& side, const Goal& goal) {
    std::vector<std::string> result;
    for (const Limit& limit : goal.limits) {
        const std::string& name = figure_name(limit.figure);
        auto value = trial_figure(trial, side, limit.figure);
        std::string shown = value ? figure_text(limit.figure, *value) : "";
        if (limit.relative && value) {
            const auto anchor = trial_figure(trial, "anchor", limit.figure);
            value = anchor ? std::optional(*value / *anchor) : std::nullopt;
            if (value) shown = fmt::format("{:.3f}x the default", *value);
        }
        if (!value) {
            result.push_back(fmt::format("{} is not known here, but the limit is {}", name, limit.text));
        } else if (limit.most ? *value >= limit.bound : *value <= limit.bound) {
            result.push_back(fmt::format("{} {}, but the limit is {}", name, shown, limit.text));
        }
    }
    return result;
}

std::vector<Trial> for_goal(std::vector<Trial> trials, const Goal& goal) {
    if (!goal.asks()) return trials;
    for (Trial& trial : trials) {
        if (trial.state != "complete") continue;
        for (Measurement& measurement : trial.measurements) {
            const auto gain = measurement_gain(measurement, goal);
            if (!gain) {
                trial.state = "failed";
                trial.reason = "a figure of the objective is not known: " + goal_title(goal);
                continue;
            }
            measurement.log_ratio = gain->log_ratio;
            measurement.deviation = std::sqrt(gain->variance);
        }
        const auto broken = broken_limits(trial, "candidate", goal);
        if (!broken.empty()) {
            trial.state = "failed";
            trial.reason = broken.front();
        }
    }
    return trials;
}

Goal goal_of_turn(const Goal& goal, std::size_t turn) {
    if (goal.front.size() < 2) return goal;
    Goal result = goal;
    result.weights.clear();
    // Multiples of the golden ratio fill the interval evenly at every length; spacings of such points, as
    // weights, reach the ends of the front and its middle.
    constexpr double kGolden = 0.6180339887498949;
    std::vector<double> cuts = {0, 1};
    for (std::size_t i = 1; i < goal.front.size(); ++i) {
        const double place = static_cast<double>(turn + 1) * kGolden * static_cast<double>(i);
        cuts.push_back(place - std::floor(place));
    }
    std::sort(cuts.begin(), cuts.end());
    for (std::size_t i = 0; i < goal.front.size(); ++i)
        result.weights.push_back({goal.front[i], cuts[i + 1] - cuts[i]});
    return result;
}

// Gains that differ by less are equal: the same space used twice must not look like a compromise by its last bit.
constexpr double kEqual = 1e-9;

std::vector<FrontPoint> front_of(const std::vector<Trial>& trials, const Goal& goal) {
    std::vector<FrontPoint> known;
    std::vector<std::vector<double>> points;
    for (std::size_t i = 0; i < trials.size(); ++i) {
        if (trials[i].state != "complete" || !broken_limits(trials[i], "candidate", goal).empty()) continue;
        FrontPoint point{i, {}};
        std::vector<double> gains;
        for (const Figure figure : goal.front) {
            const auto gain = trial_gain(trials[i], Goal{{{figure, 1}}, {}, {}});
            if (!gain) break;
            point.gains.push_back(*gain);
            gains.push_back(std::round(gain->log_ratio / kEqual) * kEqual);
        }
        if (gains.size() < goal.front.size()) continue;
        known.push_back(std::move(point));
        points.push_back(std::move(gains));
    }
    std::vector<FrontPoint> front;
    for (const std::size_t place : models::pareto_front(points)) front.push_back(std::move(known[place]));
    std::sort(front.begin(), front.end(), [](const FrontPoint& a, const FrontPoint& b) {
        return !a.gains.empty() && !b.gains.empty() && a.gains.front().log_ratio > b.gains.front().log_ratio;
    });
    return front;
}

}  // namespace fsadvise::tuner
