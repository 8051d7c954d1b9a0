// The fstab half of lint, for one text or for lines found inside a script. Internal to src/advice.
#pragma once

#include <string>
#include <string_view>

#include "advice/lint_check.h"

namespace fsadvise {

// Lines are numbered from `first_line`.
void check_fstab(const LintChecker& checker, std::string_view text, int first_line, LintResult& result);
// A misspelt filesystem type: near to a known one and none that a kernel or helper has.
void check_type(const LintChecker& checker, const std::string& type, const Place& place, LintResult& result);
// Takes out, and reports, the options that the driver refuses under an older type that it also mounts (ext3
// for ext4). True if there were any.
bool drop_refused_by_type(const LintChecker& checker, const std::string& type, std::vector<ParsedWord>& words,
                          const Place& place, LintResult& result);
// The options of a mount under such a type.
void check_older_type(const LintChecker& checker, const std::string& type, const std::string& options,
                      const Place& place, LintResult& result);
// A device name that can point to another disk after the next boot.
void check_device_name(const LintChecker& checker, const std::string& device, int line, LintResult& result);
// What holds for mount options wherever they are written, besides LintChecker::check_mount.
void check_redundant_options(const LintChecker& checker, const std::string& filesystem,
                             const std::string& options, int line, LintResult& result);

}  // namespace fsadvise
