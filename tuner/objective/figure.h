// The figures of a measurement that a study can be judged by, read out of what is recorded.
//
// Units: throughput in loops a second; p99, commit-latency, cpu (a loop), mount-time and recovery-time in
// seconds; space in bytes; space-amplification as bytes in use for a byte of data. Errors: a figure that a
// measurement does not have (no sync in the load, no CPU time of an application) is nullopt. Threads: any.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "tuner/study/study.h"

namespace fsadvise::tuner {

enum class Figure {
    kThroughput,
    kP99,
    kCommitLatency,
    kSpace,
    kSpaceAmplification,
    kCpu,
    kMountTime,
    kRecoveryTime
};

std::span<const std::string> figure_names();
std::optional<Figure> figure(std::string_view name);
const std::string& figure_name(Figure figure);
bool more_is_better(Figure figure);
// "4.1 ms", "312 MiB", "12.4 k/s", "1.18".
std::string figure_text(Figure figure, double value);

// Of one side: "candidate" or "anchor" of Measurement::metrics.
std::optional<double> figure_of(const nlohmann::json& metrics, const std::string& side, Figure figure);

// ln(candidate / anchor), turned so that above 0 the candidate is better.
struct LogGain {
    double log_ratio = 0;
    double variance = 0;  // of log_ratio, as far as one duet can tell
};
// Throughput is the duet's own log-ratio with its standard error, and so is whatever objective the workload
// has. The variance of a quantile assumes an exponential tail; that of times and of CPU is a floor that
// repeats found. Source: asymptotic variance of a sample quantile, David and Nagaraja, Order Statistics, 3rd
// ed. (2003), ch. 10.
std::optional<LogGain> gain_of(const Measurement& measurement, Figure figure);

}  // namespace fsadvise::tuner
