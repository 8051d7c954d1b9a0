// Builds one configuration out of the set and require actions of fired rules.
//
// Precedence: require before set; then strong, moderate, weak; among equals the later rule in inference
// order.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "space/configuration.h"
#include "space/context.h"
#include "space/knowledge.h"

namespace fsadvise {

// strong 3, moderate 2, weak 1.
int strength_rank(const Rule& rule);
// The action's own reason, else the rule's.
const std::string& reason(const Rule& rule, const Action& action);

struct ChosenValue {
    Value value{};
    const Rule* rule = nullptr;
    const Action* action = nullptr;
    int rank = 0;
    std::string because;  // not empty: forced by what must read the filesystem, there is no rule
};
// What a choice rests on, as people read it.
std::string rule_id(const ChosenValue& choice);

class Composition {
  public:
    Composition(const Knowledge& knowledge, std::string filesystem);

    // Applies the rule's set and require actions that concern this filesystem (or the block layer). True if a
    // value changed.
    bool apply(const Rule& rule, const Scope& scope);
    // A value that no rule may override, because something that must read the filesystem needs it.
    void force(const std::string& parameter, Value value, std::string because);
    void remove(const std::string& parameter) { chosen_.erase(parameter); }

    [[nodiscard]] Configuration configuration() const;
    [[nodiscard]] const std::map<std::string, ChosenValue>& chosen() const { return chosen_; }
    // Rules of equal strength that disagreed.
    [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }
    // Parameters a rule wanted to set but whose value rests on an unknown fact: id -> the fact.
    [[nodiscard]] const std::map<std::string, std::string>& undecided() const { return undecided_; }

  private:
    void note_undecided(const Action& action, const Scope& scope);

    const Knowledge* knowledge_;
    std::string filesystem_;
    std::map<std::string, ChosenValue> chosen_;
    std::vector<std::string> warnings_;
    std::map<std::string, std::string> undecided_;
};

}  // namespace fsadvise
