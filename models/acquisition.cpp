#include "models/acquisition.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace fsadvise::models {

double expected_improvement(double mean, double deviation, double best) {
    const double gain = mean - best;
    if (!(deviation > 0)) return std::max(0.0, gain);
    const double z = gain / deviation;
    const double density = std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
    const double below = std::erfc(-z / std::numbers::sqrt2) / 2;
    return std::max(0.0, gain * below + deviation * density);
}

}  // namespace fsadvise::models
