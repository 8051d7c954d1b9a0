#include "tuner/executor/measure.h"

#include <array>

#include <fmt/format.h>

#include "base/interrupt.h"
#include "models/statistics.h"
#include "tuner/executor/prepared_side.h"

namespace fsadvise::tuner {
namespace {

// Long enough to fill a log with what is not written back yet.
constexpr double kCrashLoadSeconds = 0.5;
constexpr std::size_t kFewestPairs = 2;

nlohmann::json metrics_of(const PreparedSide& side, const SideResult& result, std::uint64_t used_bytes,
                          bool resources) {
    const auto percentiles = [](const Histogram& histogram) {
        return nlohmann::json{{"count", histogram.count()},
                              {"p50_ns", histogram.percentile(0.50)},
                              {"p95_ns", histogram.percentile(0.95)},
                              {"p99_ns", histogram.percentile(0.99)},
                              {"p999_ns", histogram.percentile(0.999)},
                              {"max_ns", histogram.maximum()}};
    };
    nlohmann::json metrics = {{"operations", result.operations},
                              {"operations_per_s", result.rate()},
                              {"seconds", result.seconds},
                              {"latency", percentiles(result.latency)},
                              {"used_bytes_after_layout", used_bytes},
                              {"format_s", side.format_seconds},
                              {"mount_s", side.mount_seconds}};
    if (resources) {
        const double seconds = result.seconds > 0 ? result.seconds : 1;
        const double operations = static_cast<double>(std::max<std::uint64_t>(1, result.operations));
        metrics["read_bytes_per_s"] = static_cast<double>(result.read_bytes) / seconds;
        metrics["written_bytes_per_s"] = static_cast<double>(result.written_bytes) / seconds;
        metrics["cpu_s_per_operation"] = result.cpu_seconds / operations;
        metrics["sync_latency"] = percentiles(result.sync_latency);
    } else {
        // An application may rate itself by another number than runs in a time.
        if (!result.window_rates.empty()) metrics["operations_per_s"] = models::mean(result.window_rates);
        metrics["slice_rates"] = result.window_rates;
        metrics["errors"] = result.errors;
    }
    return metrics;
}

// The phases of a load, if it has any.
nlohmann::json phases_of(const SideResult& result) {
    nlohmann::json phases = nlohmann::json::array();
    for (const PhaseResult& phase : result.phases) {
        phases.push_back({{"name", phase.name},
                          {"operations", phase.operations},
                          {"read_bytes", phase.read_bytes},
                          {"written_bytes", phase.written_bytes},
                          {"seconds", phase.seconds},
                          {"cpu_s", phase.cpu_seconds},
                          {"p50_ns", phase.latency.percentile(0.50)},
                          {"p99_ns", phase.latency.percentile(0.99)}});
    }
    return phases;
}

}  // namespace

Result<std::variant<Measurement, TooFewPairs>> run_measurement(const MeasureSetup& setup,
                                                               const Configuration& candidate, double seconds,
                                                               bool swap) {
    const Workshop workshop{setup.knowledge, setup.target, setup.runner, setup.files};
    const std::array<const Configuration*, 2> configurations = {&candidate, &setup.anchor};
    std::array<PreparedSide, 2> sides;  // candidate, anchor

    EngineOptions options;
    options.scale = setup.scale;
    options.cores = setup.cores;
    options.seed = setup.seed;
    options.seconds = seconds;
    options.warmup_seconds = std::min(1.0, seconds / 5);
    options.window_seconds = setup.window_seconds;
    options.stop = [] { return interrupted() != 0; };

    std::array<std::uint64_t, 2> used{};
    // In the order of the areas, so that being laid out last changes sides with the areas and cancels with
    // them.
    for (const int area : {0, 1}) {
        const std::size_t i = static_cast<std::size_t>(area) ^ (swap ? 1U : 0U);
        FSADVISE_ASSIGN(sides[i], prepare_side(workshop, *configurations[i], area));
        FSADVISE_TRY(setup.load->lay_out(sides[i].load_directory(), options));
        FSADVISE_TRY(mount_cold(workshop, sides[i]));
        used[i] = sides[i].used_bytes();
        if (interrupted() != 0) return fail(ErrorCode::kInterrupted, "stopped by a signal");
    }
    FSADVISE_ASSIGN(const DuetResult duet,
                    setup.load->run_duet(sides[0].load_directory(), sides[1].load_directory(), options));
    if (duet.stopped || interrupted() != 0) return fail(ErrorCode::kInterrupted, "stopped by a signal");
    if (duet.log_ratios.size() < kFewestPairs) return TooFewPairs{duet.log_ratios.size()};
    const bool resources = setup.load->counts_resources();
    std::array<nlohmann::json, 2> figures = {metrics_of(sides[0], duet.candidate, used[0], resources),
                                             metrics_of(sides[1], duet.anchor, used[1], resources)};
    for (std::size_t i = 0; i < 2 && setup.recovery; ++i) {
        options.seconds = kCrashLoadSeconds;
        options.warmup_seconds = 0;
        FSADVISE_TRY(setup.load->run_single(sides[i].load_directory(), options));
        FSADVISE_ASSIGN(const auto recovery, crash_and_mount(workshop, sides[i]));
        if (recovery) figures[i]["recovery_s"] = *recovery;
    }
    Measurement measurement;
    measurement.log_ratio = duet.log_ratio;
    measurement.deviation = duet.log_ratio_deviation;
    nlohmann::json effective = nlohmann::json::object();
    for (const auto& [parameter, value] : sides[0].read_back.effective) effective[parameter] = to_json(value);
    measurement.effective = effective.dump();
    measurement.metrics = nlohmann::json{{"candidate", std::move(figures[0])},
                                         {"anchor", std::move(figures[1])},
                                         {"data_bytes", setup.load->data_bytes(setup.scale)},
                                         {"pairs", duet.log_ratios.size()},
                                         {"effective_pairs", duet.effective_pairs},
                                         {"steady", duet.steady},
                                         {"objective", setup.load->metric()},
                                         {"engine", setup.load->engine()},
                                         {"candidate_phases", phases_of(duet.candidate)},
                                         {"anchor_phases", phases_of(duet.anchor)},
                                         {"candidate_area", sides[0].area},
                                         {"scale", setup.scale},
                                         {"mount_options", sides[0].read_back.mount_options}}
                              .dump();
    return measurement;
}

Result<Measurement> measure_duet(const MeasureSetup& setup, const Configuration& candidate, double seconds,
                                 bool swap) {
    FSADVISE_ASSIGN(auto measured, run_measurement(setup, candidate, seconds, swap));
    if (const auto* few = std::get_if<TooFewPairs>(&measured)) {
        return fail(ErrorCode::kRunFailed,
                    fmt::format("only {} window pairs in {:.1f} s, too few to compare", few->pairs, seconds),
                    canonical_text(candidate), "give a larger budget or a smaller --size");
    }
    return std::get<Measurement>(std::move(measured));
}

}  // namespace fsadvise::tuner
