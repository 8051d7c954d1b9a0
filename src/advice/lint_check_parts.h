// Wording that the files of LintChecker share. Internal to them.
#pragma once

#include <string>
#include <string_view>

#include "advice/lint_check.h"

namespace fsadvise {

inline constexpr std::string_view kDefaultValueId = "default-value";

std::string_view layer_text(Layer layer);
std::string consequence_of(Effect effect, const Place& place);
// "-i rnext64=0" -> "rnext64", "allocsiz=1m" -> "allocsiz".
std::string key_of(const std::string& text);

}  // namespace fsadvise
