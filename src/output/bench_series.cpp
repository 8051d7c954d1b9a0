#include "output/bench_series.h"

#include <algorithm>
#include <cmath>

namespace fsadvise {

std::vector<double> per_second(const tuner::SideResult& result) {
    const std::size_t windows = result.window_rates.size();
    if (windows == 0 || result.seconds <= 0) return {};
    // Windows of a run are equally long but for the time their last operations take.
    const double windows_per_second = std::max(1.0, static_cast<double>(windows) / result.seconds);
    std::vector<double> series;
    for (std::size_t second = 0;; ++second) {
        const auto first =
            static_cast<std::size_t>(std::llround(windows_per_second * static_cast<double>(second)));
        if (first >= windows) return series;
        const auto last = std::min(
            windows,
            static_cast<std::size_t>(std::llround(windows_per_second * static_cast<double>(second + 1))));
        double sum = 0;
        for (std::size_t i = first; i < last; ++i) sum += result.window_rates[i];
        series.push_back(sum / static_cast<double>(std::max<std::size_t>(1, last - first)));
    }
}

}  // namespace fsadvise
