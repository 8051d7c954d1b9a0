#include "models/outliers.h"

#include <cmath>

#include "models/statistics.h"

namespace fsadvise::models {
namespace {

constexpr std::size_t kFewest = 3;

// What one unit of z is, in the unit of the values; 0 if all are equal.
double scale_of(std::span<const double> values, double center) {
    const double robust = robust_deviation(values);
    if (robust > 0) return robust;
    double sum = 0;
    for (const double value : values) sum += std::abs(value - center);
    return 1.2533 * sum / static_cast<double>(values.size());
}

}  // namespace

std::vector<double> robust_z(std::span<const double> values) {
    std::vector<double> finite;
    for (const double value : values) {
        if (std::isfinite(value)) finite.push_back(value);
    }
    double center = 0, scale = 0;
    if (finite.size() >= kFewest) {
        center = median(finite);
        scale = scale_of(finite, center);
    }
    std::vector<double> result;
    result.reserve(values.size());
    for (const double value : values) {
        if (!std::isfinite(value))
            result.push_back(std::nan(""));
        else
            result.push_back(scale > 0 ? (value - center) / scale : 0);
    }
    return result;
}

std::vector<std::size_t> outliers(std::span<const double> values, double limit) {
    const std::vector<double> scores = robust_z(values);
    std::vector<std::size_t> result;
    for (std::size_t i = 0; i < scores.size(); ++i) {
        if (!(std::abs(scores[i]) <= limit)) result.push_back(i);
    }
    return result;
}

}  // namespace fsadvise::models
