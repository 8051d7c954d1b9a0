// The corrected text of a file: options that fail or do nothing are dropped, everything else stays byte for
// byte.
#pragma once

#include <string>
#include <string_view>

#include "advice/lint.h"

namespace fsadvise {

struct FixedText {
    std::string text;
    std::vector<Finding> fixed, left;  // corrected; for a person to decide
};

// Only findings with a mechanical correction (docs/findings.md). The words are looked for from the finding's
// line to the end of the command that begins there; what cannot be found is left.
FixedText fix_text(std::string_view text, const std::vector<Finding>& findings);

}  // namespace fsadvise
