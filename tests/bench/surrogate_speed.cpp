// Processor time and memory of a fit and a proposal (200 candidates) at 50, 500 and 5,000 trials:
// bench_surrogate_speed
#include <cstdio>
#include <ctime>
#include <fstream>
#include <functional>
#include <random>
#include <string>

#include "models/acquisition.h"
#include "models/ensemble.h"
#include "models/gaussian_process.h"
#include "models/tree_ensemble.h"

#include "unit/models_surrogate_truth.h"

namespace {

using namespace fsadvise;

double resident_mib() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with("VmRSS:")) return std::stod(line.substr(6)) / 1024;
    }
    return 0;
}

double milliseconds(const std::function<void()>& work) {
    // Of the process, not of the wall clock: the machine may be shared.
    const std::clock_t start = std::clock();
    work();
    return 1000.0 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

std::unique_ptr<models::Surrogate> make(int kind, const models::Domain& domain) {
    if (kind == 0) return models::make_gaussian_process(domain);
    if (kind == 1) return models::make_tree_ensemble(domain);
    std::vector<std::unique_ptr<models::Surrogate>> members;
    members.push_back(models::make_gaussian_process(domain));
    members.push_back(models::make_tree_ensemble(domain));
    return models::make_ensemble(std::move(members));
}

}  // namespace

int main() {
    std::printf("%-36s %6s %10s %12s %10s %10s\n", "surrogate", "trials", "fit ms", "propose ms", "stop ms",
                "MiB");
    for (const std::size_t trials : {50u, 500u, 5000u}) {
        std::mt19937_64 random(1);
        const test::Truth truth = test::make_truth(random, 4, 10);
        const auto data = test::measure(truth, random, trials);
        std::vector<models::Point> candidates;
        for (int i = 0; i < 200; ++i) candidates.push_back(truth.sample(random));
        for (int kind = 0; kind < 3; ++kind) {
            const double before = resident_mib();
            const auto surrogate = make(kind, truth.domain);
            const double fit = milliseconds([&] {
                if (!surrogate->fit(data)) std::puts("the fit failed");
            });
            double best = -1e300;
            const double propose = milliseconds([&] {
                const auto incumbent = models::best_expected(*surrogate, data.points);
                for (const auto& one : surrogate->predict(std::span<const models::Point>(candidates))) {
                    best = std::max(best, models::log_expected_improvement(one.mean, one.deviation,
                                                                           incumbent->prediction.mean));
                }
            });
            const double stop =
                milliseconds([&] { models::remaining_improvement(*surrogate, data.points, candidates); });
            std::printf("%-36s %6zu %10.1f %12.1f %10.1f %10.1f\n", surrogate->name().c_str(), trials, fit,
                        propose, stop, resident_mib() - before);
        }
    }
    return 0;
}
