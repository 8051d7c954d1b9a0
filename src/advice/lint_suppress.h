// Suppression comments: "# fsadvise: ignore ID[,ID] reason" on the line of a finding or on the line above it.
#pragma once

#include <string_view>

#include "advice/lint.h"

namespace fsadvise {

// Moves suppressed findings of `text` out of result.findings; returns them. ID is a whole id, a family
// ("mkfs-refuses") or "all". A comment that suppresses nothing becomes the finding suppression-unused.
std::vector<Finding> apply_suppressions(std::string_view text, const std::string& file, LintResult& result);

}  // namespace fsadvise
