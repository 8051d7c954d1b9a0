// Generated studies with a known truth: filesystems with columns of their own, few of which act.
#pragma once

#include <cmath>
#include <map>
#include <random>

#include "models/surrogate.h"

namespace fsadvise::test {

struct Truth {
    models::Domain domain;
    std::vector<std::vector<std::size_t>> columns_of;  // filesystem -> its columns
    std::vector<double> filesystem;
    std::vector<std::vector<double>> effect;                     // column, level
    std::map<std::pair<std::size_t, std::size_t>, double> pair;  // both off their default

    [[nodiscard]] double operator()(const models::Point& point) const {
        double sum = filesystem[static_cast<std::size_t>(point.level[0])];
        for (std::size_t c = 1; c < effect.size(); ++c) {
            if (point.level[c] > 0) sum += effect[c][static_cast<std::size_t>(point.level[c])];
        }
        for (const auto& [columns, value] : pair) {
            if (point.level[columns.first] > 0 && point.level[columns.second] > 0) sum += value;
        }
        return sum;
    }

    [[nodiscard]] models::Point defaults(std::size_t which) const {
        models::Point point{std::vector<int>(domain.columns.size(), -1)};
        point.level[0] = static_cast<int>(which);
        for (const std::size_t c : columns_of[which]) point.level[c] = 0;
        return point;
    }

    [[nodiscard]] models::Point sample(std::mt19937_64& random) const {
        models::Point point = defaults(random() % filesystem.size());
        for (const std::size_t c : columns_of[static_cast<std::size_t>(point.level[0])]) {
            if (random() % 2 == 0) point.level[c] = static_cast<int>(random() % domain.columns[c].levels);
        }
        return point;
    }
};

// `columns` a filesystem, a fifth of them act by about `size`; every third one is ordered with five levels.
inline Truth make_truth(std::mt19937_64& random, std::size_t filesystems = 3, std::size_t columns = 10,
                        double size = 0.15) {
    std::normal_distribution<double> normal;
    Truth truth;
    truth.domain.columns.push_back({"filesystem", {}, filesystems});
    truth.effect.emplace_back();
    for (std::size_t f = 0; f < filesystems; ++f) {
        truth.filesystem.push_back(0.3 * normal(random));
        truth.columns_of.emplace_back();
        for (std::size_t i = 0; i < columns; ++i) {
            const bool ordered = i % 3 == 0;
            const std::size_t levels = ordered ? 5 : 2 + i % 2;
            models::Column column{"c" + std::to_string(truth.domain.columns.size()), {}, levels};
            std::vector<double> effects(levels, 0);
            const double slope = size * normal(random);
            for (std::size_t l = 0; l < levels; ++l) {
                // The default is in the middle of the sizes, as in life.
                const double position = l == 0 ? 12 : 10 + static_cast<double>(l) - (l <= 2 ? 1 : 0);
                if (ordered) column.positions.push_back(position);
                if (i % 5 == 0) effects[l] = ordered ? slope * (position - 12) / 2 : l == 0 ? 0 : slope;
            }
            truth.columns_of[f].push_back(truth.domain.columns.size());
            truth.domain.columns.push_back(std::move(column));
            truth.effect.push_back(std::move(effects));
        }
        truth.pair[{truth.columns_of[f][0], truth.columns_of[f][columns > 5 ? 5 : columns - 1]}] =
            size / 3 * normal(random);
    }
    return truth;
}

inline models::TrainingData measure(const Truth& truth, std::mt19937_64& random, std::size_t rows,
                                    double noise = 0.02) {
    std::normal_distribution<double> normal;
    models::TrainingData data;
    for (std::size_t i = 0; i < rows; ++i) {
        data.points.push_back(i < truth.filesystem.size() ? truth.defaults(i) : truth.sample(random));
        data.targets.push_back(truth(data.points.back()) + noise * normal(random));
        data.noise_variance.push_back(noise * noise);
    }
    return data;
}

}  // namespace fsadvise::test
