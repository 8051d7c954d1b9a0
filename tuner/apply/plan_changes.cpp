// A filesystem that is mounted already: what of the advice can be had without making it anew.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "advice/existing_steps.h"
#include "base/text.h"
#include "space/existing.h"
#include "space/read_back.h"
#include "space/spelling.h"
#include "tuner/apply/plan_parts.h"

namespace fsadvise::tuner {

namespace {

// Parameters that are not as asked: read_back() names them before the first colon.
std::set<std::string> differing(const ReadBackResult& found) {
    std::set<std::string> ids;
    for (const std::string& mismatch : found.mismatches) ids.insert(mismatch.substr(0, mismatch.find(':')));
    return ids;
}

std::string lines_of(const std::vector<std::vector<std::string>>& commands) {
    std::vector<std::string> lines;
    for (const auto& argv : commands) lines.push_back(shell_join(argv));
    return join(lines, "; ");
}

std::string note_of(const ExistingStep& step, const Wish& wish) {
    const std::string what =
        fmt::format("{} (now {})", step.spelled.empty() ? step.parameter : step.spelled, step.from);
    switch (step.moment) {
        case Moment::kFreshMount:
            return fmt::format("{} takes effect at the next mount: umount {}; mount {}", what,
                               shell_quote(wish.directory), shell_quote(wish.directory));
        case Moment::kUnmounted:
            return fmt::format("{} can be changed while it is unmounted only: {}", what,
                               lines_of(step.commands));
        default:
            return fmt::format("{} comes with a new format only{}", what,
                               step.note.empty() ? "" : ": " + step.note);
    }
}

}  // namespace

Result<void> add_changes(const Machine& machine, Plan& plan) {
    const Wish& wish = plan.wish;
    FSADVISE_ASSIGN(const ExistingFilesystem facts,
                    look_at(machine.knowledge, wish.directory, machine.runner, machine.files));
    if (facts.filesystem != wish.configuration.filesystem) {
        return fail(ErrorCode::kUnavailable,
                    fmt::format("holds {}, and {} comes with a new format only", facts.filesystem,
                                wish.configuration.filesystem),
                    wish.directory,
                    "nothing was changed; for what can be changed: fsadvise recommend --existing " +
                        shell_quote(wish.directory));
    }
    if (wish.adopt) {
        plan.already.push_back(fmt::format("{} is mounted at {}", wish.device, wish.directory));
        return {};
    }
    FSADVISE_ASSIGN(const ReadBackResult found, read_back(machine.knowledge, wish.configuration, wish.device,
                                                          wish.directory, machine.runner, machine.files));
    const auto ids = differing(found);
    plan.already.push_back(
        fmt::format("{} holds {}, mounted at {}", wish.device, facts.filesystem, wish.directory));
    Recommendation target;
    target.configuration = wish.configuration;
    for (const auto& [id, value] : wish.configuration.values) {
        if (!ids.contains(id)) continue;
        Choice choice;
        choice.parameter = id;
        choice.value = value;
        target.choices.push_back(std::move(choice));
    }
    std::vector<std::string> same;
    const std::size_t before = plan.steps.size();
    for (const ExistingStep& step : steps_to(machine.knowledge, wish.request, facts, target, same)) {
        const bool online = step.moment == Moment::kNow || step.moment == Moment::kNewFiles;
        if (!online || step.commands.empty()) {
            plan.notes.push_back(note_of(step, wish));
            continue;
        }
        for (const auto& argv : step.commands)
            plan.steps.push_back(
                {PlanStepKind::kChange,
                 fmt::format("{} to {} (now {}){}", step.parameter, fsadvise::to_text(step.value), step.from,
                             step.moment == Moment::kNewFiles ? ", for new files" : ""),
                 argv,
                 {},
                 {},
                 step.parameter});
    }
    if (plan.steps.size() > before)
        plan.steps.push_back(
            {PlanStepKind::kReadBack, "read back whether the changes took effect", {}, {}, {}, {}});
    return {};
}

}  // namespace fsadvise::tuner
