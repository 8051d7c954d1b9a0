#include "models/ranks.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace fsadvise::models {

Ranks ranks_of(std::span<const double> values) {
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
    Ranks result;
    result.of.resize(values.size());
    for (std::size_t first = 0; first < order.size();) {
        std::size_t last = first + 1;
        while (last < order.size() && values[order[last]] == values[order[first]]) ++last;
        // Places first+1 .. last share their mean.
        const double shared = static_cast<double>(first + 1 + last) / 2;
        for (std::size_t i = first; i < last; ++i) result.of[order[i]] = shared;
        const auto tied = static_cast<double>(last - first);
        result.tie_term += tied * tied * tied - tied;
        first = last;
    }
    return result;
}

bool all_finite(std::span<const double> values) {
    return std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
}

}  // namespace fsadvise::models
