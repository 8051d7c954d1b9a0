// Values worth trying on a parameter: all listed ones, the bounds of its range and their neighbours, and the
// literals that conditions compare it with.
//
// Bounds: at most 24 values a parameter.
#pragma once

#include <vector>

#include "space/context.h"

namespace fsadvise::tuner {

// Without the parameter's default, which other trials have. Bounds are evaluated in `context`.
std::vector<Value> trial_values(const Context& context, const Parameter& parameter);

// False for a size that is no whole number of the units in which it is written.
bool can_be_written(const Parameter& parameter, const Value& value);

// Numbers and words written in an expression: "64Mi", 'news', true.
std::vector<Value> literals_of(const Expression& expression);

}  // namespace fsadvise::tuner
