#include "cli/shipped_model.h"

#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/command.h"

namespace fsadvise::cli {
namespace {

constexpr std::size_t kMostBytes = 64u << 20;
constexpr double kMaterial = 0.02;

EffectEstimate estimate_of(const tuner::RatioPrediction& prediction) {
    const double half = tuner::kHalfWidth90 * prediction.deviation;
    EffectEstimate effect;
    effect.ratio = std::exp(prediction.log_ratio);
    effect.low = std::exp(prediction.log_ratio - half);
    effect.high = std::exp(prediction.log_ratio + half);
    effect.level = 0.9;
    effect.basis =
        fmt::format("predicted from measured tables ({}), not measured here", join(prediction.from, ", "));
    return effect;  // never material: a prediction is no proof
}

std::string effect_words(const tuner::RatioPrediction& prediction) {
    const double half = tuner::kHalfWidth90 * prediction.deviation;
    return fmt::format("{:+.0f} %, 90 % interval {:+.0f} to {:+.0f} %",
                       100 * std::expm1(prediction.log_ratio), 100 * std::expm1(prediction.log_ratio - half),
                       100 * std::expm1(prediction.log_ratio + half));
}

}  // namespace

Result<tuner::EffectModel> effect_model(const std::string& file) {
    if (file.empty()) return tuner::parse_effect_model(shipped_model_text(), "the shipped model");
    FSADVISE_ASSIGN(const std::string text, read_input(file, kMostBytes));
    return tuner::parse_effect_model(text, file);
}

void consult_model(Advice& advice, const Knowledge& knowledge, const tuner::EffectModel& model) {
    const WorkloadDescription* workload = knowledge.workload(advice.request.workload);
    if (workload == nullptr || advice.ranked.empty()) return;
    const auto& device = advice.request.host.device;
    const tuner::Described described{workload->traits, tuner::medium_of(device ? device->media : "")};
    const Configuration reference{"ext4", {}};
    for (Recommendation& entry : advice.ranked) {
        if (entry.effect || entry.configuration == reference) continue;
        const auto prediction = tuner::predict_ratio(model, described, entry.configuration, reference);
        // A choice that no table has counts as no effect with a wide interval; only an unlike workload says
        // nothing.
        if (!prediction.from.empty()) entry.effect = estimate_of(prediction);
    }
    const Recommendation& best = advice.ranked.front();
    for (const Recommendation& other : advice.ranked) {
        if (other.configuration.filesystem == best.configuration.filesystem) continue;
        const auto prediction =
            tuner::predict_ratio(model, described, other.configuration, best.configuration);
        if (prediction.from.empty() ||
            prediction.log_ratio - tuner::kHalfWidth90 * prediction.deviation < kMaterial)
            continue;
        advice.notes.push_back(
            fmt::format("Measured tables of like workloads ({}) put {} before the advised filesystem ({}); "
                        "rules weigh more than speed: prove it with {}",
                        join(prediction.from, ", "), canonical_text(other.configuration),
                        effect_words(prediction), advice.prove_command));
        break;
    }
}

}  // namespace fsadvise::cli
