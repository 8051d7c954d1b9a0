// The script half of lint, for one text or for commands found inside another format. Internal to src/advice.
#pragma once

#include <string_view>

#include "advice/lint_check.h"
#include "advice/lint_shell.h"
#include "advice/lint_volume.h"

namespace fsadvise {

// Lines are numbered from `first_line`. `volumes` joins the commands with what the surrounding file said
// before.
void check_script(const LintChecker& checker, std::string_view text, int first_line, VolumeLinter& volumes,
                  LintResult& result);

}  // namespace fsadvise
