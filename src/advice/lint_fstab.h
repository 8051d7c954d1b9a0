// The fstab half of lint, for one text or for lines found inside a script. Internal to src/advice.
#pragma once

#include <string_view>

#include "advice/lint_check.h"

namespace fsadvise {

// Lines are numbered from `first_line`.
void check_fstab(const LintChecker& checker, std::string_view text, int first_line, LintResult& result);

}  // namespace fsadvise
