// Makes a configuration readable by the oldest kernel, boot loader and repair tool that must read it.
#include <fmt/format.h>

#include "advice/advise_parts.h"
#include "space/component_version.h"
#include "space/readers.h"

namespace fsadvise {
namespace {

// A negation can uncover another default at most once a parameter.
constexpr int kMostNegations = 64;

Context context_of(const Knowledge& knowledge, const Request& request, const Candidate& candidate) {
    return {knowledge, request, candidate.composition.configuration()};
}

void note(std::vector<std::string>& notes, std::string text) {
    if (std::ranges::find(notes, text) == notes.end()) notes.push_back(std::move(text));
}

// Gives up a chosen value, or refuses the filesystem if the value is what was asked for.
void give_up(const Request& request, Candidate& candidate, const Unreadable& problem) {
    const auto& id = problem.parameter->id;
    const auto& choice = candidate.composition.chosen().at(id);
    if (choice.action != nullptr && choice.action->kind == ActionKind::kRequire) {
        candidate.refused = fmt::format("{} (rule {}): {}", id, rule_id(choice), problem.says);
        candidate.unmet_need = need_of(*choice.rule, request);
        return;
    }
    note(candidate.recommendation.against,
         fmt::format("{} = {} (rule {}) is left out here: {}", id, to_text(choice.value), rule_id(choice),
                     problem.says));
    candidate.composition.remove(id);
}

// Turns a feature off that the tool turns on by itself. False if that cannot be written.
bool turn_off(const Context& context, Candidate& candidate, const Unreadable& problem) {
    const Parameter& parameter = *problem.parameter;
    if (parameter.type != ValueType::kBool) {
        candidate.refused = fmt::format("{}: {}", parameter.id, problem.says);
        return false;
    }
    const auto known = tool_knows(context, parameter);
    if (known && !*known) return false;  // nor does the tool turn it on
    if (!known && !problem.certain) {
        note(candidate.recommendation.warnings,
             fmt::format("the version of the formatting tool is not known: newer ones turn {} on by themselves, "
                         "and {}; then turn it off",
                         parameter.id, problem.says));
        return false;
    }
    candidate.composition.force(parameter.id, false, problem.says);
    return true;
}

}  // namespace

void make_readable(const Knowledge& knowledge, const Request& request, Candidate& candidate) {
    for (int round = 0; round < kMostNegations; ++round) {
        const auto context = context_of(knowledge, request, candidate);
        bool changed = false;
        for (const auto& problem : unreadable(context)) {
            if (candidate.composition.chosen().contains(problem.parameter->id)) {
                give_up(request, candidate, problem);
                changed = candidate.refused.empty();
            } else {
                changed = turn_off(context, candidate, problem);
            }
            if (changed || !candidate.refused.empty()) break;
        }
        if (!changed) return;
    }
}

void refuse_if_unreadable(const Knowledge& knowledge, const Request& request, Candidate& candidate) {
    if (!candidate.refused.empty()) return;
    const auto context = context_of(knowledge, request, candidate);
    for (const auto& problem : unreadable(context)) {
        if (!problem.certain) continue;
        candidate.refused = fmt::format("{}: {}", problem.parameter->id, problem.says);
        return;
    }
}

}  // namespace fsadvise
