#include "output/report/chart.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "output/report/html.h"

namespace fsadvise {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kWidth = 720, kHeight = 300, kLeft = 64, kRight = 16, kTop = 12, kBottom = 44;
constexpr int kTicks = 5;

// A range of data on a length of the drawing.
class Scale {
  public:
    Scale(double low, double high, double from, double to, bool log) : from_(from), to_(to), log_(log) {
        if (log_) low = std::log10(std::max(low, 1e-12)), high = std::log10(std::max(high, 1e-12));
        if (!(high > low)) low -= 1, high += 1;
        const double margin = 0.05 * (high - low);
        low_ = low - margin;
        high_ = high + margin;
    }
    [[nodiscard]] double operator()(double value) const {
        const double place = log_ ? std::log10(std::max(value, 1e-12)) : value;
        return from_ + (to_ - from_) * (place - low_) / (high_ - low_);
    }
    // Round numbers inside the range.
    [[nodiscard]] std::vector<double> ticks() const {
        std::vector<double> result;
        if (log_) {
            for (double power = std::ceil(low_); power <= high_; power += 1)
                result.push_back(std::pow(10, power));
            return result;
        }
        const double rough = (high_ - low_) / kTicks, unit = std::pow(10, std::floor(std::log10(rough)));
        const double factor = rough / unit;
        const double step = unit * (factor < 1.5 ? 1 : factor < 3 ? 2 : factor < 7 ? 5 : 10);
        for (double value = std::ceil(low_ / step) * step; value <= high_; value += step)
            result.push_back(value);
        return result;
    }

  private:
    double low_ = 0, high_ = 1, from_, to_;
    bool log_;
};

std::string tick_text(double value) {
    return std::abs(value) < 1e-9 ? "0" : fmt::format("{:.4g}", value);
}

// A colour of the style sheet per group, in order of first appearance.
class Colours {
  public:
    std::string of(const std::string& group) {
        return fmt::format("c{}", places_.emplace(group, places_.size() % 6).first->second);
    }
    [[nodiscard]] std::string legend() const {
        if (places_.size() < 2) return "";
        std::string out = "<p class=\"legend\">";
        for (const auto& [group, place] : places_)
            out += fmt::format(
                "<span><svg width=\"12\" height=\"12\" aria-hidden=\"true\"><circle cx=\"6\" cy=\"6\" "
                "r=\"4\" class=\"c{}\"/></svg> {}</span> ",
                place, escaped(group));
        return out + "</p>\n";
    }

  private:
    std::map<std::string, std::size_t> places_;
};

std::string grid(const Scale& x, const Scale& y, const ChartAxis& x_axis, const ChartAxis& y_axis,
                 double height) {
    std::string out;
    for (const double tick : y.ticks())
        out += fmt::format(
            "<line x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\" class=\"grid\"/><text "
            "x=\"{:.1f}\" y=\"{:.1f}\" class=\"tick end\">{}</text>\n",
            kLeft, kWidth - kRight, y(tick), y(tick), kLeft - 6, y(tick) + 4, tick_text(tick));
    for (const double tick : x.ticks())
        out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"tick middle\">{}</text>\n", x(tick),
                           height - kBottom + 16, tick_text(tick));
    out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"axis middle\">{}</text>\n",
                       (kLeft + kWidth - kRight) / 2, height - 8, escaped(x_axis.title));
    out +=
        fmt::format("<text transform=\"translate(14 {:.1f}) rotate(-90)\" class=\"axis middle\">{}</text>\n",
                    (kTop + height - kBottom) / 2, escaped(y_axis.title));
    return out;
}

std::string svg_begin(const std::string& description, double height) {
    return fmt::format("<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\" class=\"chart\">\n", kWidth,
                       height, escaped(description));
}

std::string wrapped(const std::string& id, const std::string& title, const std::string& svg,
                    const std::string& legend, const Json& spec) {
    return fmt::format(
        "<figure id=\"{}\">\n<figcaption>{}</figcaption>\n<div class=\"static\">\n{}{}</div>\n<div "
        "class=\"live\" hidden></div>\n"
        "<script type=\"application/json\" class=\"vega-lite\">{}</script>\n</figure>\n",
        escaped(id), escaped(title), svg, legend,
        script_safe(spec.dump(-1, ' ', false, Json::error_handler_t::replace)));
}

Json spec_head(const std::string& description) {
    return {{"$schema", "https://vega.github.io/schema/vega-lite/v5.json"},
            {"description", description},
            {"width", "container"},
            {"autosize", {{"type", "fit-x"}, {"contains", "padding"}}},
            {"height", 260}};
}

std::string step_path(const Scale& x, const Scale& y, const std::vector<std::pair<double, double>>& line) {
    std::string path;
    for (std::size_t i = 0; i < line.size(); ++i)
        path += i == 0 ? fmt::format("M{:.1f} {:.1f}", x(line[i].first), y(line[i].second))
                       : fmt::format("H{:.1f}V{:.1f}", x(line[i].first), y(line[i].second));
    return path;
}

}  // namespace

