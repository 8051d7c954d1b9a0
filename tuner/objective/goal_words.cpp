// Goals as people write them, and as studies keep them.
#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "base/units.h"
#include "tuner/objective/goal.h"

namespace fsadvise::tuner {
namespace {

using nlohmann::json;

Result<Figure> known_figure(std::string_view word, const char* option) {
    std::string name = lower(trim(word));
    std::replace(name.begin(), name.end(), ' ', '-');
    if (const auto found = figure(name)) return *found;
    const std::vector<std::string> names(figure_names().begin(), figure_names().end());
    return fail(ErrorCode::kUsage, "unknown figure '" + name + "'" + did_you_mean(name, names), option,
                "known are: " + join(names, ", "));
}

std::optional<double> plain_number(std::string_view text) {
    const std::string_view word = trim(text);
    double value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc{} || end != word.data() + word.size() || !std::isfinite(value))
        return std::nullopt;
    return value;
}

// In the unit of the figure.
std::optional<double> bound_of(Figure figure, std::string word) {
    std::erase(word, ' ');
    switch (figure) {
        case Figure::kThroughput:
        case Figure::kSpaceAmplification:
            return plain_number(word);
        case Figure::kSpace: {
            const auto size = parse_size(word);
            return size ? std::optional(static_cast<double>(*size)) : std::nullopt;
        }
        default: {
            const auto duration = parse_duration_ns(word);
            return duration ? std::optional(static_cast<double>(*duration) * 1e-9) : std::nullopt;
        }
    }
}

Result<std::vector<Weight>> read_weights(const std::string& text) {
    std::vector<Weight> weights;
    double sum = 0;
    for (const std::string& part : split(text, ',')) {
        const auto colon = part.find(':');
        FSADVISE_ASSIGN(const Figure figure, known_figure(part.substr(0, colon), "--objective"));
        const auto share =
            colon == std::string::npos ? std::optional(1.0) : plain_number(part.substr(colon + 1));
        if (!share || *share <= 0) {
            return fail(ErrorCode::kUsage, "'" + part + "' has no weight above 0", "--objective",
                        "write for example throughput:0.7,space:0.3");
        }
        if (std::any_of(weights.begin(), weights.end(), [&](const Weight& w) { return w.figure == figure; }))
            return fail(ErrorCode::kUsage, figure_name(figure) + " is named twice", "--objective",
                        "name it once");
        weights.push_back({figure, *share});
        sum += *share;
    }
    for (Weight& weight : weights) weight.share /= sum;
    return weights;
}

Result<Limit> read_limit(const std::string& text) {
    const auto at = text.find_first_of("<>");
    const auto refuse = [&](const std::string& why) {
        return fail(ErrorCode::kUsage, "'" + text + "' " + why, "--constraint",
                    "write for example 'p99 < 5 ms', 'space-amplification < 1.2' or 'throughput > 0.9x'");
    };
    if (at == std::string::npos) return refuse("has neither < nor >");
    Limit limit;
    limit.text = std::string(trim(text));
    limit.most = text[at] == '<';
    FSADVISE_ASSIGN(limit.figure, known_figure(text.substr(0, at), "--constraint"));
    // "<=" is meant as "<": a measured value equals no bound.
    std::string rest(trim(std::string_view(text).substr(at + 1)));
    if (rest.starts_with("=")) rest = std::string(trim(std::string_view(rest).substr(1)));
    std::optional<double> bound;
    if (rest.ends_with("x")) {
        limit.relative = true;
        bound = plain_number(rest.substr(0, rest.size() - 1));
    } else {
        bound = bound_of(limit.figure, rest);
    }
    if (!bound || *bound <= 0)
        return refuse("has no bound above 0 in a unit of " + figure_name(limit.figure));
    limit.bound = *bound;
    return limit;
}

}  // namespace

Result<Goal> read_goal(const std::string& objective, const std::string& front,
                       const std::vector<std::string>& limits) {
    Goal goal;
    if (!objective.empty()) {
        FSADVISE_ASSIGN(goal.weights, read_weights(objective));
    }
    if (!front.empty()) {
        if (!objective.empty()) {
            return fail(ErrorCode::kUsage, "a front has no single objective", "--pareto",
                        "leave out --objective, or --pareto");
        }
        for (const std::string& word : split(front, ',')) {
            FSADVISE_ASSIGN(const Figure figure, known_figure(word, "--pareto"));
            if (std::find(goal.front.begin(), goal.front.end(), figure) != goal.front.end())
                return fail(ErrorCode::kUsage, figure_name(figure) + " is named twice", "--pareto",
                            "name it once");
            goal.front.push_back(figure);
        }
        if (goal.front.size() < 2)
            return fail(ErrorCode::kUsage, "a front needs two figures", "--pareto", "write throughput,space");
        for (const Figure figure : goal.front)
            goal.weights.push_back({figure, 1.0 / static_cast<double>(goal.front.size())});
    }
    for (const std::string& text : limits) {
        FSADVISE_ASSIGN(Limit limit, read_limit(text));
        goal.limits.push_back(std::move(limit));
    }
    return goal;
}

std::string goal_text(const Goal& goal) {
    if (!goal.asks()) return {};
    std::vector<std::string> objective, front;
    json limits = json::array();
    for (const Weight& weight : goal.weights)
        objective.push_back(fmt::format("{}:{}", figure_name(weight.figure), weight.share));
    for (const Figure figure : goal.front) front.push_back(figure_name(figure));
    for (const Limit& limit : goal.limits) limits.push_back(limit.text);
    return json{{"objective", goal.front.empty() ? join(objective, ",") : ""},
                {"pareto", join(front, ",")},
                {"constraints", limits}}
        .dump();
}

Result<Goal> goal_from_text(const std::string& json_text, const std::string& name) {
    if (json_text.empty()) return Goal{};
    const json document = json::parse(json_text, nullptr, false);
    try {
        return read_goal(document.at("objective").get<std::string>(),
                         document.at("pareto").get<std::string>(),
                         document.at("constraints").get<std::vector<std::string>>());
    } catch (const json::exception& error) {
        return fail(ErrorCode::kBadInput, std::string("a damaged goal: ") + error.what(), name,
                    "start a new study");
    }
}

std::string goal_title(const Goal& goal) {
    if (!goal.front.empty()) {
        std::vector<std::string> names;
        for (const Figure figure : goal.front) names.push_back(figure_name(figure));
        return "the front of " + join(names, " and ");
    }
    if (goal.weights.size() == 1) return figure_name(goal.weights.front().figure);
    std::vector<std::string> parts;
    for (const Weight& weight : goal.weights)
        parts.push_back(fmt::format("{:.0f} % {}", 100 * weight.share, figure_name(weight.figure)));
    return join(parts, ", ");
}

}  // namespace fsadvise::tuner
