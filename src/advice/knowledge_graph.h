// Parameters, constraints and rules as one Graphviz picture: what a value depends on and what depends on it.
#pragma once

#include <iosfwd>
#include <string>

#include "base/result.h"
#include "space/knowledge.h"

namespace fsadvise {

// `focus` empty: everything. A filesystem: its parameters, constraints and rules. Any other name (parameter,
// rule, constraint, workload, trait): what leads to it and what follows from it. Errors: kUsage with the
// nearest name if nothing in the graph is called so.
Result<void> write_knowledge_graph(const Knowledge& knowledge, const std::string& focus, std::ostream& out);

}  // namespace fsadvise
