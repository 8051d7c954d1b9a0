// Our side of the comparison with fio (engine_vs_fio.sh): runs one job on a directory and prints one line of
// figures.
//
// bench_engine_vs_fio layout DIRECTORY JOB SIZE_MIB
// bench_engine_vs_fio run    DIRECTORY JOB SIZE_MIB SECONDS SEED   ->  operations/s  cpu-us/operation
// bench_engine_vs_fio summary < "JOB ours_iops fio_iops ours_cpu fio_cpu" lines   ->  ratios with 95 %
// intervals
// bench_engine_vs_fio recording DIRECTORY JOB SIZE_MIB SECONDS PAIRS   what the recording of latencies costs
// bench_engine_vs_fio load   FILE SIDE_A SIDE_B AREA_MIB SECONDS   runs the "load" of a workload
// file as a duet
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <map>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/fd.h"
#include "models/statistics.h"
#include "tuner/engine/engine.h"

namespace {

using namespace fsadvise;
using namespace fsadvise::tuner;

struct Job {
    const char* operation;
    std::uint64_t block;
    bool sequential, direct;
    int depth;
    bool sync;
};

// The names are those of engine_vs_fio.sh, which holds the fio side.
const std::map<std::string, Job>& jobs() {
    static const std::map<std::string, Job> kJobs = {
        {"randread-4k-direct-qd1", {"read", 4096, false, true, 1, false}},
        {"randread-4k-direct-qd32", {"read", 4096, false, true, 32, false}},
        {"randwrite-4k-direct-qd1", {"write", 4096, false, true, 1, false}},
        {"randwrite-4k-direct-qd32", {"write", 4096, false, true, 32, false}},
        {"read-2m-direct-qd1", {"read", 2 << 20, true, true, 1, false}},
        {"write-2m-direct-qd1", {"write", 2 << 20, true, true, 1, false}},
        {"randread-4k-buffered-qd1", {"read", 4096, false, false, 1, false}},
        {"randread-4k-buffered-qd32", {"read", 4096, false, false, 32, false}},
        {"randwrite-4k-buffered-qd1", {"write", 4096, false, false, 1, false}},
        {"randwrite-4k-buffered-qd4", {"write", 4096, false, false, 4, false}},
        {"read-2m-buffered-qd1", {"read", 2 << 20, true, false, 1, false}},
        {"write-2m-buffered-qd1", {"write", 2 << 20, true, false, 1, false}},
        {"randwrite-4k-fdatasync-qd1", {"write", 4096, false, false, 1, true}},
        {"randwrite-4k-direct-fdatasync-qd1", {"write", 4096, false, true, 1, true}},
    };
    return kJobs;
}

Load load_for(const Job& job, std::uint64_t size_mib) {
    Load load;
    FileSet set;
    set.name = "data";
    set.size_bytes = size_mib << 20;
    set.compressible = 0;
    load.file_sets.push_back(set);
    Stream stream;
    stream.name = "job";
    stream.file_set = "data";
    stream.depth = job.depth;
    stream.direct = job.direct;
    Step step;
    step.operation = job.operation;
    step.block_bytes = job.block;
    step.sequential = job.sequential;
    stream.steps.push_back(step);
    if (job.sync) {
        Step sync;
        sync.operation = "fdatasync";
        stream.steps.push_back(sync);
    }
    load.streams.push_back(stream);
    return load;
}

int complain(const Error& error) {
    fmt::print(stderr, "{}\n", to_text(error));
    return 1;
}

std::string ratio_text(const std::vector<double>& logs) {
    const auto estimate = models::ratio_from_logs(logs);
    if (!estimate) return fmt::format("{:.3f} (one repeat)", logs.empty() ? 0 : std::exp(logs.front()));
    return fmt::format("{:.3f} [{:.3f}, {:.3f}]", estimate->ratio, estimate->low, estimate->high);
}

int summarise(std::istream& input) {
    struct Figures {
        std::vector<double> rate_logs, cpu_logs;
        double rate = 0, cpu = 0;
    };
    std::map<std::string, Figures> all;
    std::string job;
    double ours = 0, fio = 0, our_cpu = 0, fio_cpu = 0;
    while (input >> job >> ours >> fio >> our_cpu >> fio_cpu) {
        Figures& figures = all[job];
        figures.rate_logs.push_back(std::log(ours / fio));
        figures.cpu_logs.push_back(std::log(our_cpu / fio_cpu));
        figures.rate += ours;
        figures.cpu += our_cpu;
    }
    fmt::print("{:36} {:>7} {:>12} {:>10}  {:24} {}\n", "job", "repeats", "ours op/s", "ours us/op",
               "rate ours/fio [95 %]", "CPU per op ours/fio [95 %]");
    for (const auto& [name, figures] : all) {
        const auto n = static_cast<double>(figures.rate_logs.size());
        fmt::print("{:36} {:>7} {:>12.0f} {:>10.2f}  {:24} {}\n", name, figures.rate_logs.size(),
                   figures.rate / n, figures.cpu / n, ratio_text(figures.rate_logs),
                   ratio_text(figures.cpu_logs));
    }
    return 0;
}

// Pairs of runs with and without latencies, the first of a pair in turn.
int compare_recording(const Load& load, const std::string& directory, double seconds, int pairs) {
    EngineOptions options;
    options.seconds = seconds;
    options.warmup_seconds = seconds / 5;
    if (const auto laid = lay_out(load, directory, options); !laid) return complain(laid.error());
    std::vector<double> rate_logs, cpu_logs;
    for (int pair = 0; pair < pairs; ++pair) {
        std::array<double, 2> rate{}, cpu{};  // without, with
        for (int turn = 0; turn < 2; ++turn) {
            const auto with = static_cast<std::size_t>((pair + turn) % 2);
            options.record_latency = with == 1;
            options.seed = static_cast<std::uint64_t>(pair + 1);
            const auto result = run_single(load, directory, options);
            if (!result) return complain(result.error());
            if ((result->latency.count() > 0) != options.record_latency) return 1;
            rate[with] = result->rate();
            cpu[with] = result->cpu_seconds / static_cast<double>(result->operations);
        }
        rate_logs.push_back(std::log(rate[1] / rate[0]));
        cpu_logs.push_back(std::log(cpu[1] / cpu[0]));
    }
    fmt::print("recording / not recording, {} pairs: rate {}, CPU per operation {}\n", pairs,
               ratio_text(rate_logs), ratio_text(cpu_logs));
    return 0;
}

int run_workload(const std::string& file, const std::string& a, const std::string& b, std::uint64_t area_mib,
                 double seconds) {
    const auto text = read_file(file);
    if (!text) return complain(text.error());
    const auto document = nlohmann::json::parse(*text, nullptr, false);
    if (document.is_discarded() || !document.contains("load")) return 1;
    const auto load = load_from_json(document["load"].dump(), file);
    if (!load) return complain(load.error());
    EngineOptions options;
    options.scale = fitting_scale(*load, area_mib << 20);
    options.seconds = seconds;
    for (const std::string& side : {a, b}) {
        if (const auto laid = lay_out(*load, side, options); !laid) return complain(laid.error());
    }
    const auto result = run_duet(*load, a, b, options);
    if (!result) return complain(result.error());
    fmt::print(
        "scale {:.3f} data {} MiB files {} window {:.3f} s pairs {} candidate {:.1f}/s anchor {:.1f}/s ratio "
        "{:.4f} +- {:.4f} p99 {:.3f} ms cpu/op {:.1f} us written {} MiB read {} MiB{}\n",
        options.scale, data_bytes(*load, options.scale) >> 20, file_count(*load, options.scale),
        result->window_seconds, result->log_ratios.size(), result->candidate.rate(), result->anchor.rate(),
        std::exp(result->log_ratio), result->log_ratio_deviation,
        static_cast<double>(result->anchor.latency.percentile(0.99)) * 1e-6,
        result->anchor.cpu_seconds / static_cast<double>(result->anchor.operations) * 1e6,
        result->anchor.written_bytes >> 20, result->anchor.read_bytes >> 20,
        result->steady ? "" : " not steady");
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    const std::string mode = argc > 1 ? argv[1] : "";
    if (mode == "load" && argc == 7) {
        return run_workload(argv[2], argv[3], argv[4], std::strtoull(argv[5], nullptr, 10),
                            std::atof(argv[6]));
    }
    if (mode == "summary") return summarise(std::cin);
    if (mode == "jobs") {
        for (const auto& [name, job] : jobs()) fmt::print("{}\n", name);
        return 0;
    }
    if (argc < 5 || !jobs().contains(argv[3])) {
        fmt::print(stderr, "usage: bench_engine_vs_fio layout|run DIRECTORY JOB SIZE_MIB [SECONDS SEED]\n");
        return 2;
    }
    const Load load = load_for(jobs().at(argv[3]), std::strtoull(argv[4], nullptr, 10));
    if (mode == "recording") {
        return compare_recording(load, argv[2], argc > 5 ? std::atof(argv[5]) : 0.5,
                                 argc > 6 ? std::atoi(argv[6]) : 20);
    }
    EngineOptions options;
    options.warmup_seconds = 0.2;
    if (mode == "layout") {
        const auto laid = lay_out(load, argv[2], options);
        return laid ? 0 : complain(laid.error());
    }
    options.seconds = argc > 5 ? std::atof(argv[5]) : 2;
    options.seed = argc > 6 ? std::strtoull(argv[6], nullptr, 10) : 1;
    const auto result = run_single(load, argv[2], options);
    if (!result) return complain(result.error());
    fmt::print("{:.1f} {:.4f}\n", result->rate(),
               result->cpu_seconds / static_cast<double>(result->operations) * 1e6);
    return 0;
}