std::string figure(const Chart& chart) {
    if (chart.points.empty()) return "";
    double x_low = chart.points[0].x, x_high = x_low, y_low = chart.points[0].y, y_high = y_low;
    for (const ChartPoint& point : chart.points) {
        x_low = std::min(x_low, point.x), x_high = std::max(x_high, point.x);
        y_low = std::min(y_low, point.low.value_or(point.y)),
        y_high = std::max(y_high, point.high.value_or(point.y));
    }
    if (chart.reference)
        y_low = std::min(y_low, *chart.reference), y_high = std::max(y_high, *chart.reference);
    const Scale x(x_low, x_high, kLeft, kWidth - kRight, chart.x.log),
        y(y_low, y_high, kHeight - kBottom, kTop, chart.y.log);
    Colours colours;
    std::string svg = svg_begin(chart.description, kHeight) + grid(x, y, chart.x, chart.y, kHeight);
    Json values = Json::array(), line = Json::array();
    if (chart.reference)
        svg += fmt::format(
            "<line x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\" class=\"reference\"/>\n", kLeft,
            kWidth - kRight, y(*chart.reference), y(*chart.reference));
    if (!chart.line.empty())
        svg += fmt::format("<path d=\"{}\" class=\"line\"/>\n", step_path(x, y, chart.line));
    for (const ChartPoint& point : chart.points) {
        const std::string colour = colours.of(point.group);
        if (point.low && point.high)
            svg += fmt::format(
                "<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\" class=\"{3}\"/>\n",
                x(point.x), y(*point.low), y(*point.high), colour);
        svg += fmt::format(
            "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" class=\"{}\"><title>{}</title></circle>\n",
            x(point.x), y(point.y), colour, escaped(point.label));
        values.push_back({{"x", point.x}, {"y", point.y}, {"group", point.group}, {"label", point.label}});
    }
    svg += "</svg>\n";
    for (const auto& [a, b] : chart.line) line.push_back({{"x", a}, {"y", b}});
    const auto axis = [](const char* field, const ChartAxis& about) {
        Json axis_style = Json::object();
        if (about.whole) axis_style = {{"format", "d"}, {"tickMinStep", 1}};
        return Json{{"field", field},
                    {"type", "quantitative"},
                    {"title", about.title},
                    {"axis", axis_style},
                    {"scale", {{"zero", false}, {"type", about.log ? "log" : "linear"}}}};
    };
    Json spec = spec_head(chart.description);
    spec["layer"] = Json::array();
    if (chart.reference)
        spec["layer"].push_back({{"data", {{"values", Json::array({{{"y", *chart.reference}}})}}},
                                 {"mark", {{"type", "rule"}, {"strokeDash", {4, 4}}}},
                                 {"encoding", {{"y", axis("y", chart.y)}}}});
    if (!line.empty())
        spec["layer"].push_back({{"data", {{"values", line}}},
                                 {"mark", {{"type", "line"}, {"interpolate", "step-after"}}},
                                 {"encoding", {{"x", axis("x", chart.x)}, {"y", axis("y", chart.y)}}}});
    spec["layer"].push_back(
        {{"data", {{"values", values}}},
         {"params", Json::array({{{"name", "zoom"}, {"select", "interval"}, {"bind", "scales"}}})},
         {"mark", {{"type", "point"}, {"filled", true}, {"size", 60}}},
         {"encoding",
          {{"x", axis("x", chart.x)},
           {"y", axis("y", chart.y)},
           {"color", {{"field", "group"}, {"title", nullptr}}},
           {"tooltip", Json::array({{{"field", "label"}, {"title", "trial"}},
                                    {{"field", "y"}, {"format", ".4g"}, {"title", chart.y.title}}})}}}});
    return wrapped(chart.id, chart.title, svg, colours.legend(), spec);
}

