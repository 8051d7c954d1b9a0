#include "models/rank_correlation.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <boost/math/distributions/normal.hpp>

#include "models/ranks.h"

namespace fsadvise::models {
namespace {

bool usable(std::span<const double> x, std::span<const double> y) {
    return x.size() == y.size() && x.size() >= 2 && all_finite(x) && all_finite(y);
}

// NaN for a constant series.
double pearson(std::span<const double> x, std::span<const double> y) {
    const double x_mean = mean(x), y_mean = mean(y);
    double xy = 0, xx = 0, yy = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        xy += (x[i] - x_mean) * (y[i] - y_mean);
        xx += (x[i] - x_mean) * (x[i] - x_mean);
        yy += (y[i] - y_mean) * (y[i] - y_mean);
    }
    return xx > 0 && yy > 0 ? std::clamp(xy / std::sqrt(xx * yy), -1.0, 1.0) : std::nan("");
}

double rho(std::span<const double> x, std::span<const double> y) {
    return pearson(ranks_of(x).of, ranks_of(y).of);
}

double tau_b(std::span<const double> x, std::span<const double> y) {
    const auto sign = [](double value) { return value > 0 ? 1 : value < 0 ? -1 : 0; };
    double agree = 0, x_apart = 0, y_apart = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            const int a = sign(x[i] - x[j]), b = sign(y[i] - y[j]);
            agree += a * b;
            x_apart += a * a;
            y_apart += b * b;
        }
    }
    return x_apart > 0 && y_apart > 0 ? agree / std::sqrt(x_apart * y_apart) : std::nan("");
}

// On Fisher's scale; a perfect order has no spread to judge by and gets no interval.
std::optional<Interval> fisher_interval(double value, double variance, double level) {
    if (!(variance > 0) || !(std::abs(value) < 1) || !(level > 0 && level < 1)) return std::nullopt;
    const double half = boost::math::quantile(boost::math::normal(), 0.5 + level / 2) * std::sqrt(variance);
    const double center = std::atanh(value);
    return Interval{std::tanh(center - half), std::tanh(center + half), level};
}

}  // namespace

std::optional<Correlation> spearman(std::span<const double> x, std::span<const double> y, double level) {
    if (!usable(x, y)) return std::nullopt;
    const double value = rho(x, y);
    if (std::isnan(value)) return std::nullopt;
    Correlation result{value, std::nullopt};
    if (x.size() >= 4) {
        const double variance = (1 + value * value / 2) / (static_cast<double>(x.size()) - 3);
        result.interval = fisher_interval(value, variance, level);
    }
    return result;
}

std::optional<Correlation> kendall(std::span<const double> x, std::span<const double> y, double level) {
    if (!usable(x, y)) return std::nullopt;
    const double value = tau_b(x, y);
    if (std::isnan(value)) return std::nullopt;
    Correlation result{value, std::nullopt};
    if (x.size() >= 5) {
        result.interval = fisher_interval(value, 0.437 / (static_cast<double>(x.size()) - 4), level);
    }
    return result;
}

std::optional<Correlation> spearman_bootstrap(std::span<const double> x, std::span<const double> y,
                                              const BootstrapOptions& options) {
    if (!usable(x, y)) return std::nullopt;
    const double value = rho(x, y);
    if (std::isnan(value)) return std::nullopt;
    std::vector<double> drawn_x, drawn_y;
    const auto of_indices = [&](std::span<const std::size_t> indices) {
        drawn_x.clear();
        drawn_y.clear();
        for (const std::size_t index : indices) {
            drawn_x.push_back(x[index]);
            drawn_y.push_back(y[index]);
        }
        return rho(drawn_x, drawn_y);
    };
    return Correlation{value, bootstrap_index_interval(x.size(), of_indices, options)};
}

}  // namespace fsadvise::models
