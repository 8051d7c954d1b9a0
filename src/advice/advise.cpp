#include "advice/advise.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "advice/advise_parts.h"
#include "base/text.h"

namespace fsadvise {
namespace {

constexpr std::string_view kFallbackFilesystem = "ext4";

void rank(const Knowledge& knowledge, const Request& request, std::vector<Candidate>& candidates) {
    const auto usual = default_configuration(knowledge, request).filesystem;
    std::ranges::stable_sort(candidates, [&](const Candidate& a, const Candidate& b) {
        if (a.recommendation.score != b.recommendation.score)
            return a.recommendation.score > b.recommendation.score;
        return a.filesystem == usual && b.filesystem != usual;
    });
}

// Moves filesystems that cannot even be made plain, or not as required, to the excluded ones. Returns the
// requirements that were in the way.
std::vector<std::string> exclude_refused(std::vector<Candidate>& candidates,
                                         std::vector<std::string>& excluded) {
    std::set<std::string> needs;
    for (const auto& candidate : candidates) {
        if (!candidate.refused.empty()) excluded.push_back(candidate.filesystem + ": " + candidate.refused);
        if (!candidate.unmet_need.empty()) needs.insert(candidate.unmet_need);
    }
    std::erase_if(candidates, [](const Candidate& candidate) { return !candidate.refused.empty(); });
    return {needs.begin(), needs.end()};
}

void add_notes(const Knowledge& knowledge, const WorkloadDescription& workload,
               const std::vector<Candidate>& ranked, Advice& advice) {
    if (ranked.size() > 1 && lead(ranked) < kCloseCallPoints) {
        advice.notes.push_back(
            fmt::format("close call: {} leads {} by {:.1f} points; a measurement would decide",
                        title_of(knowledge, ranked[0].filesystem), title_of(knowledge, ranked[1].filesystem),
                        lead(ranked)));
    }
    const auto& asked = advice.request.requirements.durability;
    if (asked == "strict" && workload.durability != "strict") {
        advice.notes.push_back(
            fmt::format("{} usually bears durability '{}'; options that need it were not considered "
                        "(ask with --durability {})",
                        workload.title, workload.durability, workload.durability));
    }
    // No ready command here: a line that erases a disk must not be a copy and paste away from advice.
    if (advice.request.host.device && !advice.request.host.device->path.empty()) {
        advice.notes.push_back("tune can also measure on a whole device, which erases it: see fsadvise tune --help");
    }
}

// With every requirement, so that it measures candidates of the same kind as those advised.
std::string prove_command(const WorkloadDescription& workload, const Requirements& requirements) {
    std::string command = "fsadvise tune --workload " + shell_quote(workload.id);
    const auto add_list = [&](const char* option, const std::vector<std::string>& words) {
        if (!words.empty()) command += fmt::format(" {} {}", option, shell_quote(join(words, ",")));
    };
    add_list("--require", {requirements.needs.begin(), requirements.needs.end()});
    add_list("--fs", requirements.filesystems);
    if (requirements.durability != "strict") command += " --durability " + requirements.durability;
    return command + " --scratch-file ./fsadvise-scratch --size 4G --budget 10m";
}

}  // namespace

Configuration default_configuration(const Knowledge& knowledge, const Request& request) {
    const auto& host = request.host;
    const auto* distribution = knowledge.distribution(host.distribution, host.distribution_version);
    if (distribution != nullptr && knowledge.filesystem(distribution->default_filesystem) != nullptr) {
        return {distribution->default_filesystem, {}};
    }
    return {std::string(kFallbackFilesystem), {}};
}

Result<Advice> advise(const Knowledge& knowledge, const RuleNetwork& network, const Request& request) {
    const auto* workload = knowledge.workload(request.workload);
    if (workload == nullptr) {
        const auto names = knowledge.workload_names();
        const auto message = request.workload.empty()
                                 ? std::string("no workload given")
                                 : fmt::format("unknown workload '{}'{}", request.workload,
                                               did_you_mean(request.workload, names));
        return fail(ErrorCode::kUsage, message, {}, "workloads: " + join(names, ", "));
    }
    FSADVISE_TRY(check_words(knowledge, request));

    Advice advice;
    advice.request = request;
    advice.request.workload = workload->id;
    if (advice.request.mount_point.empty()) advice.request.mount_point = workload->mount_point;
    advice.workload_title = workload->title;
    advice.knowledge_digest = knowledge.digest();

    FSADVISE_ASSIGN(const auto usable, eligible_filesystems(knowledge, advice.request, advice.excluded));
    const auto general = network.infer(advice.request, {});
    std::vector<Candidate> candidates;
    for (const auto& filesystem : usable) {
        candidates.push_back(make_candidate(knowledge, network, advice.request, general, filesystem));
    }
    const auto unmet = exclude_refused(candidates, advice.excluded);
    if (candidates.empty()) return nothing_can_be_made(request, unmet, advice.excluded);
    rank(knowledge, advice.request, candidates);
    explain_ranking(knowledge, advice.request, candidates);
    collect_side_results(*workload, candidates, advice);
    for (const auto& entry : general.fired) {
        for (const auto& action : entry.rule->then) {
            if (action.kind == ActionKind::kWarn) advice.warnings.push_back(action.text);
        }
    }
    add_notes(knowledge, *workload, candidates, advice);
    advice.confidence = judge_confidence(knowledge, advice.request, candidates);
    advice.prove_command = prove_command(*workload, request.requirements);
    for (auto& candidate : candidates) advice.ranked.push_back(std::move(candidate.recommendation));
    return advice;
}

}  // namespace fsadvise
