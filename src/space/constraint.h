// A combination that the tools or the kernel refuse, change silently, or accept without effect.
#pragma once

#include <string>
#include <vector>

#include "space/expression.h"

namespace fsadvise {

enum class ConstraintScope { kSelf, kCrossParameter, kCrossComponent };
enum class Effect {
    kMkfsRefuses,   // mkfs exits non-zero
    kMountRefuses,  // mount fails
    kSilent,        // exit 0, but the result differs from the request (`becomes`)
    kNoEffect,      // accepted and pointless
    kUnsafe,        // works, but data can be lost; see `says`
    kUnwise,        // works, costs performance or space
};

struct Constraint {
    std::string id;  // "xfs.log-fits-group"
    std::string filesystem;
    ConstraintScope scope = ConstraintScope::kCrossParameter;
    Effect effect = Effect::kMkfsRefuses;
    Expression when;  // true = violated
    std::string says; // what happens, one sentence
    std::string fix;
    std::string becomes_parameter;  // kSilent: the parameter that ends up different ...
    Expression becomes_value;       // ... and its value
    std::vector<std::string> sources;
    std::string origin;
};

std::string to_text(ConstraintScope scope);
std::string to_text(Effect effect);

}  // namespace fsadvise
