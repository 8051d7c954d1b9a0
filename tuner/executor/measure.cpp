#include "tuner/executor/measure.h"

#include <array>
#include <chrono>

#include <fmt/format.h>
#include <sys/statvfs.h>

#include "base/interrupt.h"
#include "base/text.h"
#include "space/read_back.h"

namespace fsadvise::tuner {
namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// What a filesystem must be formatted with so that background work does not disturb the run (lazy
// initialisation): not part of the configuration under test, and the same for both sides where both have the
// parameter.
Configuration for_measuring(const Knowledge& knowledge, Configuration configuration) {
    if (const Filesystem* filesystem = knowledge.filesystem(configuration.filesystem)) {
        for (const auto& [parameter, value] : filesystem->measure_with)
            configuration.values[parameter] = value;
    }
    return configuration;
}

std::uint64_t used_bytes(const std::string& directory) {
    struct statvfs status {};
    if (::statvfs(directory.c_str(), &status) != 0) return 0;
    return static_cast<std::uint64_t>(status.f_blocks - status.f_bfree) * status.f_frsize;
}

struct Side {
    Configuration configuration;
    int area = 0;
    Commands commands;
    double format_seconds = 0, mount_seconds = 0;
    std::unique_ptr<Mount> mount;
    ReadBackResult read_back;
};

Result<void> mount_side(const MeasureSetup& setup, Side& side) {
    const auto start = std::chrono::steady_clock::now();
    FSADVISE_ASSIGN(side.mount, setup.target->mount(side.area, side.commands));
    side.mount_seconds = seconds_since(start);
    return {};
}

Result<void> prepare(const MeasureSetup& setup, Side& side) {
    const Filesystem* filesystem = setup.knowledge->filesystem(side.configuration.filesystem);
    if (filesystem == nullptr)
        return fail(ErrorCode::kRunFailed, "unknown filesystem", side.configuration.filesystem);
    side.commands = spell(*setup.knowledge, for_measuring(*setup.knowledge, side.configuration));
    std::vector<std::string> force = filesystem->mkfs_quiet;
    force.insert(force.end(), filesystem->mkfs_overwrite.begin(), filesystem->mkfs_overwrite.end());
    FSADVISE_ASSIGN(side.format_seconds, setup.target->format(side.area, side.commands, force));
    FSADVISE_TRY(mount_side(setup, side));
    FSADVISE_ASSIGN(side.read_back,
                    read_back(*setup.knowledge, side.configuration, setup.target->area_device(side.area),
                              side.mount->directory(), *setup.runner, *setup.files));
    if (!side.read_back.mismatches.empty()) {
        return fail(ErrorCode::kRunFailed, "silently changed: " + join(side.read_back.mismatches, "; "),
                    canonical_text(side.configuration));
    }
    return {};
}

std::string load_directory(const Side& side) {
    return side.mount->directory() + "/load";
}

nlohmann::json metrics_of(const Side& side, const SideResult& result, std::uint64_t used_bytes) {
    const auto percentiles = [](const Histogram& histogram) {
        return nlohmann::json{{"count", histogram.count()},
                              {"p50_ns", histogram.percentile(0.50)},
                              {"p95_ns", histogram.percentile(0.95)},
                              {"p99_ns", histogram.percentile(0.99)},
                              {"p999_ns", histogram.percentile(0.999)},
                              {"max_ns", histogram.maximum()}};
    };
    const double operations = static_cast<double>(std::max<std::uint64_t>(1, result.operations));
    return {{"operations", result.operations},
            {"operations_per_s", result.rate()},
            {"read_bytes_per_s",
             result.seconds > 0 ? static_cast<double>(result.read_bytes) / result.seconds : 0},
            {"written_bytes_per_s",
             result.seconds > 0 ? static_cast<double>(result.written_bytes) / result.seconds : 0},
            {"seconds", result.seconds},
            {"cpu_s_per_operation", result.cpu_seconds / operations},
            {"latency", percentiles(result.latency)},
            {"sync_latency", percentiles(result.sync_latency)},
            {"used_bytes_after_layout", used_bytes},
            {"format_s", side.format_seconds},
            {"mount_s", side.mount_seconds}};
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

Result<Measurement> measure_duet(const MeasureSetup& setup, const Configuration& candidate, double seconds,
                                 bool swap) {
    std::array<Side, 2> sides;  // candidate, anchor
    sides[0].configuration = candidate;
    sides[1].configuration = setup.anchor;
    sides[0].area = swap ? 1 : 0;
    sides[1].area = swap ? 0 : 1;

    EngineOptions options;
    options.scale = setup.scale;
    options.cores = setup.cores;
    options.seed = setup.seed;
    options.seconds = seconds;
    options.warmup_seconds = std::min(1.0, seconds / 5);
    options.stop = [] { return interrupted() != 0; };

    std::array<std::uint64_t, 2> used{};
    for (std::size_t i = 0; i < 2; ++i) {
        FSADVISE_TRY(prepare(setup, sides[i]));
        FSADVISE_TRY(lay_out(setup.load, load_directory(sides[i]), options));
        // A fresh mount is the only cold cache that does not disturb the rest of the machine.
        sides[i].mount.reset();
        FSADVISE_TRY(mount_side(setup, sides[i]));
        used[i] = used_bytes(sides[i].mount->directory());
        if (interrupted() != 0) return fail(ErrorCode::kInterrupted, "stopped by a signal");
    }
    FSADVISE_ASSIGN(const DuetResult duet,
                    run_duet(setup.load, load_directory(sides[0]), load_directory(sides[1]), options));
    if (duet.stopped || interrupted() != 0) return fail(ErrorCode::kInterrupted, "stopped by a signal");
    if (duet.log_ratios.size() < 2) {
        return fail(ErrorCode::kRunFailed,
                    fmt::format("only {} window pairs in {:.1f} s, too few to compare",
                                duet.log_ratios.size(), seconds),
                    canonical_text(candidate), "give a larger budget or a smaller --size");
    }
    Measurement measurement;
    measurement.log_ratio = duet.log_ratio;
    measurement.deviation = duet.log_ratio_deviation;
    nlohmann::json effective = nlohmann::json::object();
    for (const auto& [parameter, value] : sides[0].read_back.effective) effective[parameter] = to_json(value);
    measurement.effective = effective.dump();
    measurement.metrics = nlohmann::json{{"candidate", metrics_of(sides[0], duet.candidate, used[0])},
                                         {"anchor", metrics_of(sides[1], duet.anchor, used[1])},
                                         {"pairs", duet.log_ratios.size()},
                                         {"steady", duet.steady},
                                         {"objective", setup.load.metric},
                                         {"engine", probe_engine() ? "io_uring" : "threads"},
                                         {"candidate_phases", phases_of(duet.candidate)},
                                         {"anchor_phases", phases_of(duet.anchor)},
                                         {"candidate_area", sides[0].area},
                                         {"scale", setup.scale},
                                         {"mount_options", sides[0].read_back.mount_options}}
                              .dump();
    return measurement;
}

}  // namespace fsadvise::tuner
