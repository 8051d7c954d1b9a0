#include "tuner/search/history.h"

#include <cmath>

namespace fsadvise::tuner {

History::History(const std::vector<Trial>& all) : trials(all.size()) {
    for (const Trial& trial : all) {
        if (trial.state == "interrupted") {
            interrupted.push_back(trial.configuration);
            continue;
        }
        const auto [place, fresh] = index.emplace(canonical_text(trial.configuration), tried.size());
        if (fresh) tried.push_back({trial.configuration, {}, false, false});
        Tried& entry = tried[place->second];
        entry.running |= trial.state == "running";
        entry.failed |= trial.state == "failed";
        if (trial.state != "complete") continue;
        for (const Measurement& measurement : trial.measurements) {
            // Confirmation runs are kept apart: they must not move the choice of what is being confirmed.
            if (measurement.phase != "search" || !std::isfinite(measurement.log_ratio)) continue;
            const double deviation =
                std::isfinite(measurement.deviation) ? std::max(0.0, measurement.deviation) : 0.0;
            entry.measured.emplace_back(measurement.log_ratio, deviation);
        }
    }
}

}  // namespace fsadvise::tuner
