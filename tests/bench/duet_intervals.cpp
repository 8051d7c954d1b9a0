// How narrow an interval a duet reaches, against plain repeats, for every workload of the library.
//
// bench_duet_intervals [--seconds S] [--window S] [--size SIZE] [--file PATH] [WORKLOAD...]
// Both methods compare the default ext4 with itself on the same two areas for the same S seconds of
// measuring: a duet of alternating windows; and plain runs of S/10 seconds, five a side in turn, as a careful
// person would do by hand. Printed are half-widths of the 95 % interval of the ratio. Placement on an area is
// not in either: both methods would cancel it by swapped formats.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/interrupt.h"
#include "base/text.h"
#include "base/units.h"
#include "models/statistics.h"
#include "space/knowledge.h"
#include "space/knowledge_files.h"
#include "space/spelling.h"
#include "tuner/engine/engine.h"
#include "tuner/target/target.h"

#include "bench_words.h"

namespace {

using namespace fsadvise;
using namespace fsadvise::tuner;

constexpr int kPlainRuns = 5;  // a side

struct Options {
    double seconds = 20;
    double window_seconds = 0;  // 0 = the load's
    std::uint64_t size_bytes = 3 * kGiB;
    std::string file = "/dev/shm/fsadvise-duet-intervals";
    std::vector<std::string> workloads;
};

struct Row {
    double rate = 0, window_seconds = 0, duet = 0, plain = 0, duet_ratio = 1, plain_ratio = 1;
};

double half_width(const models::RatioEstimate& estimate) {
    return (estimate.high - estimate.low) / 2;
}

Result<std::unique_ptr<Mount>> format_and_mount(const Knowledge& knowledge, Target& target, int area) {
    const Filesystem& filesystem = *knowledge.filesystem("ext4");
    Configuration configuration{"ext4", {}};
    for (const auto& [parameter, value] : filesystem.measure_with) configuration.values[parameter] = value;
    const Commands commands = spell(knowledge, configuration);
    std::vector<std::string> force = filesystem.mkfs_quiet;
    force.insert(force.end(), filesystem.mkfs_overwrite.begin(), filesystem.mkfs_overwrite.end());
    FSADVISE_TRY(target.format(area, commands, force));
    return target.mount(area, commands);
}

Result<Row> measure(const Knowledge& knowledge, Target& target, const Load& load, const Options& options) {
    EngineOptions engine;
    engine.scale = fitting_scale(load, target.area_bytes());
    engine.stop = [] { return interrupted() != 0; };
    std::vector<std::unique_ptr<Mount>> mounts;
    std::vector<std::string> folders;
    for (int area = 0; area < 2; ++area) {
        FSADVISE_ASSIGN(auto mount, format_and_mount(knowledge, target, area));
        folders.push_back(mount->directory() + "/load");
        mounts.push_back(std::move(mount));
        FSADVISE_TRY(lay_out(load, folders.back(), engine));
    }
    Row row;
    engine.seconds = options.seconds;
    engine.window_seconds = options.window_seconds;
    FSADVISE_ASSIGN(const DuetResult duet, run_duet(load, folders[0], folders[1], engine));
    engine.window_seconds = 0;
    row.rate = duet.anchor.rate();
    row.window_seconds = duet.window_seconds;
    row.duet_ratio = std::exp(duet.log_ratio);
    row.duet = 1.96 * duet.log_ratio_deviation * row.duet_ratio;
    std::vector<double> one, other;
    engine.seconds = options.seconds / (2 * kPlainRuns);
    for (int run = 0; run < kPlainRuns; ++run) {
        FSADVISE_ASSIGN(const SideResult first, run_single(load, folders[0], engine));
        FSADVISE_ASSIGN(const SideResult second, run_single(load, folders[1], engine));
        one.push_back(first.rate());
        other.push_back(second.rate());
    }
    const auto plain = models::paired_ratio(one, other);
    if (!plain) return fail(ErrorCode::kRunFailed, "the plain runs finished no operation");
    row.plain = half_width(*plain);
    row.plain_ratio = plain->ratio;
    return row;
}

Result<void> run(const Options& options) {
    FSADVISE_ASSIGN(const Knowledge knowledge, Knowledge::load(embedded_knowledge()));
    SystemProcessRunner runner;
    TargetRequest request;
    request.scratch_file = options.file;
    request.size_bytes = options.size_bytes;
    FSADVISE_ASSIGN(const auto target, open_target(request, runner));
    fmt::print("{} s of measuring a method\n", options.seconds);
    fmt::print("{:22} {:>10} {:>8} {:>9} {:>9} {:>9}  {}\n", "workload", "loops/s", "window", "duet +-%",
               "plain +-%", "narrower", "duet ratio, plain ratio");
    std::vector<double> gains;
    for (const auto& workload : knowledge.workloads()) {
        if (!options.workloads.empty() &&
            std::ranges::find(options.workloads, workload.id) == options.workloads.end())
            continue;
        FSADVISE_ASSIGN(const Load load, load_from_json(workload.load, workload.id));
        const auto row = measure(knowledge, *target, load, options);
        if (interrupted() != 0) return fail(ErrorCode::kInterrupted, "stopped by a signal");
        if (!row) {
            fmt::print("{:22} {}\n", workload.id, to_text(row.error()));
            continue;
        }
        gains.push_back(std::log(row->plain / row->duet));
        fmt::print("{:22} {:>10.1f} {:>6.2f} s {:>9.2f} {:>9.2f} {:>9.1f}  {:.3f} {:.3f}\n", workload.id,
                   row->rate, row->window_seconds, 100 * row->duet, 100 * row->plain, row->plain / row->duet,
                   row->duet_ratio, row->plain_ratio);
        std::fflush(stdout);
    }
    if (!gains.empty())
        fmt::print("narrower, median over {} workloads: {:.1f}\n", gains.size(),
                   std::exp(models::median(gains)));
    return {};
}

}  // namespace

int main(int argc, char** argv) {
    Options options;
    options.workloads = bench::read_words(
        argc, argv,
        {{"--seconds", [&](const std::string& text) { options.seconds = std::atof(text.c_str()); }},
         {"--window", [&](const std::string& text) { options.window_seconds = std::atof(text.c_str()); }},
         {"--file", [&](const std::string& text) { options.file = text; }},
         {"--size", [&](const std::string& text) {
              options.size_bytes = parse_size(text).value_or(options.size_bytes);
          }}});
    return bench::run_bench([&] { return run(options); });
}
