#include "models/pareto.h"

#include <algorithm>
#include <cmath>

namespace fsadvise::models {

bool dominates(std::span<const double> a, std::span<const double> b) {
    bool better = false;
    for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
        if (a[i] < b[i]) return false;
        better = better || a[i] > b[i];
    }
    return better;
}

std::vector<std::size_t> pareto_front(std::span<const std::vector<double>> points) {
    const auto usable = [](const std::vector<double>& point) {
        return std::none_of(point.begin(), point.end(), [](double value) { return std::isnan(value); });
    };
    std::vector<std::size_t> front;
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (!usable(points[i])) continue;
        const bool beaten = std::any_of(points.begin(), points.end(), [&](const std::vector<double>& other) {
            return usable(other) && dominates(other, points[i]);
        });
        if (!beaten) front.push_back(i);
    }
    return front;
}

}  // namespace fsadvise::models
