// Why the winner won, why the others lost, and what else the fired rules say.
#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "advice/advise_parts.h"
#include "base/text.h"

namespace fsadvise {
namespace {

constexpr std::size_t kMostReasons = 3;
constexpr std::size_t kMostReasonsFor = 2;

std::string points_text(double points) {
    const auto rounded = std::round(std::abs(points));
    return fmt::format("{:.0f} point{}", rounded, rounded == 1 ? "" : "s");
}

// Rule ids lead to the sources (the rule's own, and the winner's choices); repeating titles here would bury
// the reason.
std::string with_rule(const Contribution& item) {
    return fmt::format("{} ({})", reason(*item.rule, *item.action), item.rule->id);
}

// What counts for the winner when it is compared with another: its own advantages and the other's faults.
std::vector<Contribution> advantages(const Candidate& winner, const Candidate& loser) {
    std::vector<Contribution> result;
    for (const auto& item : winner.contributions) {
        if (item.points > 0) result.push_back(item);
    }
    for (const auto& item : loser.contributions) {
        if (item.points < 0) result.push_back({item.rule, item.action, -item.points});
    }
    std::ranges::stable_sort(
        result, [](const Contribution& a, const Contribution& b) { return a.points > b.points; });
    return result;
}

void explain_loser(const Knowledge& knowledge, const Candidate& winner, Candidate& loser) {
    std::vector<std::string> lines;
    const auto won = title_of(knowledge, winner.filesystem);
    const double margin = winner.recommendation.score - loser.recommendation.score;
    const auto reasons = advantages(winner, loser);
    if (margin < 0.5) {
        lines.push_back(fmt::format("{} has as many points and comes first by default", won));
    } else if (reasons.empty()) {
        lines.push_back(fmt::format("{} won by {}", won, points_text(margin)));
    } else {
        lines.push_back(
            fmt::format("{} won by {}: {}", won, points_text(margin), with_rule(reasons.front())));
    }
    for (std::size_t i = margin < 0.5 ? 0 : 1; i < std::min(reasons.size(), kMostReasons); ++i) {
        lines.push_back(with_rule(reasons[i]));
    }
    auto& against = loser.recommendation.against;
    against.insert(against.begin(), lines.begin(), lines.end());
}

// The choice "filesystem" opens the list of every recommendation.
void explain_filesystem(const Knowledge& knowledge, const Request& request, Candidate& candidate) {
    Choice choice;
    choice.parameter = "filesystem";
    choice.spelled = title_of(knowledge, candidate.filesystem);
    choice.value = candidate.filesystem;
    std::size_t reasons = 0;
    for (const auto& item : candidate.contributions) {
        if (item.points <= 0) continue;
        if (choice.rule.empty()) {
            choice.rule = item.rule->id;
            choice.strength = item.rule->strength;
        }
        if (reasons++ < kMostReasonsFor) {
            choice.why += (choice.why.empty() ? "" : " ") + reason(*item.rule, *item.action);
            for (const auto& source : item.rule->sources) {
                if (std::ranges::find(choice.sources, source) == choice.sources.end())
                    choice.sources.push_back(source);
            }
        }
    }
    if (choice.why.empty()) {
        choice.strength = "weak";
        choice.why = default_configuration(knowledge, request).filesystem == candidate.filesystem
                         ? "It is the default here."
                     : candidate.contributions.empty() ? "No rule speaks for or against it."
                                                       : "No rule speaks for it.";
    }
    auto& choices = candidate.recommendation.choices;
    choices.insert(choices.begin(), std::move(choice));
}

void note_costs(Candidate& candidate) {
    std::size_t listed = 0;
    for (const auto& item : candidate.contributions) {
        if (item.points < 0 && listed++ < kMostReasons) {
            candidate.recommendation.against.push_back(
                fmt::format("costs {}: {}", points_text(item.points), with_rule(item)));
        }
    }
}

// Application values are literals: they need no facts.
class NoFacts final : public Scope {
  public:
    std::optional<Value> lookup(std::string_view) const override { return std::nullopt; }
    bool is_set(std::string_view) const override { return false; }
};

template <class Visit>
void for_each_action(const std::vector<RuleNetwork::Fired>& fired, ActionKind kind, const Visit& visit) {
    for (const auto& entry : fired) {
        for (const auto& action : entry.rule->then) {
            if (action.kind == kind) visit(*entry.rule, action);
        }
    }
}

}  // namespace

std::string title_of(const Knowledge& knowledge, const std::string& filesystem) {
    const auto* known = knowledge.filesystem(filesystem);
    return known == nullptr || known->title.empty() ? filesystem : known->title;
}

double lead(const std::vector<Candidate>& ranked) {
    return ranked.size() < 2 ? 0.0 : ranked[0].recommendation.score - ranked[1].recommendation.score;
}

void explain_ranking(const Knowledge& knowledge, const Request& request, std::vector<Candidate>& ranked) {
    for (std::size_t i = 0; i < ranked.size(); ++i) {
        explain_filesystem(knowledge, request, ranked[i]);
        if (i > 0) {
            explain_loser(knowledge, ranked.front(), ranked[i]);
        } else {
            note_costs(ranked[i]);
        }
    }
}

void collect_side_results(const WorkloadDescription& workload, const std::vector<Candidate>& ranked,
                          Advice& advice) {
    std::set<std::string> seen;
    for (const auto& candidate : ranked) {
        for_each_action(candidate.fired, ActionKind::kReject, [&](const Rule& rule, const Action& action) {
            if (!action.target.empty() && action.target != candidate.filesystem) return;
            if (!seen.insert(rule.id + '\n' + action.text).second) return;
            advice.rejected.push_back(
                {action.text, action.target, reason(rule, action), action.versions, rule.id, rule.sources});
        });
    }
    const auto& winner = ranked.front();
    for_each_action(winner.fired, ActionKind::kApplication, [&](const Rule& rule, const Action& action) {
        if (action.text != workload.application) return;
        const auto value = action.value.evaluate(NoFacts());
        advice.application.push_back(
            {action.text, action.target, value ? to_text(*value) : "", reason(rule, action), rule.sources});
    });
    for (const auto& [parameter, fact] : winner.composition.undecided()) {
        advice.notes.push_back(
            fmt::format("{} is left at its default because {} is unknown", parameter, fact));
    }
}

}  // namespace fsadvise
