// What short slices give for a real application: A/A duets on two equal ext4 areas of a scratch file at equal
// measuring time, with slices of several lengths. A slice of 6 s is what plain repeats of a benchmark are.
//
// bench_driver_duet SCRATCH_FILE AREA_MIB SECONDS SLICE[,SLICE...] DRIVER [NAME=VALUE...]
// Prints for each length: pairs, ratio, 95 % interval's half width in percent, operations/s of both sides.
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>

#include "base/interrupt.h"
#include "base/text.h"
#include "base/units.h"
#include "models/statistics.h"
#include "tuner/drivers/driver_run.h"
#include "tuner/target/target.h"

using namespace fsadvise;
using namespace fsadvise::tuner;

namespace {

Result<void> run(int count, char** words) {
    std::map<std::string, std::string> options;
    for (int i = 6; i < count; ++i) {
        const std::string word = words[i];
        options[word.substr(0, word.find('='))] = word.substr(word.find('=') + 1);
    }
    FSADVISE_ASSIGN(DriverTask task, resolve_task(words[5], options));
    FSADVISE_ASSIGN(const Driver* driver, find_driver(task.driver));
    task.stop = [] { return interrupted() != 0; };
    TargetRequest request;
    request.scratch_file = words[1];
    request.size_bytes = static_cast<std::uint64_t>(std::atoll(words[2])) * 2 * kMiB;
    SystemProcessRunner runner;
    FSADVISE_ASSIGN(const auto target, open_target(request, runner));
    FSADVISE_ASSIGN(task.size_factor, fitting_size_factor(*driver, task, target->area_bytes()));
    std::printf("%s, size factor %.3f\n", driver->title().c_str(), task.size_factor);
    const Commands ext4{{"mkfs.ext4", "-q", "-E", "lazy_itable_init=0,lazy_journal_init=0"}, "", "ext4"};
    for (const std::string& slice : split(words[4], ',')) {
        std::vector<std::unique_ptr<Mount>> mounts;
        for (int area = 0; area < 2; ++area) {
            FSADVISE_TRY(target->format(area, ext4, {"-F"}));
            FSADVISE_ASSIGN(auto mount, target->mount(area, ext4));
            mounts.push_back(std::move(mount));
        }
        EngineOptions engine;
        engine.seconds = std::atof(words[3]);
        engine.warmup_seconds = 4;
        engine.window_seconds = std::atof(slice.c_str());
        FSADVISE_ASSIGN(const DuetResult duet, run_driver_duet(task, mounts[0]->directory() + "/load",
                                                               mounts[1]->directory() + "/load", engine));
        if (duet.stopped) return fail(ErrorCode::kInterrupted, "stopped");
        const auto estimate = models::ratio_from_logs(duet.log_ratios);
        std::printf(
            "%s slices of %.2f s: %zu pairs, ratio %.4f, +-%.2f %%, %.1f and %.1f /s, p99 %.2f ms\n",
            driver->id().c_str(), duet.window_seconds, duet.log_ratios.size(), estimate ? estimate->ratio : 0,
            estimate ? 50 * (estimate->high - estimate->low) / estimate->ratio : 0, duet.candidate.rate(),
            duet.anchor.rate(), static_cast<double>(duet.candidate.latency.percentile(0.99)) / 1e6);
        std::fflush(stdout);
    }
    return {};
}

}  // namespace

int main(int count, char** words) {
    if (count < 6) {
        std::fprintf(
            stderr, "usage: bench_driver_duet SCRATCH_FILE AREA_MIB SECONDS SLICES DRIVER [NAME=VALUE...]\n");
        return 2;
    }
    install_interrupt_handlers();
    const auto result = run(count, words);
    if (!result) std::fprintf(stderr, "%s\n", to_text(result.error()).c_str());
    return result ? 0 : 1;
}
