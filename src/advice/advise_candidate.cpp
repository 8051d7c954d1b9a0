// One filesystem: its rules, its configuration, cleaned of everything that would not work.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "advice/advise_parts.h"
#include "base/text.h"
#include "space/validity.h"

namespace fsadvise {
namespace {

// Removing one value can at worst be repeated for every chosen one.
constexpr int kMostRepairs = 64;

Context context_for(const Knowledge& knowledge, const Request& request, const Candidate& candidate) {
    Context context(knowledge, request, candidate.composition.configuration());
    for (const auto& trait : candidate.traits) context.add_trait(trait);
    return context;
}

void compose(const Knowledge& knowledge, const Request& request, Candidate& candidate) {
    auto context = context_for(knowledge, request, candidate);
    for (const auto& entry : candidate.fired) {
        if (candidate.composition.apply(*entry.rule, context))
            context = context_for(knowledge, request, candidate);
    }
}

void drop_defaults(const Knowledge& knowledge, const Request& request, Candidate& candidate) {
    const auto chosen = candidate.composition.chosen();  // copy: the loop removes
    for (const auto& [id, choice] : chosen) {
        const auto* parameter = knowledge.parameter(id);
        auto without = candidate.composition.configuration();
        without.values.erase(id);
        Context context(knowledge, request, without);
        for (const auto& trait : candidate.traits) context.add_trait(trait);
        const auto normal = default_value(*parameter, context);
        if (normal && equal(*normal, choice.value)) candidate.composition.remove(id);
    }
}

// The chosen value to give up for a violation: the one blamed, or the weakest one the constraint speaks of.
std::string culprit(const Knowledge& knowledge, const Candidate& candidate, const Violation& violation) {
    const auto& chosen = candidate.composition.chosen();
    std::vector<std::string> names;
    for (const auto* constraint : knowledge.constraints_of(candidate.filesystem)) {
        if (constraint->id == violation.id) names = constraint->when.names();
    }
    if (!violation.parameter.empty()) names.push_back(violation.parameter);
    std::string worst;
    for (const auto& name : names) {
        const auto found = chosen.find(name);
        if (found == chosen.end() || found->second.rule == nullptr) continue;  // forced: nothing may undo it
        const bool weaker = worst.empty() || found->second.rank < chosen.at(worst).rank;
        if (weaker || (name == violation.parameter && found->second.rank == chosen.at(worst).rank))
            worst = name;
    }
    return worst;
}

bool refuses(const Violation& violation) {
    return violation.effect == Effect::kMkfsRefuses || violation.effect == Effect::kMountRefuses;
}

// The requirement among the names of a condition, if it is asked for: "require.project_quotas" ->
// "project-quotas".
template <class Names>
std::string need_among(const Names& names, const Request& request) {
    constexpr std::string_view kPrefix = "require.";
    for (const std::string& name : names) {
        if (!name.starts_with(kPrefix)) continue;
        std::string need = name.substr(kPrefix.size());
        std::ranges::replace(need, '_', '-');
        if (request.requirements.needs.contains(need)) return need;
    }
    return {};
}

// What was asked for is not given up in silence: the filesystem cannot serve the request here.
bool refuse_requirement(const ChosenValue& choice, const Request& request, const std::string& says,
                        Candidate& candidate) {
    if (choice.action == nullptr || choice.action->kind != ActionKind::kRequire) return false;
    candidate.unmet_need = need_of(*choice.rule, request);
    if (candidate.unmet_need.empty()) return false;
    candidate.refused = fmt::format("cannot have {} here: {}", candidate.unmet_need, says);
    return true;
}

// A constraint that names a requirement says that the filesystem, as it must be here, does not meet it.
void refuse_unmet(const Knowledge& knowledge, const Request& request, const std::vector<Violation>& found,
                  Candidate& candidate) {
    for (const auto* constraint : knowledge.constraints_of(candidate.filesystem)) {
        const auto need = need_among(constraint->when.names(), request);
        if (need.empty()) continue;
        for (const auto& violation : found) {
            if (violation.id != constraint->id) continue;
            candidate.unmet_need = need;
            candidate.refused = fmt::format("cannot have {} here: {}", need, violation.says);
        }
    }
}

void remove_what_fails(const Knowledge& knowledge, const Request& request, Candidate& candidate) {
    for (int round = 0; round < kMostRepairs; ++round) {
        const auto found = violations(context_for(knowledge, request, candidate));
        const auto guilty = std::ranges::find_if(found, [&](const Violation& violation) {
            return !culprit(knowledge, candidate, violation).empty();
        });
        if (guilty == found.end()) {
            refuse_unmet(knowledge, request, found, candidate);
            for (const auto& violation : found) {
                if (refuses(violation) && candidate.refused.empty()) candidate.refused = violation.says;
                if (!refuses(violation)) candidate.recommendation.warnings.push_back(violation.says);
            }
            return;
        }
        const auto id = culprit(knowledge, candidate, *guilty);
        const auto& choice = candidate.composition.chosen().at(id);
        if (refuse_requirement(choice, request, guilty->says, candidate)) return;
        candidate.recommendation.against.push_back(fmt::format("{} = {} (rule {}) is left out here: {}", id,
                                                               to_text(choice.value), rule_id(choice),
                                                               guilty->says));
        candidate.composition.remove(id);
    }
}

std::string spelled(const Knowledge& knowledge, const std::string& filesystem, const std::string& parameter,
                    const Value& value) {
    const auto commands = spell(knowledge, Configuration{filesystem, {{parameter, value}}});
    std::vector<std::string> words(commands.mkfs.begin() + (commands.mkfs.empty() ? 0 : 1),
                                   commands.mkfs.end());
    if (!commands.mount_options.empty()) words.push_back(commands.mount_options);
    if (words.empty()) return parameter.substr(parameter.rfind('.') + 1) + "=" + to_text(value);
    return join(words, " ");
}

void write_choices(const Knowledge& knowledge, Candidate& candidate) {
    for (const auto& [id, choice] : candidate.composition.chosen()) {
        if (choice.rule == nullptr) {
            candidate.recommendation.choices.push_back(
                {id, spelled(knowledge, candidate.filesystem, id, choice.value), choice.value, choice.because,
                 rule_id(choice), "required", knowledge.parameter(id)->sources});
            continue;
        }
        candidate.recommendation.choices.push_back(
            {id, spelled(knowledge, candidate.filesystem, id, choice.value), choice.value,
             reason(*choice.rule, *choice.action), choice.rule->id, choice.rule->strength,
             choice.rule->sources});
    }
}

void weigh(Candidate& candidate) {
    for (const auto& entry : candidate.fired) {
        for (const auto& action : entry.rule->then) {
            if (action.target != candidate.filesystem) continue;
            if (action.kind == ActionKind::kPrefer) {
                candidate.contributions.push_back({entry.rule, &action, action.weight});
            } else if (action.kind == ActionKind::kAvoid) {
                candidate.contributions.push_back({entry.rule, &action, -action.weight});
            }
        }
    }
    std::ranges::stable_sort(candidate.contributions, [](const Contribution& a, const Contribution& b) {
        return std::abs(a.points) > std::abs(b.points);
    });
    for (const auto& item : candidate.contributions) candidate.recommendation.score += item.points;
}

void collect_warnings(Candidate& candidate, std::size_t general_rules) {
    auto& warnings = candidate.recommendation.warnings;
    for (std::size_t i = general_rules; i < candidate.fired.size(); ++i) {
        for (const auto& action : candidate.fired[i].rule->then) {
            if (action.kind == ActionKind::kWarn) warnings.push_back(action.text);
        }
    }
    const auto& conflicts = candidate.composition.warnings();
    warnings.insert(warnings.end(), conflicts.begin(), conflicts.end());
}

}  // namespace

std::string need_of(const Rule& rule, const Request& request) {
    return need_among(rule.when.names(), request);
}

Candidate make_candidate(const Knowledge& knowledge, const RuleNetwork& network, const Request& request,
                         const RuleNetwork::Conclusion& general, const std::string& filesystem) {
    Candidate candidate(knowledge, filesystem);
    auto own = network.infer(request, filesystem);
    candidate.fired = general.fired;
    candidate.traits = std::move(own.traits);
    std::ranges::move(own.fired, std::back_inserter(candidate.fired));

    compose(knowledge, request, candidate);
    drop_defaults(knowledge, request, candidate);
    make_readable(knowledge, request,
                  candidate);  // first: a default that is turned off is no reason to refuse
    remove_what_fails(knowledge, request, candidate);
    make_readable(knowledge, request, candidate);
    remove_what_fails(knowledge, request, candidate);
    refuse_if_unreadable(knowledge, request, candidate);
    drop_defaults(knowledge, request, candidate);  // a default may have moved when another value left
    take_block_settings(knowledge, request, candidate);
    weigh(candidate);
    write_choices(knowledge, candidate);
    collect_warnings(candidate, general.fired.size());
    candidate.recommendation.configuration = candidate.composition.configuration();
    candidate.recommendation.commands = spell(knowledge, candidate.recommendation.configuration);
    return candidate;
}

}  // namespace fsadvise
