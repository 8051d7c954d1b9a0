// From a request to an Advice: the shortest path through the program. Pure: runs no command, writes no file.
#pragma once

#include "advice/advice.h"
#include "advice/inference.h"

namespace fsadvise {

// Errors: kUsage for an unknown workload (with the nearest name) and for requirements that exclude each other (names the
// fewest that do, and what giving up each of them leaves); kUnavailable if the target itself leaves nothing.
Result<Advice> advise(const Knowledge& knowledge, const RuleNetwork& network, const Request& request);

// The machine's own default: the distribution's default filesystem with no option at all. Anchor of every comparison.
Configuration default_configuration(const Knowledge& knowledge, const Request& request);

}  // namespace fsadvise
