#include "tuner/workload/objective.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace fsadvise::tuner {
namespace {

using Kind = Objective::Kind;

const std::array<std::string, 7> kNames = {"operations",  "bytes",       "mean-latency", "p50-latency",
                                           "p95-latency", "p99-latency", "p999-latency"};
constexpr std::array<Objective, 7> kObjectives = {{{Kind::kOperations, 0},
                                                   {Kind::kBytes, 0},
                                                   {Kind::kMeanLatency, 0},
                                                   {Kind::kLatencyQuantile, 0.50},
                                                   {Kind::kLatencyQuantile, 0.95},
                                                   {Kind::kLatencyQuantile, 0.99},
                                                   {Kind::kLatencyQuantile, 0.999}}};

}  // namespace

std::optional<Objective> objective(std::string_view name) {
    const auto found = std::find(kNames.begin(), kNames.end(), name);
    if (found == kNames.end()) return std::nullopt;
    return kObjectives[static_cast<std::size_t>(found - kNames.begin())];
}

std::string objective_title(std::string_view name) {
    const Objective wanted = objective(name).value_or(Objective{});
    switch (wanted.kind) {
        case Kind::kOperations:
            return "operations per second";
        case Kind::kBytes:
            return "bytes per second";
        case Kind::kMeanLatency:
            return "mean latency of a loop (a gain is a shorter one)";
        case Kind::kLatencyQuantile:
            break;
    }
    return fmt::format("{:g} % quantile of the latency of a loop (a gain is a shorter one)",
                       100 * wanted.quantile);
}

std::span<const std::string> objective_names() {
    return kNames;
}

}  // namespace fsadvise::tuner
