// Internal: the explanations of the single kinds, one file a group of kinds.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "advice/explain.h"

namespace fsadvise {

// explain_parameter.cpp; `value` is the one that was written, with its words.
Explanation explain_parameter(const Knowledge& knowledge, const Host& host, const Parameter& parameter);
void add_written_value(const Knowledge& knowledge, const Host& host, const Parameter& parameter,
                       const std::string& written, const Value& value, Explanation& explanation);

// explain_items.cpp; nullopt if nothing has this id.
std::optional<Explanation> explain_item(const Knowledge& knowledge, std::string_view id);
std::string condition_text(const Expression& expression);  // "always" if empty
std::string action_text(const Knowledge& knowledge, const Action& action);

// explain_find.cpp: parameters that a word or option could mean.
struct FoundParameter {
    const Parameter* parameter = nullptr;
    std::optional<Value> value;  // if one was written
    std::string written;
};
std::vector<FoundParameter> find_parameters(const Knowledge& knowledge,
                                            const std::vector<std::string>& words);
// Everything that has a name, for "did you mean".
std::vector<std::string> known_names(const Knowledge& knowledge);

}  // namespace fsadvise
