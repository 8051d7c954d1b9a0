#include "tuner/search/effect_memory.h"

#include <cmath>
#include <set>

#include <nlohmann/json.hpp>

namespace fsadvise::tuner {
namespace {

constexpr double kUnlike = 0.05;  // weight of a workload that shares no trait
constexpr double kBetweenHosts =
    0.03;  // the same effect differs by this much from machine to machine, at least

double likeness(const std::string& a, const std::string& b, const Knowledge* knowledge) {
    if (!a.empty() && a == b) return 1;
    const WorkloadDescription* x = knowledge != nullptr ? knowledge->workload(a) : nullptr;
    const WorkloadDescription* y = knowledge != nullptr ? knowledge->workload(b) : nullptr;
    if (x == nullptr || y == nullptr) return kUnlike;
    if (x == y) return 1;
    const std::set<std::string> left(x->traits.begin(), x->traits.end());
    std::set<std::string> all = left;
    double shared = 0;
    for (const std::string& trait : y->traits) {
        shared += left.contains(trait) ? 1 : 0;
        all.insert(trait);
    }
    const double jaccard = all.empty() ? 0 : shared / static_cast<double>(all.size());
    return std::max(kUnlike, jaccard);
}

}  // namespace

EffectMemory combine(const std::vector<LearnedEffects>& sources, const std::string& workload,
                     const Knowledge* knowledge) {
    struct Sum {
        double weight = 0, squares = 0, value = 0, square = 0, doubt = 0;
    };
    std::map<std::string, Sum> sums;
    for (const LearnedEffects& source : sources) {
        const double like = likeness(source.workload, workload, knowledge);
        for (const auto& [name, effect] : source.effects) {
            const double doubt = effect.deviation * effect.deviation;
            const double weight =
                like * kBetweenHosts * kBetweenHosts / (kBetweenHosts * kBetweenHosts + doubt);
            Sum& sum = sums[name];
            sum.weight += weight;
            sum.squares += weight * weight;
            sum.value += weight * effect.mean;
            sum.square += weight * effect.mean * effect.mean;
            sum.doubt += weight * doubt;
        }
    }
    EffectMemory memory;
    for (const auto& [name, sum] : sums) {
        const double mean = sum.value / sum.weight;
        const double spread = std::max(0.0, sum.square / sum.weight - mean * mean);
        const double sources_count = sum.weight * sum.weight / sum.squares;
        // A single unlike source says little: its own size is its doubt.
        const double trust = std::min(1.0, sum.weight);
        const double variance = kBetweenHosts * kBetweenHosts + sum.doubt / sum.weight / sources_count +
                                spread * (1 + 1 / sources_count) + (1 - trust) * mean * mean * 0.5;
        memory[name] = {mean, std::sqrt(variance)};
    }
    return memory;
}

nlohmann::json to_json(const std::vector<LearnedEffects>& sources) {
    nlohmann::json list = nlohmann::json::array();
    for (const LearnedEffects& source : sources) {
        nlohmann::json effects = nlohmann::json::object();
        for (const auto& [name, effect] : source.effects) {
            effects[name] = {std::round(effect.mean * 1e4) / 1e4, std::round(effect.deviation * 1e4) / 1e4};
        }
        list.push_back({{"workload", source.workload}, {"effects", std::move(effects)}});
    }
    return {{"schema_version", 1}, {"kind", "learned-effects"}, {"sources", std::move(list)}};
}

Result<std::vector<LearnedEffects>> learned_effects_from_json(const nlohmann::json& json,
                                                              const std::string& file) {
    const auto bad = [&](const std::string& what) {
        return fail(ErrorCode::kBadInput, what, file, "write it by: fsadvise study effects TABLE...");
    };
    const auto is = [&](const char* key, const nlohmann::json& wanted) {
        const auto found = json.find(key);
        return found != json.end() && *found == wanted;
    };
    if (!json.is_object() || !is("kind", "learned-effects")) return bad("no learned effects");
    if (!is("schema_version", 1)) return bad("another schema version than 1");
    if (!json.contains("sources") || !json["sources"].is_array()) return bad("no sources");
    std::vector<LearnedEffects> result;
    for (const auto& source : json["sources"]) {
        if (!source.is_object() || !source.contains("effects") || !source["effects"].is_object())
            return bad("a source without effects");
        LearnedEffects learned;
        if (const auto word = source.find("workload"); word != source.end() && word->is_string())
            learned.workload = *word;
        for (const auto& [name, effect] : source["effects"].items()) {
            if (!effect.is_array() || effect.size() != 2 || !effect[0].is_number() ||
                !effect[1].is_number() || effect[1] < 0) {
                return bad("effect of '" + name + "' is no pair of mean and deviation");
            }
            learned.effects[name] = {effect[0], effect[1]};
        }
        result.push_back(std::move(learned));
    }
    return result;
}

}  // namespace fsadvise::tuner
