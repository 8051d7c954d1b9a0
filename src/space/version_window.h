// Judges a value against the version windows of its parameter: too new, removed, deprecated, or known to be
// unreliable.
#pragma once

#include <string>
#include <vector>

#include "space/constraint.h"
#include "space/context.h"

namespace fsadvise {

struct WindowVerdict {
    Effect effect = Effect::kMountRefuses;
    std::string says, fix;
    bool certain = true;  // false: the version is unknown
};

// The windows that hold for the context's distribution: an override of a component replaces the general ones
// there.
std::vector<const VersionWindow*> windows_in_force(const Context& context, const Parameter& parameter,
                                                   const Value& value);

std::vector<WindowVerdict> judge_versions(const Context& context, const Parameter& parameter,
                                          const Value& value);

}  // namespace fsadvise
