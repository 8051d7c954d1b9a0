// Explanations for people: one block a subject, label by label. Pure and deterministic.
#pragma once

#include <string>
#include <vector>

#include "advice/explain.h"
#include "output/render.h"

namespace fsadvise {

std::string render_explain_text(const std::vector<Explanation>& explanations, const Knowledge& knowledge,
                                const TextStyle& style);

}  // namespace fsadvise
