// Makes tables of measurements that nobody measured, shaped like measured ones: filesystems far apart, a few
// options that matter, many that do not, some interactions, noise that differs from configuration to
// configuration.
#pragma once

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace fsadvise::test {

struct GeneratedTableOptions {
    std::uint64_t seed = 1;    // of this table
    std::uint64_t family = 0;  // tables of one family share effects; 0 = none shared
    double shared = 0.7;       // correlation within the family
    double noise = 0.015;      // standard deviation of a repeat, log metric
    double important = 0.15;   // share of option values that matter
    double strength = 0.15;    // typical size of those
    double interactions = 0.05;
    bool flat = false;                                 // nothing matters at all
    int singles = 26, combinations = 16, repeats = 5;  // a filesystem
    bool log_ratio = true;                             // else a plain metric without header and deviations
    std::string workload = "mail";
};

// Options of three filesystems by shape: most have one value to try, some three. Names mean nothing here.
inline std::string generated_table(const GeneratedTableOptions& options) {
    std::mt19937_64 own(options.seed * 7919 + 1), family(options.family * 104729 + 3);
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> uniform;
    const auto effect = [&](std::mt19937_64& random) {
        const bool matters = uniform(random) < options.important;
        const double size =
            matters ? options.strength * (0.3 + 1.4 * uniform(random)) : 0.006 * normal(random);
        return uniform(random) < 0.5 ? -std::abs(size) : size;
    };
    const auto mixed = [&] {
        const double theirs = effect(family), mine = effect(own);
        return options.family > 0 && uniform(own) < options.shared ? theirs * (0.8 + 0.4 * uniform(own))
                                                                   : mine;
    };
    struct Option {
        std::string id;
        std::vector<nlohmann::json> values;
        std::vector<double> effects;
    };
    std::string text;
    if (options.log_ratio) {
        text += nlohmann::json{{"replay_table",
                                {{"schema_version", 1},
                                 {"name", fmt::format("generated {}", options.seed)},
                                 {"workload", options.workload},
                                 {"media", "nvme"},
                                 {"metric", "log_ratio"},
                                 {"anchor", {{"filesystem", "ext4"}, {"values", nlohmann::json::object()}}}}}}
                    .dump() +
                "\n";
    }
    std::vector<std::string> lines;
    const std::vector<std::string> names = {"ext4", "xfs", "btrfs"};
    for (std::size_t f = 0; f < names.size(); ++f) {
        const double span = std::pow(uniform(family), 2);
        double level = f == 0   ? 0
                       : f == 1 ? 0.1 - 0.22 * uniform(own)
                                : 0.05 - 1.4 * (0.7 * span + 0.3 * uniform(own));
        if (options.flat) level = 0;
        std::vector<Option> list;
        for (int o = 0; o < 22; ++o) {
            Option option{fmt::format("{}.{}.option_{}", names[f], o % 3 == 0 ? "mount" : "mkfs", o), {}, {}};
            if (o % 4 == 3) {
                const double slope = mixed();
                for (int v = 0; v < 3; ++v) {
                    option.values.push_back(1 << (12 + 2 * v));
                    option.effects.push_back(slope * (v + 1) / 3.0);
                }
            } else {
                option.values.push_back(o % 4 == 0   ? nlohmann::json(true)
                                        : o % 4 == 1 ? nlohmann::json("word")
                                                     : nlohmann::json(false));
                option.effects.push_back(mixed());
            }
            if (options.flat) std::fill(option.effects.begin(), option.effects.end(), 0.0);
            list.push_back(std::move(option));
        }
        std::vector<std::vector<std::pair<std::size_t, std::size_t>>> chosen = {{}};
        for (std::size_t o = 0; o < list.size(); ++o) {
            for (std::size_t v = 0; v < list[o].values.size(); ++v) {
                if (static_cast<int>(chosen.size()) <= options.singles) chosen.push_back({{o, v}});
            }
        }
        for (int c = 0; c < options.combinations; ++c) {
            std::vector<std::pair<std::size_t, std::size_t>> picks;
            const int count = 2 + static_cast<int>(own() % 4);
            for (int k = 0; k < count; ++k) {
                const std::size_t o = own() % list.size();
                if (std::any_of(picks.begin(), picks.end(),
                                [&](const auto& pick) { return pick.first == o; }))
                    continue;
                picks.emplace_back(o, own() % list[o].values.size());
            }
            std::sort(picks.begin(), picks.end());
            if (std::find(chosen.begin(), chosen.end(), picks) == chosen.end()) chosen.push_back(picks);
        }
        for (const auto& picks : chosen) {
            nlohmann::json values = nlohmann::json::object();
            double truth = level;
            for (const auto& [o, v] : picks) {
                values[list[o].id] = list[o].values[v];
                truth += list[o].effects[v];
                for (const auto& [p, w] : picks) {
                    std::mt19937_64 pair(options.seed * 31 + f * 1000003 + o * 1009 + p);
                    if (o < p && !options.flat && uniform(pair) < 0.1)
                        truth += options.interactions * normal(pair);
                }
            }
            if (!picks.empty() && !options.flat) truth += 0.005 * normal(own);
            const double noise = options.noise * std::exp(0.4 * normal(own));
            for (int repeat = 0; repeat < options.repeats; ++repeat) {
                const double value = truth + noise * normal(own);
                nlohmann::json metrics;
                if (options.log_ratio)
                    metrics = {{"log_ratio", value}, {"deviation", noise * (0.6 + 0.4 * uniform(own))}};
                else
                    metrics = {{"operations", 1000 * std::exp(value)}};
                lines.push_back(nlohmann::json{
                    {"configuration", {{"filesystem", names[f]}, {"values", values}}},
                    {"repeat", repeat},
                    {"state", "complete"},
                    {"metrics",
                     metrics}}.dump());
            }
        }
    }
    std::shuffle(lines.begin(), lines.end(), own);
    for (const std::string& line : lines) text += line + "\n";
    return text;
}

}  // namespace fsadvise::test
