// The result of `knowledge verify` for people: what disagrees, what could not be tried, the sums.
#pragma once

#include <string>

#include "output/render.h"
#include "tuner/verify/verify.h"

namespace fsadvise {

std::string render_verify_text(const tuner::VerifyReport& report, const TextStyle& style, bool with_skipped);

}  // namespace fsadvise
