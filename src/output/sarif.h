// Findings of check as SARIF 2.1.0, for code scanning services and editors.
//
// Source: OASIS Static Analysis Results Interchange Format (SARIF) Version 2.1.0.
#pragma once

#include <string>
#include <vector>

#include "advice/lint.h"

namespace fsadvise {

// `suppressed` are listed with a suppression of kind inSource. Ends with a newline.
std::string render_sarif(const LintResult& result, const std::vector<Finding>& suppressed,
                         const std::string& version);

}  // namespace fsadvise
