#include "tuner/objective/figure.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/units.h"

namespace fsadvise::tuner {
namespace {

using nlohmann::json;

const std::array<std::string, 8> kNames = {"throughput",          "p99", "commit-latency", "space",
                                           "space-amplification", "cpu", "mount-time",     "recovery-time"};

struct Source {
    const char* pointer;  // below a side
    double unit;          // of what is there
};
constexpr std::array<Source, 8> kSources = {{{"/operations_per_s", 1},
                                             {"/latency/p99_ns", 1e-9},
                                             {"/sync_latency/p50_ns", 1e-9},
                                             {"/used_bytes_after_layout", 1},
                                             {"/used_bytes_after_layout", 1},
                                             {"/cpu_s_per_operation", 1},
                                             {"/mount_s", 1},
                                             {"/recovery_s", 1}}};

// Relative scatter (of one side) that repeats of the same format show apart from counting statistics.
constexpr double kTimeScatter = 0.10;  // mounts of milliseconds
constexpr double kLatencyScatter = 0.03;
constexpr double kSpaceScatter = 0.0005;

std::size_t place(Figure figure) {
    return static_cast<std::size_t>(figure);
}

std::optional<double> number_at(const json& document, const std::string& pointer) {
    const json::json_pointer where(pointer);
    if (!document.is_object() || !document.contains(where) || !document.at(where).is_number())
        return std::nullopt;
    const double value = document.at(where).get<double>();
    if (!std::isfinite(value) || value <= 0) return std::nullopt;
    return value;
}

// Of the logarithm of a quantile of `count` values with an exponential tail: (p / (1 - p)) / n / ln(1 / (1 -
// p))^2.
double quantile_variance(double p, double count) {
    const double tail = std::log(1 / (1 - p));
    return p / (1 - p) / std::max(1.0, count) / (tail * tail);
}

double variance_of(const json& metrics, const std::string& side, Figure figure, double deviation) {
    switch (figure) {
        case Figure::kThroughput:
            break;
        case Figure::kCpu:
            return deviation * deviation / 2 + kLatencyScatter * kLatencyScatter;
        case Figure::kP99:
        case Figure::kCommitLatency: {
            const bool p99 = figure == Figure::kP99;
            const auto count =
                number_at(metrics, "/" + side + (p99 ? "/latency/count" : "/sync_latency/count"));
            return quantile_variance(p99 ? 0.99 : 0.5, count.value_or(1)) + kLatencyScatter * kLatencyScatter;
        }
        case Figure::kSpace:
        case Figure::kSpaceAmplification:
            return kSpaceScatter * kSpaceScatter;
        case Figure::kMountTime:
        case Figure::kRecoveryTime:
            return kTimeScatter * kTimeScatter;
    }
    return deviation * deviation / 2;
}

}  // namespace

std::span<const std::string> figure_names() {
    return kNames;
}

std::optional<Figure> figure(std::string_view name) {
    const auto found = std::find(kNames.begin(), kNames.end(), name);
    if (found == kNames.end()) return std::nullopt;
    return static_cast<Figure>(found - kNames.begin());
}

const std::string& figure_name(Figure figure) {
    return kNames[place(figure)];
}

bool more_is_better(Figure figure) {
    return figure == Figure::kThroughput;
}

std::string figure_text(Figure figure, double value) {
    switch (figure) {
        case Figure::kThroughput:
            return human_rate(value);
        case Figure::kSpace:
            return human_size(value);
        case Figure::kSpaceAmplification:
            return fmt::format("{:.3f}", value);
        default:
            // Below ten microseconds, human_duration() would round away what differs.
            if (value < 1e-5) return fmt::format("{:.2f} us", value * 1e6);
            if (value < 1e-1) return fmt::format("{:.2f} ms", value * 1e3);
            return fmt::format("{:.2f} s", value);
    }
}

std::optional<double> figure_of(const json& metrics, const std::string& side, Figure figure) {
    const Source& source = kSources[place(figure)];
    const auto value = number_at(metrics, "/" + side + source.pointer);
    if (!value) return std::nullopt;
    if (figure == Figure::kCommitLatency && !number_at(metrics, "/" + side + "/sync_latency/count"))
        return std::nullopt;
    if (figure != Figure::kSpaceAmplification) return *value * source.unit;
    const auto data = number_at(metrics, "/data_bytes");
    if (!data) return std::nullopt;
    return *value / *data;
}

std::optional<LogGain> gain_of(const Measurement& measurement, Figure figure) {
    if (figure == Figure::kThroughput) {
        if (!std::isfinite(measurement.log_ratio)) return std::nullopt;
        return LogGain{measurement.log_ratio, measurement.deviation * measurement.deviation};
    }
    const json metrics = json::parse(measurement.metrics, nullptr, false);
    // The amount of data is the same on both sides and cancels; older studies do not have it.
    const Figure of_sides = figure == Figure::kSpaceAmplification ? Figure::kSpace : figure;
    const auto candidate = figure_of(metrics, "candidate", of_sides);
    const auto anchor = figure_of(metrics, "anchor", of_sides);
    if (!candidate || !anchor) return std::nullopt;
    const double ratio = std::log(*candidate / *anchor);
    return LogGain{more_is_better(figure) ? ratio : -ratio,
                   variance_of(metrics, "candidate", figure, measurement.deviation) +
                       variance_of(metrics, "anchor", figure, measurement.deviation)};
}

}  // namespace fsadvise::tuner
