// Renderers of an Advice: text for people, JSON, shell script, Markdown report. Pure and deterministic.
#pragma once

#include <string>

#include "advice/advice.h"
#include "advice/lint.h"
#include "tuner/study/study.h"

namespace fsadvise {

struct TextStyle {
    bool color = false;
    std::size_t width = 100;
};

std::string render_text(const Advice& advice, const Knowledge& knowledge, const TextStyle& style);
std::string render_json(const Advice& advice, const Knowledge& knowledge);  // pretty, ends with newline
// POSIX sh, shellcheck-clean: device as argument, refuses if a signature or mount is found, no force flag.
std::string render_shell(const Advice& advice, const Knowledge& knowledge);
std::string render_markdown(const Advice& advice, const Knowledge& knowledge,
                            const std::vector<tuner::Trial>& trials);
std::string render_lint_text(const LintResult& result, const TextStyle& style);

}  // namespace fsadvise
