#include "models/encoder.h"

#include <algorithm>

namespace fsadvise::models {

Encoder::Encoder(std::vector<Column> columns) : columns_(std::move(columns)) {
    for (const Column& column : columns_) {
        if (!column.positions.empty()) names_.push_back(column.name + ":position");
        // Level 0 is the reference of a categorical column; of an ordinal one, the slope speaks for the
        // levels.
        if (column.positions.empty()) {
            for (std::size_t level = 1; level < column.levels; ++level) {
                names_.push_back(column.name + "=" + std::to_string(level));
            }
        } else {
            names_.push_back(column.name + ":set");
        }
    }
}

Eigen::VectorXd Encoder::encode(const Point& point) const {
    Eigen::VectorXd row = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(names_.size()));
    Eigen::Index at = 0;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        const Column& column = columns_[i];
        const int level = point.level[i];
        if (column.positions.empty()) {
            if (level > 0) row[at + level - 1] = 1;
            at += static_cast<Eigen::Index>(column.levels) - (column.levels > 0 ? 1 : 0);
            continue;
        }
        // Centred on the default (level 0), so that zeros mean "as by default" and inactive alike.
        if (level > 0) {
            const auto [low, high] = std::minmax_element(column.positions.begin(), column.positions.end());
            const double span = *high > *low ? *high - *low : 1;
            row[at] = (column.positions[static_cast<std::size_t>(level)] - column.positions[0]) / span;
            row[at + 1] = 1;
        }
        at += 2;
    }
    return row;
}

Eigen::MatrixXd Encoder::encode(const std::vector<Point>& points) const {
    Eigen::MatrixXd rows(static_cast<Eigen::Index>(points.size()), static_cast<Eigen::Index>(names_.size()));
    for (std::size_t i = 0; i < points.size(); ++i)
        rows.row(static_cast<Eigen::Index>(i)) = encode(points[i]);
    return rows;
}

}  // namespace fsadvise::models
