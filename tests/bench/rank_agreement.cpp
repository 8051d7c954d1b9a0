// Whether a synthetic load ranks configurations as the real application does.
//
// bench_rank_agreement [--seconds S] [--replicates N] [--size SIZE] [--file PATH] WORKLOAD=DRIVER...
// Each configuration is measured twice as a duet with the default ext4, on fresh formats: once under the
// workload's own load, once under the application. Printed are both ratios a configuration, and Spearman's
// rank correlation with its interval. The configurations are chosen to differ: some of them give up
// durability, none is a recommendation. Printed too is how well the first half of the replicates ranks them
// as the second half does, for the load and for the application: two rankings cannot agree better with each
// other than they do with themselves.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/interrupt.h"
#include "base/text.h"
#include "base/units.h"
#include "host/host.h"
#include "models/rank_correlation.h"
#include "models/statistics.h"
#include "space/configuration_text.h"
#include "space/knowledge.h"
#include "space/knowledge_files.h"
#include "tuner/executor/measure.h"

#include "bench_words.h"

namespace {

using namespace fsadvise;
using namespace fsadvise::tuner;

const std::vector<std::string> kConfigurations = {
    "ext4",
    "ext4::data=journal",
    "ext4:-O ^has_journal",
    "ext4:-b 1024",
    "ext4:-O fast_commit",
    "xfs",
    "xfs:-b size=1024",
    "xfs::wsync",
    "btrfs",
    "btrfs::nodatacow",
    "btrfs::compress-force=zstd:3",
    "btrfs::notreelog",
    "btrfs:-n 65536",
};

struct Options {
    double seconds = 10;
    int replicates = 2;
    std::uint64_t size_bytes = 4 * kGiB;
    std::string file = "/dev/shm/fsadvise-rank-agreement";
    std::vector<std::pair<std::string, std::string>> pairs;  // workload, driver
};

// Mean log-ratio over the replicates, and over each half of them.
struct LogRatio {
    double all = 0;
    std::array<double, 2> halves{};
};

// The areas are swapped in turn.
Result<LogRatio> log_ratio(MeasureSetup& setup, const Configuration& candidate, const Options& options) {
    LogRatio result;
    const std::array<int, 2> sizes = {(options.replicates + 1) / 2, options.replicates / 2};
    for (int replicate = 0; replicate < options.replicates; ++replicate) {
        setup.seed = static_cast<std::uint64_t>(replicate) + 1;
        FSADVISE_ASSIGN(const Measurement measured,
                        measure_duet(setup, candidate, options.seconds, replicate % 2 == 1));
        const std::size_t half = replicate < sizes[0] ? 0 : 1;
        result.all += measured.log_ratio / options.replicates;
        result.halves[half] += measured.log_ratio / sizes[half];
    }
    return result;
}

// Log-ratios of all configurations, by one source of load.
struct Ranking {
    std::vector<double> all;
    std::array<std::vector<double>, 2> halves;
    void add(const LogRatio& ratio) {
        all.push_back(ratio.all);
        for (std::size_t half = 0; half < 2; ++half) halves[half].push_back(ratio.halves[half]);
    }
};

void print_agreement(const std::string& between, const std::vector<double>& one,
                     const std::vector<double>& other) {
    const auto rank = models::spearman(one, other);
    if (!rank) return;
    const std::string interval =
        rank->interval ? fmt::format(" [{:.2f}, {:.2f}]", rank->interval->low, rank->interval->high) : "";
    fmt::print("Spearman {}: {:.2f}{} over {} configurations\n", between, rank->value, interval, one.size());
}

Result<void> compare(const Knowledge& knowledge, Target& target, ProcessRunner& runner,
                     const Request& request, const std::string& workload, const std::string& driver,
                     const Options& options) {
    const WorkloadDescription* description = knowledge.workload(workload);
    if (description == nullptr) return fail(ErrorCode::kUsage, "unknown workload", workload);
    FSADVISE_ASSIGN(const auto synthetic, load_source_from_json(description->load, workload));
    FSADVISE_ASSIGN(const DriverTask task, resolve_task(driver, {}));
    FSADVISE_ASSIGN(const auto application, load_source_from_json(load_json(task), driver));
    FSADVISE_TRY(application->check());
    const SystemFileReader files;
    MeasureSetup setup;
    setup.knowledge = &knowledge;
    setup.target = &target;
    setup.runner = &runner;
    setup.files = &files;
    setup.anchor = Configuration{"ext4", {}};

    fmt::print("\n{} against {}\n{:34} {:>10} {:>12}\n", workload, driver, "configuration", "our load",
               "application");
    std::array<Ranking, 2> rankings;  // ours, the application's
    for (const std::string& text : kConfigurations) {
        FSADVISE_ASSIGN(const Configuration candidate, configuration_from_text(knowledge, request, text));
        std::vector<LogRatio> logs;
        for (const LoadSource* source : {synthetic.get(), application.get()}) {
            setup.load = source;
            FSADVISE_ASSIGN(setup.scale, source->fitting_scale(target.area_bytes()));
            const auto measured = log_ratio(setup, candidate, options);
            if (interrupted() != 0) return fail(ErrorCode::kInterrupted, "stopped by a signal");
            if (!measured) {
                fmt::print("{:34} {}\n", text, to_text(measured.error()));
                break;
            }
            logs.push_back(*measured);
        }
        if (logs.size() < 2) continue;
        for (std::size_t i = 0; i < 2; ++i) rankings[i].add(logs[i]);
        fmt::print("{:34} {:>10.3f} {:>12.3f}\n", text, std::exp(logs[0].all), std::exp(logs[1].all));
        std::fflush(stdout);
    }
    print_agreement("load and application", rankings[0].all, rankings[1].all);
    if (options.replicates < 2) return {};
    print_agreement("load and itself, half of the replicates each", rankings[0].halves[0],
                    rankings[0].halves[1]);
    print_agreement("application and itself, half of the replicates each", rankings[1].halves[0],
                    rankings[1].halves[1]);
    return {};
}

Result<void> run(const Options& options) {
    FSADVISE_ASSIGN(const Knowledge knowledge, Knowledge::load(embedded_knowledge()));
    SystemProcessRunner runner;
    TargetRequest place;
    place.scratch_file = options.file;
    place.size_bytes = options.size_bytes;
    FSADVISE_ASSIGN(const auto target, open_target(place, runner));
    Request request;
    request.host = probe_host(SystemFileReader());
    probe_tools(request.host, runner);
    request.host.device = BlockDevice{};
    request.host.device->size_bytes = target->area_bytes();
    request.requirements.durability = "scratch";
    for (const auto& [workload, driver] : options.pairs) {
        const auto done = compare(knowledge, *target, runner, request, workload, driver, options);
        if (interrupted() != 0) return done;
        if (!done) fmt::print("{} against {}: {}\n", workload, driver, to_text(done.error()));
    }
    return {};
}

}  // namespace

int main(int argc, char** argv) {
    Options options;
    const auto pairs = bench::read_words(
        argc, argv,
        {{"--seconds", [&](const std::string& text) { options.seconds = std::atof(text.c_str()); }},
         {"--replicates",
          [&](const std::string& text) { options.replicates = std::max(1, std::atoi(text.c_str())); }},
         {"--file", [&](const std::string& text) { options.file = text; }},
         {"--size", [&](const std::string& text) {
              options.size_bytes = parse_size(text).value_or(options.size_bytes);
          }}});
    for (const std::string& word : pairs) {
        const auto equals = word.find('=');
        if (equals == std::string::npos) {
            fmt::print(
                stderr,
                "usage: bench_rank_agreement [--seconds S] [--replicates N] [--size SIZE] [--file PATH] "
                "WORKLOAD=DRIVER...\n");
            return 2;
        }
        options.pairs.emplace_back(word.substr(0, equals), word.substr(equals + 1));
    }
    return bench::run_bench([&] { return run(options); });
}
