// How few trials a search needs: regret curves of samplers on tables, over many seeds.
//
//   search_score run [--seeds N] [--trials N] [--sampler S]... [--noise X] [--memory none|others|opposite]
//   TABLE...
//       writes one JSON line a run to standard output (curves)
//   search_score summary FILE...
//       reads such lines, also those of examples/optuna_study.py, and prints the scores
//   search_score generate DIRECTORY
//       writes generated tables, four families of different strength and noise
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "tuner/replay/replay.h"
#include "tuner/replay/session.h"

#include "support/replay_generator.h"

using namespace fsadvise;
using namespace fsadvise::tuner;

namespace {

struct Curve {
    std::vector<double> regret;
    int stopped_after = 0;  // 0 = used the whole budget
    bool material = false;
};

int usage() {
    std::fputs("usage: search_score run|summary|generate ...; see the head of tests/bench/search_score.cpp\n",
               stderr);
    return 2;
}

int generate(const std::string& directory) {
    int number = 0;
    for (const auto& [family, important, strength, interactions, noise] :
         {std::tuple{1, 0.15, 0.15, 0.05, 0.015},
          {2, 0.08, 0.30, 0.03, 0.015},
          {3, 0.25, 0.08, 0.08, 0.02},
          {4, 0.12, 0.2, 0.05, 0.10}}) {
        for (int table = 0; table < 3; ++table) {
            test::GeneratedTableOptions options;
            options.seed = static_cast<std::uint64_t>(++number);
            options.family = static_cast<std::uint64_t>(family);
            options.important = important, options.strength = strength, options.interactions = interactions,
            options.noise = noise;
            options.log_ratio = table != 2;
            std::ofstream(fmt::format("{}/family{}-{}.jsonl", directory, family, table))
                << test::generated_table(options);
        }
    }
    for (int table = 0; table < 2; ++table) {
        test::GeneratedTableOptions options;
        options.seed = static_cast<std::uint64_t>(100 + table);
        options.flat = true;
        options.noise = table == 0 ? 0.015 : 0.05;
        std::ofstream(fmt::format("{}/flat-{}.jsonl", directory, table)) << test::generated_table(options);
    }
    return 0;
}

// Another machine's table of the same name counts as the same workload.
std::string family_of(const ReplayTable& table) {
    const std::string file = table.file.substr(table.file.rfind('/') + 1);
    return file.substr(0, file.find('-'));
}

int run(const std::vector<std::string>& words) {
    int seeds = 50, first_seed = 1;
    ReplayOptions replay;
    std::string memory = "others";
    bool stop = false, advice = true;
    std::vector<std::string> samplers, files;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const auto value = [&] { return i + 1 < words.size() ? words[++i] : std::string("0"); };
        if (words[i] == "--seeds")
            seeds = std::stoi(value());
        else if (words[i] == "--first-seed")
            first_seed = std::stoi(value());
        else if (words[i] == "--trials")
            replay.trials = std::stoi(value());
        else if (words[i] == "--sampler")
            samplers.push_back(value());
        else if (words[i] == "--noise")
            replay.added_noise = std::stod(value());
        else if (words[i] == "--memory")
            memory = value();
        else if (words[i] == "--stop")
            stop = true;
        else if (words[i] == "--no-advice")
            advice = false;
        else
            files.push_back(words[i]);
    }
    if (samplers.empty()) samplers = {"model", "random", "genetic"};
    std::vector<ReplayTable> tables;
    std::vector<LearnedEffects> learned;
    for (const std::string& file : files) {
        auto table = read_replay_table(file);
        if (!table) {
            std::fprintf(stderr, "%s\n", to_text(table.error()).c_str());
            return 3;
        }
        tables.push_back(std::move(*table));
    }
    for (const ReplayTable& table : tables) {
        learned.push_back(memory == "none" ? LearnedEffects{} : learn_effects(table));
        if (table.file.find("family") != std::string::npos) learned.back().workload = family_of(table);
    }
    const auto knowledge = Knowledge::load(embedded_knowledge());
    for (std::size_t t = 0; t < tables.size(); ++t) {
        const ReplayTable& table = tables[t];
        EffectMemory known;
        if (memory != "none") {
            std::vector<LearnedEffects> others;
            for (std::size_t o = 0; o < tables.size(); ++o) {
                if (o != t) others.push_back(learned[o]);
            }
            known = combine(others, learned[t].workload, knowledge ? &*knowledge : nullptr);
            if (memory == "opposite") {
                for (auto& [name, effect] : known) effect.mean = -effect.mean;
            }
        }
        for (const std::string& name : samplers) {
            for (int seed = first_seed; seed < first_seed + seeds; ++seed) {
                SamplerOptions options;
                options.seed = static_cast<std::uint64_t>(seed);
                options.stop_early = stop;
                options.memory = known;
                if (knowledge) prepare_first(options, table, advice ? &*knowledge : nullptr);
                auto sampler = make_sampler(name, pool_of(table), options);
                if (!sampler) return usage();
                replay.seed = options.seed;
                const ReplayRun done = run_replay(table, **sampler, replay);
                nlohmann::json line = {{"table", table.file.substr(table.file.rfind('/') + 1)},
                                       {"sampler", name},
                                       {"seed", seed},
                                       {"trials", replay.trials},
                                       {"regret", done.regret},
                                       {"stopped", done.stopped},
                                       {"material", done.best && done.best->material}};
                std::cout << line.dump() << "\n";
            }
        }
    }
    return 0;
}

