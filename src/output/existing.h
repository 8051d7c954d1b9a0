// Renderers of the advice for an existing filesystem. Pure and deterministic.
#pragma once

#include "advice/existing.h"
#include "output/render.h"

namespace fsadvise {

std::string render_existing_text(const ExistingAdvice& advice, const Knowledge& knowledge, const TextStyle& style);
std::string render_existing_markdown(const ExistingAdvice& advice, const Knowledge& knowledge);
std::string render_existing_json(const ExistingAdvice& advice, const Knowledge& knowledge);

// "When it takes effect" as a heading, the same in every renderer.
std::string moment_title(Moment moment);
std::string command_line(const std::vector<std::string>& argv);

}  // namespace fsadvise