std::string figure(const IntervalChart& chart) {
    if (chart.rows.empty()) return "";
    constexpr double kRow = 30, kNames = 260;
    const double height = kTop + kRow * static_cast<double>(chart.rows.size()) + kBottom;
    double low = chart.reference, high = chart.reference;
    for (const IntervalRow& row : chart.rows) low = std::min(low, row.low), high = std::max(high, row.high);
    const Scale x(low, high, kNames, kWidth - kRight, false);
    std::string svg = svg_begin(chart.description, height);
    for (const double tick : x.ticks())
        svg += fmt::format(
            "<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2:.1f}\" class=\"grid\"/><text "
            "x=\"{0:.1f}\" y=\"{3:.1f}\" class=\"tick middle\">{4}</text>\n",
            x(tick), kTop, height - kBottom, height - kBottom + 16, tick_text(tick));
    svg +=
        fmt::format("<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2:.1f}\" class=\"reference\"/>\n",
                    x(chart.reference), kTop, height - kBottom);
    Json values = Json::array();
    for (std::size_t i = 0; i < chart.rows.size(); ++i) {
        const IntervalRow& row = chart.rows[i];
        const double y = kTop + kRow * (static_cast<double>(i) + 0.5);
        constexpr std::size_t kLongest = 38;
        const std::string name =
            row.name.size() > kLongest ? row.name.substr(0, kLongest - 1) + "…" : row.name;
        const char* colour = row.material ? "c0" : "muted";
        svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"tick end\">{}<title>{}</title></text>\n",
                           kNames - 8, y + 4, escaped(name), escaped(row.name));
        svg += fmt::format(
            "<line x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\" class=\"{}\"/><circle "
            "cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"5\" class=\"{}\"><title>{:+.1f} ({:+.1f} to "
            "{:+.1f})</title></circle>\n",
            x(row.low), x(row.high), y, y, colour, x(row.value), y, colour, row.value, row.low, row.high);
        values.push_back({{"name", row.name}, {"value", row.value}, {"low", row.low}, {"high", row.high}});
    }
    svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"axis middle\">{}</text>\n</svg>\n",
                       (kNames + kWidth - kRight) / 2, height - 8, escaped(chart.axis));
    Json spec = spec_head(chart.description);
    spec["height"] = 30 * chart.rows.size();
    spec["data"] = {{"values", values}};
    const Json y{{"field", "name"},
                 {"type", "nominal"},
                 {"sort", nullptr},
                 {"title", nullptr},
                 {"axis", {{"labelLimit", 320}}}};
    const auto x_of = [&](const char* field) {
        return Json{{"field", field}, {"type", "quantitative"}, {"title", chart.axis}};
    };
    const Json tooltip = Json::array({{{"field", "name"}},
                                      {{"field", "value"}, {"format", "+.2f"}},
                                      {{"field", "low"}, {"format", "+.2f"}},
                                      {{"field", "high"}, {"format", "+.2f"}}});
    spec["layer"] = Json::array(
        {{{"mark", {{"type", "rule"}, {"strokeWidth", 3}}},
          {"encoding", {{"y", y}, {"x", x_of("low")}, {"x2", {{"field", "high"}}}, {"tooltip", tooltip}}}},
         {{"mark", {{"type", "point"}, {"filled", true}, {"size", 90}}},
          {"encoding", {{"y", y}, {"x", x_of("value")}, {"tooltip", tooltip}}}},
         {{"mark", {{"type", "rule"}, {"strokeDash", {4, 4}}}},
          {"encoding", {{"x", {{"datum", chart.reference}}}}}}});
    return wrapped(chart.id, chart.title, svg, "", spec);
}

std::string figure(const PairBars& chart) {
    if (chart.rows.empty()) return "";
    constexpr double kRow = 44, kNames = 90, kText = 90;
    const double height = kTop + kRow * static_cast<double>(chart.rows.size()) + kBottom;
    double low = chart.rows[0].first, high = low;
    for (const auto& row : chart.rows)
        low = std::min({low, row.first, row.second}), high = std::max({high, row.first, row.second});
    const Scale x(low / 2, high, kNames, kWidth - kText, true);
    std::string svg = svg_begin(chart.description, height);
    Json values = Json::array();
    Colours colours;
    for (std::size_t i = 0; i < chart.rows.size(); ++i) {
        const auto& row = chart.rows[i];
        const double y = kTop + kRow * static_cast<double>(i);
        svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"tick end\">{}</text>\n", kNames - 8,
                           y + 22, escaped(row.name));
        const std::pair<const std::string&, double> sides[] = {{chart.first, row.first},
                                                               {chart.second, row.second}};
        for (std::size_t side = 0; side < 2; ++side) {
            const auto& [name, value] = sides[side];
            const double top = y + 3 + 17 * static_cast<double>(side);
            const std::string& text = side == 0 ? row.first_text : row.second_text;
            svg += fmt::format(
                "<rect x=\"{}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"14\" class=\"{}\"/><text x=\"{:.1f}\" "
                "y=\"{:.1f}\" class=\"tick\">{}</text>\n",
                kNames, top, std::max(1.0, x(value) - kNames), colours.of(name), x(value) + 5, top + 11,
                escaped(text));
            values.push_back({{"name", row.name}, {"side", name}, {"value", value}, {"text", text}});
        }
    }
    svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"axis middle\">{}</text>\n</svg>\n",
                       (kNames + kWidth - kText) / 2, height - 8, escaped(chart.axis));
    Json spec = spec_head(chart.description);
    spec["data"] = {{"values", values}};
    spec["mark"] = {{"type", "point"}, {"filled", true}, {"size", 120}};
    spec["encoding"] = {
        {"y", {{"field", "name"}, {"type", "nominal"}, {"sort", nullptr}, {"title", nullptr}}},
        {"x",
         {{"field", "value"}, {"type", "quantitative"}, {"title", chart.axis}, {"scale", {{"type", "log"}}}}},
        {"color", {{"field", "side"}, {"title", nullptr}}},
        {"tooltip", Json::array({{{"field", "side"}}, {{"field", "name"}}, {{"field", "text"}}})}};
    return wrapped(chart.id, chart.title, svg, colours.legend(), spec);
}

}  // namespace fsadvise
