// What earlier studies and tables taught about effects, to start a new search with.
//
// Only differences on the log scale are kept, never levels: those do not carry over from one machine to
// another. A memory misleads at times; the sampler weighs it against what it measures.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "models/sparse_effects.h"
#include "space/knowledge.h"

namespace fsadvise::tuner {

// By level name (see Pool::level_name): "btrfs", "ext4.mount.data=journal".
using EffectMemory = std::map<std::string, models::EffectPrior>;

// Effects of one workload, as learned from one table or study.
struct LearnedEffects {
    std::string workload;
    EffectMemory effects;  // deviation: how sure the source was
};

// One memory out of several sources: alike workloads count more; the spread between sources is doubt.
// `knowledge` tells which workloads are alike; without it only the same ones are.
EffectMemory combine(const std::vector<LearnedEffects>& sources, const std::string& workload,
                     const Knowledge* knowledge);

nlohmann::json to_json(const std::vector<LearnedEffects>& sources);
Result<std::vector<LearnedEffects>> learned_effects_from_json(const nlohmann::json& json,
                                                              const std::string& file);

}  // namespace fsadvise::tuner
