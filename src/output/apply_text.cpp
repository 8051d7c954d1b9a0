#include <fmt/format.h>

#include "base/text.h"
#include "output/apply.h"
#include "output/text_parts.h"

namespace fsadvise {

namespace {

std::string headline(const tuner::Plan& plan, bool done) {
    if (plan.steps.empty()) return "already as advised, nothing to do";
    if (done) return "done and read back";
    return plan.formats() ? "dry run, nothing was changed; the disk is proved empty and would be formatted"
                          : "dry run, nothing was changed";
}

}  // namespace

std::string step_line(const tuner::PlanStep& step) {
    if (!step.argv.empty()) return shell_join(step.argv);
    if (step.kind == tuner::PlanStepKind::kDirectory) return "mkdir -p " + shell_quote(step.path);
    if (step.path.empty()) return {};
    return step.path + ": " + step.text.substr(0, step.text.find_last_not_of('\n') + 1);
}

std::string render_plan_text(const tuner::Plan& plan, bool done, const std::string& next,
                             const TextStyle& style) {
    const Palette paint(style.color);
    const auto& wish = plan.wish;
    std::string out = fmt::format(
        "{} on {} ({}) at {}: {}\n", paint.bold(wish.configuration.filesystem), wish.device, plan.disk.text(),
        wish.directory, plan.steps.empty() ? paint.green(headline(plan, done)) : headline(plan, done));
    int number = 0;
    for (const auto& step : plan.steps) {
        out += fmt::format("{:3}. {}\n", ++number, step.does);
        const std::string line = step_line(step);
        for (const std::string& part : split(line, '\n'))
            if (!part.empty()) out += "       " + paint.bold(part) + "\n";
    }
    for (const std::string& text : plan.already)
        out += wrap(text, style.width, "  as advised: ", "    ") + "\n";
    for (const std::string& text : plan.notes) out += wrap(text, style.width, "  not done: ", "    ") + "\n";
    if (!next.empty()) out += (done ? "To take back its edits: " : "To do it: ") + next + "\n";
    return out;
}

}  // namespace fsadvise