double quantile(std::vector<double> values, double q) {
    std::sort(values.begin(), values.end());
    const double place = q * static_cast<double>(values.size() - 1);
    const auto low = static_cast<std::size_t>(place);
    const double share = place - static_cast<double>(low);
    const double next = values[std::min(low + 1, values.size() - 1)];
    return std::isinf(values[low]) || std::isinf(next) ? (share < 0.5 ? values[low] : next)
                                                       : values[low] + share * (next - values[low]);
}

int summary(const std::vector<std::string>& files) {
    std::map<std::string, std::map<std::string, std::map<int, Curve>>> all;
    int budget = 0;
    for (const std::string& file : files) {
        std::ifstream stream(file);
        for (std::string text; std::getline(stream, text);) {
            const auto line = nlohmann::json::parse(text);
            Curve curve{line["regret"].get<std::vector<double>>(), 0, line.value("material", false)};
            budget = std::max(budget, line.value("trials", 0));
            if (!line.value("stopped", std::string()).empty())
                curve.stopped_after = static_cast<int>(curve.regret.size());
            all[line["table"]][line["sampler"]][line["seed"].get<int>()] = std::move(curve);
        }
    }
    fmt::print("{:34} {:16} {:>5} {:>6} {:>6} {:>6} {:>6} {:>8} {:>8} {:>7} {:>6} {:>6}\n", "table",
               "sampler", "seeds", "5% med", "p90", "2% med", "p90", "area", "final", "stop", "claims",
               "area/");
    std::map<std::string, std::vector<double>> pooled5, pooled2, pooled_area;
    for (auto& [table, samplers] : all) {
        double ours = 0;
        for (auto& [name, curves] : samplers) {
            std::vector<double> five, two, area, final, stop;
            int claims = 0;
            for (auto& [seed, curve] : curves) {
                if (curve.regret.empty()) continue;
                const auto reach = [&](double share) {
                    const auto hit = trials_to_within(curve.regret, share);
                    return hit ? static_cast<double>(*hit) : INFINITY;
                };
                five.push_back(reach(0.05)), two.push_back(reach(0.02));
                double sum = 0;
                for (int i = 0; i < budget; ++i)
                    sum += curve.regret[std::min<std::size_t>(static_cast<std::size_t>(i),
                                                              curve.regret.size() - 1)];
                area.push_back(sum);
                final.push_back(curve.regret.back());
                stop.push_back(curve.stopped_after > 0 ? curve.stopped_after : budget);
                claims += curve.material ? 1 : 0;
            }
            double mean_area = 0, mean_final = 0;
            for (const double x : area) mean_area += x / static_cast<double>(area.size());
            for (const double x : final) mean_final += x / static_cast<double>(final.size());
            if (name == "model") ours = mean_area;
            pooled5[name].insert(pooled5[name].end(), five.begin(), five.end());
            pooled2[name].insert(pooled2[name].end(), two.begin(), two.end());
            fmt::print(
                "{:34} {:16} {:>5} {:>6.0f} {:>6.0f} {:>6.0f} {:>6.0f} {:>8.3f} {:>8.4f} {:>7.0f} {:>6} "
                "{:>6.2f}\n",
                table, name, five.size(), quantile(five, 0.5), quantile(five, 0.9), quantile(two, 0.5),
                quantile(two, 0.9), mean_area, mean_final, quantile(stop, 0.5), claims, ours / mean_area);
        }
    }
    for (const auto& [name, five] : pooled5) {
        std::string interval;
        // Order statistics of the median, normal approximation of the binomial; runs are many.
        std::vector<double> sorted = five;
        std::sort(sorted.begin(), sorted.end());
        const double n = static_cast<double>(sorted.size()), half = 0.98 * std::sqrt(n);
        const auto at = [&](double place) {
            return sorted[static_cast<std::size_t>(std::clamp(place, 0.0, n - 1))];
        };
        fmt::print("{:34} {:16} {:>5} {:>6.0f} {:>6.0f} {:>6.0f} {:>6.0f}   5 % median in [{:.0f}, {:.0f}]\n",
                   "all", name, five.size(), quantile(five, 0.5), quantile(five, 0.9),
                   quantile(pooled2[name], 0.5), quantile(pooled2[name], 0.9), at(n / 2 - half),
                   at(n / 2 + half));
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<std::string> words(argv + std::min(argc, 2), argv + argc);
    const std::string verb = argc > 1 ? argv[1] : "";
    if (words.empty()) return usage();
    if (verb == "generate") return generate(words.front());
    if (verb == "run") return run(words);
    if (verb == "summary") return summary(words);
    return usage();
}
