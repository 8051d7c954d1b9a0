// A chart as a static SVG, readable without scripts, and as a Vega-Lite specification of the same data, which
// replaces it where scripts run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace fsadvise {

struct ChartPoint {
    double x = 0, y = 0;
    std::optional<double> low, high;  // interval of y
    std::string group;                // colour
    std::string label;                // what a pointer or a screen reader says
};

struct ChartAxis {
    std::string title;
    bool log = false;
    bool whole = false;  // counts
};

struct Chart {
    std::string id;           // unique in the document
    std::string title;        // a sentence with what is to be seen
    std::string description;  // for those who do not see it
    ChartAxis x, y;
    std::vector<ChartPoint> points;
    std::vector<std::pair<double, double>> line;  // joined by steps, e.g. the best so far
    std::optional<double> reference;              // a horizontal line: the default
};

// Points, with intervals where they have one.
std::string figure(const Chart& chart);

// Named values side by side, one row each: interval charts of effects and of confirmed differences.
struct IntervalRow {
    std::string name;
    double value = 0, low = 0, high = 0;
    bool material = false;
};
struct IntervalChart {
    std::string id, title, description, axis;
    std::vector<IntervalRow> rows;
    double reference = 0;
};
std::string figure(const IntervalChart& chart);

// Bars of two sides per category, on a logarithmic axis.
struct PairBars {
    std::string id, title, description, axis, first, second;
    struct Row {
        std::string name;
        double first = 0, second = 0;
        std::string first_text, second_text;
    };
    std::vector<Row> rows;
};
std::string figure(const PairBars& chart);

}  // namespace fsadvise
