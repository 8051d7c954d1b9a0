// tune2fs and xfs_admin: what they ask of a filesystem that exists. Internal to src/advice.
#pragma once

#include <string>
#include <vector>

#include "advice/lint_check.h"

namespace fsadvise {

// The features and figures a command sets, by the words of the formatting tool, and the device.
struct Tuning {
    std::string filesystem;  // "" if argv is neither program
    std::vector<std::string> devices;
    std::vector<ParsedWord> words;
};

// Findings for words that the program refuses.
Tuning check_tuning(const LintChecker& checker, int line, const std::vector<std::string>& argv,
                    LintResult& result);

}  // namespace fsadvise
