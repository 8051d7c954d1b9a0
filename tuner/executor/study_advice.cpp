// What a study supports: the advice of the rules, re-ranked by what was confirmed on fresh formats.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "advice/advise.h"
#include "base/text.h"
#include "space/space.h"
#include "tuner/executor/study_doubts.h"
#include "tuner/executor/study_facts.h"
#include "tuner/executor/study_goal.h"
#include "tuner/executor/tune.h"
#include "tuner/search/search.h"
#include "tuner/workload/objective.h"
#include "tuner/workload/workload.h"

namespace fsadvise::tuner {
namespace {

constexpr std::size_t kEffectsShown = 12;

struct Confirmed {
    const Trial* trial = nullptr;
    Decision decision;
};

std::size_t confirmations(const Trial& trial) {
    return static_cast<std::size_t>(
        std::count_if(trial.measurements.begin(), trial.measurements.end(),
                      [](const Measurement& measurement) { return measurement.phase == "confirm"; }));
}

bool is_confirmed(const Trial& trial) {
    return confirmations(trial) > 0;
}

std::vector<Confirmed> confirmed_trials(const std::vector<Trial>& trials) {
    const auto finalists =
        static_cast<std::size_t>(std::count_if(trials.begin(), trials.end(), is_confirmed));
    std::vector<Confirmed> result;
    for (const Trial& trial : trials) {
        if (trial.state == "failed") continue;  // as it does not keep the limits of the goal
        std::vector<Repeat> repeats;
        for (const Measurement& measurement : trial.measurements) {
            if (measurement.phase != "confirm") continue;
            // Replicates take turns on the two areas, see Search.
            repeats.push_back(
                {measurement.replicate, candidate_area(measurement.replicate), measurement.log_ratio});
        }
        if (const auto decision = decide(repeats, finalists)) result.push_back({&trial, *decision});
    }
    std::sort(result.begin(), result.end(), [](const Confirmed& a, const Confirmed& b) {
        return a.decision.estimate.ratio > b.decision.estimate.ratio;
    });
    return result;
}

EffectEstimate effect_of(const Decision& decision) {
    EffectEstimate effect;
    effect.ratio = decision.estimate.ratio;
    effect.low = decision.estimate.low;
    effect.high = decision.estimate.high;
    effect.level = decision.estimate.level;
    effect.basis = fmt::format("measured: {} duets on fresh formats, areas swapped", decision.estimate.pairs);
    if (decision.median) {
        effect.basis +=
            fmt::format("; median {:+.1f} % ({:+.1f} to {:+.1f} %)", 100 * (decision.median->ratio - 1),
                        100 * (decision.median->low - 1), 100 * (decision.median->high - 1));
    }
    effect.material = decision.material;
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

// How far the fit may be believed, and where it may not, why its effects are not shown.
std::string quality_line(const FitQuality& quality) {
    if (quality.trials < FitQuality::kFewestTrials) {
        return fmt::format("not shown: {} trials are too few to fit effects, {} are the least",
                           quality.trials, FitQuality::kFewestTrials);
    }
    const std::string skill = fmt::format(
        "trials left out of the fit are predicted {:.0f} % {} than by the mean of their filesystem",
        100 * std::abs(quality.explained), quality.explained < 0 ? "worse" : "better");
    if (quality.holds()) return fmt::format("fit over {} trials: {}", quality.trials, skill);
    return fmt::format(
        "not shown: {} ({} trials), so the effects would be noise; nothing else of this result "
        "rests on them",
        skill, quality.trials);
}

std::vector<std::string> effect_lines(const Knowledge& knowledge, const StudyFacts& facts,
                                      const std::vector<Trial>& trials) {
    std::vector<Space> spaces;
    for (const std::string& id : usable_filesystems(knowledge, facts.request)) {
        spaces.emplace_back(knowledge, facts.request, id);
    }
    const auto search = make_model_search(std::move(spaces), {}, facts.options.seed);
    const FitQuality quality = search->quality(trials);
    if (quality.trials == 0) return {};
    std::vector<std::string> lines = {quality_line(quality)};
    if (!quality.holds()) return lines;
    const auto percent = [](double log_effect) { return 100 * std::expm1(log_effect); };
    for (const ParameterEffect& effect : search->effects(trials)) {
        if (lines.size() > kEffectsShown) break;
        const bool unclear = effect.low <= 0 && effect.high >= 0;
        lines.push_back(fmt::format("{} = {}: {:+.1f} % ({:+.1f} to {:+.1f}){}", effect.parameter,
                                    effect.value, percent(effect.effect), percent(effect.low),
                                    percent(effect.high),
                                    unclear ? ", not distinguishable from no effect" : ""));
    }
    return lines;
}

// Of a finished study without a decision.
std::string why_undecided(const std::vector<Trial>& trials, const Configuration& anchor) {
    std::size_t candidates = 0, failed = 0, repeats = 0;
    for (const Trial& trial : trials) {
        if (trial.configuration == anchor) continue;
        ++candidates;
        failed += trial.state == "failed" ? 1 : 0;
        repeats = std::max(repeats, confirmations(trial));
    }
    if (candidates == 0) return "no candidate but the default itself was measured: keep the default";
    if (failed == candidates) {
        return fmt::format(
            "each of the {} other candidates failed or breaks a limit: keep the default; the study has the "
            "reasons",
            candidates);
    }
    if (repeats == 0) {
        return "every confirmation duet failed, and only confirmed differences count: keep the default";
    }
    return fmt::format(
        "not decided: {} confirmation duet{} a candidate give no interval, for which {} are the least and {} "
        "for a claim: keep the default, or start a study with a larger --confirm",
        repeats, repeats == 1 ? "" : "s", kFewestForInterval, kFewestReplicates);
}

std::string verdict_of(const MeasuredSummary& summary, const std::vector<Confirmed>& confirmed,
                       const std::vector<Trial>& trials, const Configuration& anchor, bool finished) {
    if (!finished) {
        std::size_t done = 0;
        for (const Trial& trial : trials) done += confirmations(trial);
        return fmt::format(
            "not confirmed ({} of the confirmation duets done): keep the default until the study is finished",
            done);
    }
    if (confirmed.empty()) return why_undecided(trials, anchor);
    const auto& best = confirmed.front();
    const std::string figures =
        fmt::format("{:+.1f} % ({:.0f} % interval {:+.1f} to {:+.1f} %)",
                    100 * (best.decision.estimate.ratio - 1), 100 * best.decision.estimate.level,
                    100 * (best.decision.estimate.low - 1), 100 * (best.decision.estimate.high - 1));
    if (!summary.material) return "no material difference: keep the default; best candidate " + figures;
    return "confirmed " + figures + " against the default";
}

}  // namespace

Result<Advice> advice_from_study(const Knowledge& knowledge, const RuleNetwork& network, Study& study) {
    FSADVISE_ASSIGN(const StudyFacts facts, read_facts(study, knowledge));
    FSADVISE_ASSIGN(const std::vector<Trial> recorded, study.trials());
    const Goal& goal = facts.options.goal;
    const std::vector<Trial> trials = for_goal(recorded, goal);
    FSADVISE_ASSIGN(const Advice expert, advise(knowledge, network, facts.request));
    const auto confirmed = confirmed_trials(trials);
    const bool finished = study.get("finished").has_value();

    MeasuredSummary summary;
    summary.study = study.path();
    const auto load = load_from_json(facts.load, facts.request.workload);
    summary.metric = (goal.weights.empty() ? objective_title(load ? load->metric : "operations")
                                           : goal_title(goal) + ", each as a log-ratio") +
                     ", mean log-ratio of alternating windows, candidate against default";
    summary.anchor = canonical_text(facts.anchor);
    summary.trials = static_cast<int>(trials.size());
    summary.failed = static_cast<int>(std::count_if(
        recorded.begin(), recorded.end(), [](const Trial& trial) { return trial.state == "failed"; }));
    describe_goal(summary, recorded, facts.anchor, goal);
    summary.complete = finished;
    summary.stands_for = facts.stands_for + ". " + carries_over(facts.medium);
    summary.effects = effect_lines(knowledge, facts, trials);
    summary.material = finished && !confirmed.empty() && confirmed.front().decision.material;
    summary.verdict = verdict_of(summary, confirmed, trials, facts.anchor, finished);
    for (const Confirmed& entry : confirmed) {
        const auto lines = outlier_lines(*entry.trial, entry.decision);
        summary.outliers.insert(summary.outliers.end(), lines.begin(), lines.end());
    }
    summary.drifts = drift_lines(trials);
    if (finished && !confirmed.empty()) summary.repeats = repeats_line(confirmed.front().decision);

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
        recommendation.effect = effect_of(entry.decision);
        if (!recommendation.effect->material) {
            recommendation.against.insert(recommendation.against.begin(),
                                          "no material difference to the default in the confirmation");
        } else if (entry.decision.median && entry.decision.median->low <= 1) {
            recommendation.against.push_back(
                "the interval of the median includes no difference: a few large repeats carry the result");
        }
        advice.ranked.push_back(std::move(recommendation));
    }
    // A default that breaks a limit is no answer as long as a confirmed candidate keeps them all.
    const auto broken = broken_by_default(recorded, facts.anchor, goal);
    keep.against.insert(keep.against.end(), broken.begin(), broken.end());
    const bool candidate_first = summary.material || (finished && !confirmed.empty() && !broken.empty());
    if (candidate_first && !summary.material)
        summary.verdict = "the default breaks a constraint: " + broken.front() +
                          "; the first configuration below keeps all of them";
    advice.ranked.insert(candidate_first ? advice.ranked.end() : advice.ranked.begin(), std::move(keep));
    advice.confidence = {
        finished ? "measured" : "low",
        finished ? fmt::format(
                       "{} trials and {} confirmation duets on {}", trials.size(),
                       confirmed.empty() ? 0 : confirmed.front().decision.estimate.pairs * confirmed.size(),
                       facts.stands_for)
                 : "the study is not finished: only search measurements, which flatter the best"};
    advice.measured = std::move(summary);
    advice.prove_command.clear();
    return advice;
}

}  // namespace fsadvise::tuner
