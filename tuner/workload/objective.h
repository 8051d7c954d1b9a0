// What a load is judged by: a rate (more is better) or a latency of its loops (less is better).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace fsadvise::tuner {

struct Objective {
    enum class Kind { kOperations, kBytes, kMeanLatency, kLatencyQuantile } kind = Kind::kOperations;
    double quantile = 0;  // of kLatencyQuantile
    [[nodiscard]] bool is_latency() const { return kind >= Kind::kMeanLatency; }
};

std::optional<Objective> objective(std::string_view name);
std::span<const std::string> objective_names();
// For reports: "operations per second", "99th percentile of the latency of a loop, less is better".
std::string objective_title(std::string_view name);

}  // namespace fsadvise::tuner
