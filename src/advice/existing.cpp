#include "advice/existing.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "advice/advise.h"
#include "advice/existing_steps.h"
#include "base/text.h"
#include "space/space.h"

namespace fsadvise {
namespace {

// Points another filesystem must lead by before moving the data is worth a thought: about 100 * ln(ratio), so a fifth.
constexpr double kWorthPoints = 20;

double score_of(const Advice& advice, const std::string& filesystem) {
    for (const auto& item : advice.ranked)
        if (item.configuration.filesystem == filesystem) return item.score;
    return 0;
}

std::vector<std::string> strong_reformats(const std::vector<ExistingStep>& steps) {
    std::vector<std::string> strong;
    for (const auto& step : steps) {
        const bool counts = step.strength == "strong" || step.strength == "required";
        if (step.moment == Moment::kReformat && counts) strong.push_back(step.spelled);
    }
    return strong;
}

std::string title_in(const Knowledge& knowledge, const std::string& id) {
    const auto* filesystem = knowledge.filesystem(id);
    return filesystem != nullptr ? filesystem->title : id;
}

void judge_reformat(const Knowledge& knowledge, const Advice& all, const std::string& unmet, ExistingAdvice& out) {
    const auto& best = all.ranked.front().configuration.filesystem;
    const auto& own = out.facts.filesystem;
    const std::string own_title = title_in(knowledge, own), best_title = title_in(knowledge, best);
    if (!unmet.empty()) {
        out.verdict = "reformat";
        out.verdict_why = fmt::format("{} cannot give what you require: {}. {} can, and only a new filesystem "
                                      "brings it",
                                      own_title, unmet, best_title);
        return;
    }
    const double ahead = score_of(all, best) - score_of(all, own);
    if (best != own && ahead >= kWorthPoints) {
        out.verdict = "measure";
        out.verdict_why = fmt::format(
            "the rules put {} ahead of {} by {:.0f} points (about {:.0f} %, if they hold for this load); moving "
            "the data pays only if a measurement confirms it",
            best_title, own_title, ahead, 100 * (std::exp(ahead / 100) - 1));
        return;
    }
    const auto strong = strong_reformats(out.steps);
    out.verdict = "keep";
    if (best == own && strong.empty()) {
        out.verdict_why = fmt::format("keep it: {} is what we would choose for this load today", own_title);
    } else if (best == own) {
        out.verdict_why = fmt::format("keep it: {} is the right filesystem; {} would be worth having at the next "
                                      "format, not a format of its own, unless a measurement says so",
                                      own_title, join(strong, ", "));
    } else {
        out.verdict_why = fmt::format("keep it: {} leads by {:.0f} points only, less than moving the data costs",
                                      best_title, ahead);
    }
}

constexpr std::string_view kOptions = "{options}";  // in the commands of the knowledge

// One mount for all the steps that wait for one.
void add_fresh_mount(const ExistingFilesystem& facts, const std::string& options, std::vector<ExistingStep>& steps) {
    for (auto& step : steps) {
        for (auto& argv : step.commands)
            for (auto& word : argv)
                if (const auto at = word.find(kOptions); at != std::string::npos)
                    word.replace(at, kOptions.size(), options);
        if (step.moment != Moment::kFreshMount) continue;
        step.commands = {{"umount", facts.directory},
                         {"mount", "-t", facts.filesystem, "-o", options, facts.source, facts.directory}};
    }
}

void drop_requirements(Request& request) {
    request.requirements.needs.clear();
    request.requirements.readers.clear();
    request.requirements.largest_file_bytes.reset();
    request.requirements.largest_volume_bytes.reset();
}

}  // namespace

std::string to_text(Moment moment) {
    switch (moment) {
        case Moment::kNow:
            return "now";
        case Moment::kNewFiles:
            return "new-files";
        case Moment::kFreshMount:
            return "fresh-mount";
        case Moment::kUnmounted:
            return "unmounted";
        case Moment::kReformat:
            return "reformat";
    }
    return {};
}

Result<ExistingAdvice> advise_existing(const Knowledge& knowledge, const RuleNetwork& network, const Request& request,
                                       const ExistingFilesystem& facts) {
    const auto* filesystem = knowledge.filesystem(facts.filesystem);
    if (filesystem == nullptr)
        return fail(ErrorCode::kUsage, "unknown filesystem '" + facts.filesystem + "'", "--existing");
    FSADVISE_ASSIGN(const Advice all, advise(knowledge, network, request));
    auto unmet = unmet_requirement(knowledge, request.host, request.requirements, *filesystem);

    // For this filesystem alone: what it cannot give is said in the verdict.
    Request own_request = request;
    own_request.requirements.filesystems = {facts.filesystem};
    if (!unmet.empty()) drop_requirements(own_request);
    // It is mounted, so its kernel has it and its size is one that it can have.
    own_request.host.filesystems.reset();
    auto own_advice = advise(knowledge, network, own_request);
    if (!own_advice && unmet.empty()) {
        // It has what is required in principle, and not on this kernel or with these tools.
        unmet = own_advice.error().message;
        drop_requirements(own_request);
        own_advice = advise(knowledge, network, own_request);
    }
    FSADVISE_ASSIGN(const Advice own, std::move(own_advice));

    ExistingAdvice out;
    out.request = all.request;
    out.workload_title = all.workload_title;
    out.facts = facts;
    const auto& target = own.ranked.front();
    out.steps = steps_to(knowledge, own_request, facts, target, out.already);
    auto away = steps_away(knowledge, own_request, facts, out.steps, out.warnings);
    out.steps.insert(out.steps.begin(), away.begin(), away.end());
    std::stable_sort(out.steps.begin(), out.steps.end(),
                     [](const ExistingStep& a, const ExistingStep& b) { return a.moment < b.moment; });
    out.fstab_options = options_after(knowledge, own_request, facts, out.steps);
    add_fresh_mount(facts, out.fstab_options, out.steps);
    judge_reformat(knowledge, all, unmet, out);
    out.reformat = all.ranked.front();
    out.warnings.insert(out.warnings.end(), target.warnings.begin(), target.warnings.end());
    out.application = all.application;
    out.prove_command = all.prove_command;
    return out;
}

}  // namespace fsadvise
