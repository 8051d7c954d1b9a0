#include "advice/compose.h"

#include <fmt/format.h>

namespace fsadvise {
namespace {

constexpr int kRequireRank = 10;
constexpr int kForceRank = 100;

// Rules write whole-number expressions whose arithmetic may give a real; a parameter has one kind of number.
Value as_parameter_type(const Parameter& parameter, Value value) {
    const bool whole = parameter.type == ValueType::kInteger || parameter.type == ValueType::kSize;
    if (const auto* real = std::get_if<double>(&value); real != nullptr && whole) {
        return static_cast<std::int64_t>(*real);
    }
    return value;
}

}  // namespace

int strength_rank(const Rule& rule) {
    if (rule.strength == "strong") return 3;
    return rule.strength == "moderate" ? 2 : 1;
}

const std::string& reason(const Rule& rule, const Action& action) {
    return action.because.empty() ? rule.why : action.because;
}

Composition::Composition(const Knowledge& knowledge, std::string filesystem)
    : knowledge_(&knowledge), filesystem_(std::move(filesystem)) {}

void Composition::note_undecided(const Action& action, const Scope& scope) {
    for (const auto& name : action.value.names()) {
        if (!scope.lookup(name)) undecided_.emplace(action.target, name);
    }
}

bool Composition::apply(const Rule& rule, const Scope& scope) {
    bool changed = false;
    for (const auto& action : rule.then) {
        const bool required = action.kind == ActionKind::kRequire;
        if (!required && action.kind != ActionKind::kSet) continue;
        const auto* parameter = knowledge_->parameter(action.target);
        if (parameter == nullptr) continue;
        if (parameter->filesystem != filesystem_ && parameter->layer != Layer::kBlock) continue;
        const auto value = action.value.evaluate(scope);
        if (!value) {
            note_undecided(action, scope);
            continue;
        }
        const ChosenValue next{as_parameter_type(*parameter, *value), &rule, &action,
                               strength_rank(rule) + (required ? kRequireRank : 0), {}};
        const auto found = chosen_.find(action.target);
        if (found == chosen_.end()) {
            chosen_.emplace(action.target, next);
            changed = true;
            continue;
        }
        auto& current = found->second;
        if (next.rank < current.rank) continue;
        if (equal(next.value, current.value)) {
            if (next.rank > current.rank) current = next;
            continue;
        }
        if (next.rank == current.rank) {
            warnings_.push_back(fmt::format(
                "{}: {} wants {}, {} wants {}; both are {}, the later one is used", action.target,
                current.rule->id, to_text(current.value), rule.id, to_text(next.value), rule.strength));
        }
        current = next;
        changed = true;
    }
    return changed;
}

std::string rule_id(const ChosenValue& choice) {
    return choice.rule != nullptr ? choice.rule->id : "readable";
}

void Composition::force(const std::string& parameter, Value value, std::string because) {
    chosen_[parameter] = {std::move(value), nullptr, nullptr, kForceRank, std::move(because)};
}

Configuration Composition::configuration() const {
    Configuration result;
    result.filesystem = filesystem_;
    for (const auto& [id, choice] : chosen_) result.values.emplace(id, choice.value);
    return result;
}

}  // namespace fsadvise
