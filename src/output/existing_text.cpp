// Advice for an existing filesystem, for people at a terminal.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "output/existing.h"
#include "output/text_parts.h"

namespace fsadvise {

std::string moment_title(Moment moment) {
    switch (moment) {
        case Moment::kNow:
            return "Now, while mounted";
        case Moment::kNewFiles:
            return "Now, for new files";
        case Moment::kFreshMount:
            return "At the next fresh mount (a remount does not do it)";
        case Moment::kUnmounted:
            return "While unmounted";
        case Moment::kReformat:
            return "Only by a reformat";
    }
    return {};
}

std::string command_line(const std::vector<std::string>& argv) {
    std::vector<std::string> words;
    for (const auto& word : argv) words.push_back(shell_quote(word));
    return join(words, " ");
}

std::string render_existing_text(const ExistingAdvice& advice, const Knowledge& knowledge,
                                 const TextStyle& style) {
    const Palette paint(style.color);
    const auto& facts = advice.facts;
    std::string out;
    const auto body = [&](const std::string& text, std::string_view first = "    ") {
        out += wrap(text, style.width, first, "    ") + "\n";
    };
    const auto title = [&](const std::string& text) { out += "\n" + paint.bold(text) + "\n"; };
    out += paint.bold(fmt::format("{} on {} ({}): {}", filesystem_title(knowledge, facts.filesystem),
                                  facts.directory, advice.workload_title,
                                  advice.verdict == "keep" ? paint.green("keep it") : advice.verdict)) +
           "\n";
    body(advice.verdict_why + ".", "");
    for (const auto& text : facts.unseen) body("Not seen: " + text, "");
    const Moment* last = nullptr;
    for (const auto& step : advice.steps) {
        if (last == nullptr || *last != step.moment) title(moment_title(step.moment));
        last = &step.moment;
        body(fmt::format("{} {} (now {}): {} [{}, {}]", step.parameter, to_text(step.value), step.from,
                         step.why, step.rule, step.strength),
             "  - ");
        if (!step.note.empty()) body(step.note);
        for (const auto& argv : step.commands) out += "      " + command_line(argv) + "\n";
    }
    if (advice.steps.empty()) body("Nothing to change.", "");
    if (!facts.directory.empty() && !advice.steps.empty()) {
        title("In /etc/fstab, so that it lasts");
        out += "  options: " + advice.fstab_options + "\n";
    }
    if (!advice.already.empty()) {
        title("Already as it should be");
        body(join(advice.already, ", "), "  ");
    }
    if (advice.verdict != "keep") {
        title("What we would make instead (back up first; this erases everything)");
        out += "  " + command_line(advice.reformat.commands.mkfs_argv(facts.source)) + "\n";
        out += "  options: " +
               (advice.reformat.commands.mount_options.empty() ? "defaults"
                                                               : advice.reformat.commands.mount_options) +
               "\n";
        out += "  prove it first: " + advice.prove_command + "\n";
    }
    if (!advice.warnings.empty()) title("Mind");
    for (const auto& text : advice.warnings) body(text, "  - ");
    return out;
}

std::string render_existing_json(const ExistingAdvice& advice, const Knowledge& knowledge) {
    return to_json(advice, knowledge).dump(2) + "\n";
}

}  // namespace fsadvise
