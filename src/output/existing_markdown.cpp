// Advice for an existing filesystem as a Markdown document.
#include <fmt/format.h>

#include "base/text.h"
#include "output/existing.h"
#include "output/text_parts.h"

namespace fsadvise {

std::string render_existing_markdown(const ExistingAdvice& advice, const Knowledge& knowledge) {
    const auto& facts = advice.facts;
    std::string out =
        fmt::format("# {} on `{}` for {}\n\n**{}**: {}.\n", filesystem_title(knowledge, facts.filesystem),
                    facts.directory, advice.workload_title, advice.verdict, advice.verdict_why);
    for (const auto& text : facts.unseen) out += fmt::format("\nNot seen: {}.\n", text);
    const Moment* last = nullptr;
    for (const auto& step : advice.steps) {
        if (last == nullptr || *last != step.moment)
            out += fmt::format("\n## {}\n", moment_title(step.moment));
        last = &step.moment;
        out += fmt::format("\n- `{}` {} → {}: {} ({}, {})\n", step.parameter, step.from, to_text(step.value),
                           step.why, step.rule, step.strength);
        if (!step.note.empty()) out += fmt::format("  {}\n", step.note);
        if (!step.commands.empty()) {
            out += "\n  ```sh\n";
            for (const auto& argv : step.commands) out += "  " + command_line(argv) + "\n";
            out += "  ```\n";
        }
        for (const auto& source : step.sources)
            out += fmt::format("  - {}\n", source_text(knowledge, source));
    }
    out += fmt::format("\n## fstab\n\n`{}`\n", advice.fstab_options);
    if (!advice.already.empty())
        out += fmt::format("\n## Already as it should be\n\n{}\n", join(advice.already, ", "));
    if (advice.verdict != "keep") {
        out += fmt::format(
            "\n## What we would make instead\n\nBack up first: this erases everything.\n\n```sh\n{}\n```\n",
            command_line(advice.reformat.commands.mkfs_argv(facts.source)));
        out += fmt::format("\nProve it first: `{}`\n", advice.prove_command);
    }
    if (!advice.warnings.empty()) out += "\n## Mind\n\n";
    for (const auto& text : advice.warnings) out += fmt::format("- {}\n", text);
    return out;
}

}  // namespace fsadvise
