// What a study supports: the advice of the rules, re-ranked by what was confirmed on fresh formats.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "advice/advise.h"
#include "base/text.h"
#include "models/statistics.h"
#include "space/space.h"
#include "tuner/executor/study_facts.h"
#include "tuner/executor/tune.h"
#include "tuner/search/search.h"
#include "tuner/workload/objective.h"
#include "tuner/workload/workload.h"

namespace fsadvise::tuner {
namespace {

// Below this size a difference is not worth a non-default configuration (docs/design.md, section 6).
constexpr double kMaterialRatio = 1.02;
constexpr std::size_t kFewestReplicates = 6;  // the least for a 95 % order-statistic interval
constexpr std::size_t kEffectsShown = 12;

struct Confirmed {
    const Trial* trial = nullptr;
    models::RatioEstimate estimate;
};

bool is_confirmed(const Trial& trial) {
    return std::any_of(trial.measurements.begin(), trial.measurements.end(),
                       [](const Measurement& measurement) { return measurement.phase == "confirm"; });
}

// Finalists share the 5 % chance of a false claim (Bonferroni), since the better one is picked after the
// fact.
std::vector<Confirmed> confirmed_trials(const std::vector<Trial>& trials) {
    const auto finalists = std::count_if(trials.begin(), trials.end(), is_confirmed);
    std::vector<Confirmed> result;
    for (const Trial& trial : trials) {
        // Replicates take turns on the two areas, see Search.
        std::array<std::vector<double>, 2> logs;
        for (const Measurement& measurement : trial.measurements) {
            if (measurement.phase != "confirm") continue;
            logs[static_cast<std::size_t>(candidate_area(measurement.replicate))].push_back(
                measurement.log_ratio);
        }
        const double level = 1 - 0.05 / static_cast<double>(std::max<std::ptrdiff_t>(1, finalists));
        if (const auto estimate = models::ratio_from_swapped_logs(logs[0], logs[1], level))
            result.push_back({&trial, *estimate});
    }
    std::sort(result.begin(), result.end(),
              [](const Confirmed& a, const Confirmed& b) { return a.estimate.ratio > b.estimate.ratio; });
    return result;
}

EffectEstimate effect_of(const models::RatioEstimate& estimate) {
    EffectEstimate effect;
    effect.ratio = estimate.ratio;
    effect.low = estimate.low;
    effect.high = estimate.high;
    effect.level = estimate.level;
    effect.basis = fmt::format("measured: {} duets on fresh formats, areas swapped", estimate.pairs);
    effect.material =
        estimate.pairs >= kFewestReplicates && estimate.low > 1 && estimate.ratio >= kMaterialRatio;
    return effect;
}

// Reasons for a measured configuration: the rule that also recommends the value, else the measurement.
Recommendation recommendation_of(const Knowledge& knowledge, const Advice& expert,
                                 const Configuration& configuration, const std::string& measured_because) {
    Recommendation result;
    result.configuration = configuration;
    result.commands = spell(knowledge, configuration);
    const auto same =
        std::find_if(expert.ranked.begin(), expert.ranked.end(), [&](const Recommendation& candidate) {
            return candidate.configuration.filesystem == configuration.filesystem;
        });
    if (same != expert.ranked.end()) {
        result.warnings = same->warnings;
        result.against = same->against;
        result.score = same->score;
    }
    Choice filesystem;
    filesystem.parameter = "filesystem";
    filesystem.spelled = configuration.filesystem;
    filesystem.value = configuration.filesystem;
    filesystem.why = measured_because;
    filesystem.strength = "measured";
    result.choices.push_back(filesystem);
    for (const auto& [parameter, value] : configuration.values) {
        Choice choice;
        const Parameter* known = knowledge.parameter(parameter);
        const Commands alone =
            spell(knowledge, Configuration{configuration.filesystem, {{parameter, value}}});
        choice.parameter = parameter;
        choice.value = value;
        choice.spelled =
            alone.mount_options.empty()
                ? shell_join(std::span(alone.mkfs).subspan(std::min<std::size_t>(1, alone.mkfs.size())))
                : alone.mount_options;
        choice.why = "part of the measured configuration";
        if (known != nullptr && !known->helps.empty()) choice.why += "; meant to help: " + known->helps;
        choice.strength = "measured";
        if (known != nullptr) choice.sources = known->sources;
        if (same != expert.ranked.end()) {
            for (const Choice& other : same->choices) {
                if (other.parameter == parameter && equal(other.value, value)) choice = other;
            }
        }
        if (known != nullptr && known->durability.contains(to_text(value))) {
            result.warnings.push_back(fmt::format("{} lowers durability to '{}': {}", choice.spelled,
                                                  known->durability.at(to_text(value)), known->risk));
        }
        result.choices.push_back(std::move(choice));
    }
    return result;
}

std::string carries_over(const std::string& medium) {
    if (medium == "ram") {
        return "It shows what the filesystem's own code costs (CPU, locks, writes per operation); a real "
               "disk adds flush "
               "and seek times that can change the order, so repeat the run on the target device before "
               "relying on it";
    }
    if (medium == "loop") {
        return "Every write also passes the filesystem below the loop file; differences in CPU cost and in "
               "the number of "
               "flushes carry over, absolute rates and allocation effects do not";
    }
    return "It stands for this device as it is now, empty and fresh; a full or aged filesystem can rank "
           "differently";
}

std::vector<std::string> effect_lines(const Knowledge& knowledge, const StudyFacts& facts,
                                      const std::vector<Trial>& trials) {
    std::vector<Space> spaces;
    for (const std::string& id : usable_filesystems(knowledge, facts.request)) {
        spaces.emplace_back(knowledge, facts.request, id);
    }
    const auto search = make_model_search(std::move(spaces), {}, facts.options.seed);
    std::vector<std::string> lines;
    const auto percent = [](double log_effect) { return 100 * std::expm1(log_effect); };
    for (const ParameterEffect& effect : search->effects(trials)) {
        if (lines.size() == kEffectsShown) break;
        const bool unclear = effect.low <= 0 && effect.high >= 0;
        lines.push_back(fmt::format("{} = {}: {:+.1f} % ({:+.1f} to {:+.1f}){}", effect.parameter,
                                    effect.value, percent(effect.effect), percent(effect.low),
                                    percent(effect.high),
                                    unclear ? ", not distinguishable from no effect" : ""));
    }
    return lines;
}

std::string verdict_of(const MeasuredSummary& summary, const std::vector<Confirmed>& confirmed,
                       bool finished) {
    if (!finished) {
        return fmt::format(
            "not confirmed ({} of the confirmation duets done): keep the default until the study is finished",
            confirmed.empty() ? 0 : confirmed.front().estimate.pairs);
    }
    if (confirmed.empty()) return "no candidate but the default itself was measured: keep the default";
    const auto& best = confirmed.front();
    const std::string figures =
        fmt::format("{:+.1f} % ({:.0f} % interval {:+.1f} to {:+.1f} %)", 100 * (best.estimate.ratio - 1),
                    100 * best.estimate.level, 100 * (best.estimate.low - 1), 100 * (best.estimate.high - 1));
    if (!summary.material) return "no material difference: keep the default; best candidate " + figures;
    return "confirmed " + figures + " against the default";
}

}  // namespace

Result<Advice> advice_from_study(const Knowledge& knowledge, const RuleNetwork& network, Study& study) {
    FSADVISE_ASSIGN(const StudyFacts facts, read_facts(study, knowledge));
    FSADVISE_ASSIGN(const std::vector<Trial> trials, study.trials());
    FSADVISE_ASSIGN(const Advice expert, advise(knowledge, network, facts.request));
    const auto confirmed = confirmed_trials(trials);
    const bool finished = study.get("finished").has_value();

    MeasuredSummary summary;
    summary.study = study.path();
    const auto load = load_from_json(facts.load, facts.request.workload);
    summary.metric = objective_title(load ? load->metric : "operations") +
                     ", mean log-ratio of alternating windows, candidate against default";
    summary.anchor = canonical_text(facts.anchor);
    summary.trials = static_cast<int>(trials.size());
    summary.failed = static_cast<int>(std::count_if(
        trials.begin(), trials.end(), [](const Trial& trial) { return trial.state == "failed"; }));
    summary.complete = finished;
    summary.stands_for = facts.stands_for + ". " + carries_over(facts.medium);
    summary.effects = effect_lines(knowledge, facts, trials);
    summary.material = finished && !confirmed.empty() && effect_of(confirmed.front().estimate).material;
    summary.verdict = verdict_of(summary, confirmed, finished);

    Advice advice = expert;
    advice.ranked.clear();
    Recommendation keep =
        recommendation_of(knowledge, expert, facts.anchor,
                          summary.material ? "the default it was compared with" : summary.verdict);
    EffectEstimate one;
    one.basis = "the anchor of the comparison";
    keep.effect = one;
    for (const Confirmed& entry : confirmed) {
        Recommendation recommendation = recommendation_of(
            knowledge, expert, entry.trial->configuration,
            fmt::format("measured against {} on {}", canonical_text(facts.anchor), facts.stands_for));
        recommendation.effect = effect_of(entry.estimate);
        if (!recommendation.effect->material) {
            recommendation.against.insert(recommendation.against.begin(),
                                          "no material difference to the default in the confirmation");
        }
        advice.ranked.push_back(std::move(recommendation));
    }
    advice.ranked.insert(summary.material ? advice.ranked.end() : advice.ranked.begin(), std::move(keep));
    advice.confidence = {
        finished ? "measured" : "low",
        finished ? fmt::format("{} trials and {} confirmation duets on {}", trials.size(),
                               confirmed.empty() ? 0 : confirmed.front().estimate.pairs * confirmed.size(),
                               facts.stands_for)
                 : "the study is not finished: only search measurements, which flatter the best"};
    advice.measured = std::move(summary);
    advice.prove_command.clear();
    return advice;
}

}  // namespace fsadvise::tuner
