// Points of a mixed, conditional space as rows of numbers.
//
// A column is a factor with `levels` levels (categorical) or an ordinal/log2 number; a point gives one level
// index a column, or -1 where the column is inactive (a parameter of another filesystem). models/ knows no
// filesystems.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <Eigen/Dense>

namespace fsadvise::models {

struct Column {
    std::string name;
    std::vector<double>
        positions;  // empty: categorical with `levels`; else ordinal level -> position (log2 of size)
    std::size_t levels = 0;
};

struct Point {
    std::vector<int> level;  // one a column, -1 = inactive
};

// Invariant: columns fixed at construction; every row has feature_count() numbers.
class Encoder {
  public:
    explicit Encoder(std::vector<Column> columns);
    // One-hot for categorical columns (level 0 is the reference), position scaled to [0,1] for ordinal ones
    // plus an "is the default" indicator; inactive = zeros.
    [[nodiscard]] Eigen::VectorXd encode(const Point& point) const;
    [[nodiscard]] Eigen::MatrixXd encode(const std::vector<Point>& points) const;
    [[nodiscard]] std::size_t feature_count() const { return names_.size(); }
    [[nodiscard]] const std::vector<std::string>& feature_names() const { return names_; }
    [[nodiscard]] const std::vector<Column>& columns() const { return columns_; }

  private:
    std::vector<Column> columns_;
    std::vector<std::string> names_;
};

}  // namespace fsadvise::models
