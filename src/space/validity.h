// Judges a configuration: which constraints it breaks, and what will happen.
#pragma once

#include <string>
#include <vector>

#include "space/constraint.h"
#include "space/context.h"

namespace fsadvise {

struct Violation {
    Effect effect = Effect::kMkfsRefuses;
    // Constraint id, or parameter id + ".domain", ".version", ".active" (exists only under a condition),
    // ".durability".
    std::string id;
    std::string parameter;  // the one to blame, may be empty
    std::string says;       // what happens
    std::string fix;
    std::vector<std::string> sources;
    bool certain = true;  // false: a fact needed to decide is unknown
};

// All violations: parameter domains, version windows (introduced/removed for kernel, tool and distribution),
// and constraints. Unknown facts give no violation, except that `include_uncertain` lists them with certain =
// false if the configuration sets something they depend on. Deprecated values are kUnwise, values before
// their `safe` version kUnsafe.
std::vector<Violation> violations(const Context& context, bool include_uncertain = false);

// True if mkfs and mount will succeed and give what was asked, and durability is not below the request's
// class. kUnwise does not make a configuration invalid; kUnsafe does, unless the data is scratch.
bool is_valid(const Context& context);

}  // namespace fsadvise
