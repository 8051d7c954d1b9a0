// Internal: the trials so far, one entry a configuration, as samplers need them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tuner/study/study.h"

namespace fsadvise::tuner {

struct Tried {
    Configuration configuration;
    std::vector<std::pair<double, double>> measured;  // log metric and its standard error, search phase only
    bool running = false, failed = false;
    [[nodiscard]] double mean() const {
        double sum = 0;
        for (const auto& [value, deviation] : measured) sum += value;
        return measured.empty() ? 0 : sum / static_cast<double>(measured.size());
    }
};

struct History {
    explicit History(const std::vector<Trial>& trials);
    std::vector<Tried> tried;                  // in order of the first trial
    std::map<std::string, std::size_t> index;  // by canonical text
    std::size_t trials = 0;
    // Left over from a stop: to be run first.
    std::vector<Configuration> interrupted;
    [[nodiscard]] bool has(const Configuration& configuration) const {
        return index.contains(canonical_text(configuration));
    }
};

}  // namespace fsadvise::tuner
