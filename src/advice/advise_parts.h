// The steps of advise(), one file each; internal to src/advice.
#pragma once

#include <string>
#include <vector>

#include "advice/advise.h"
#include "advice/compose.h"

namespace fsadvise {

// One reason for (points > 0) or against a filesystem.
struct Contribution {
    const Rule* rule = nullptr;
    const Action* action = nullptr;
    double points = 0;
};

// A filesystem on its way to a recommendation.
struct Candidate {
    Candidate(const Knowledge& knowledge, const std::string& id)
        : filesystem(id), composition(knowledge, id) {}

    std::string filesystem;
    Composition composition;
    std::vector<RuleNetwork::Fired> fired;  // general rules, then those for this filesystem
    std::vector<std::string> traits;
    std::vector<Contribution> contributions;  // strongest first
    Recommendation recommendation;
    std::string refused;  // not empty: even the plain filesystem cannot be made here, and why
    std::string unmet_need;  // the requirement that refused it, if one did: "project-quotas"
};

// advise_requirements.cpp: errors as documented at advise().
Result<void> check_words(const Knowledge& knowledge, const Request& request);
// The filesystems were tried, and none could be made.
tl::unexpected<Error> nothing_can_be_made(const Request& request, const std::vector<std::string>& unmet_needs,
                                          const std::vector<std::string>& reasons);
Result<std::vector<std::string>> eligible_filesystems(const Knowledge& knowledge, const Request& request,
                                                      std::vector<std::string>& excluded);

// advise_candidate.cpp
Candidate make_candidate(const Knowledge& knowledge, const RuleNetwork& network, const Request& request,
                         const RuleNetwork::Conclusion& general, const std::string& filesystem);

// "require.project_quotas" in the rule's condition -> "project-quotas"; "" if nobody asked for that.
std::string need_of(const Rule& rule, const Request& request);

// advise_block.cpp: takes the values of the block layer out of the configuration.
void take_block_settings(const Knowledge& knowledge, const Request& request, Candidate& candidate);

// advise_readers.cpp: gives up, or turns off, what the oldest reader cannot read.
void make_readable(const Knowledge& knowledge, const Request& request, Candidate& candidate);
void refuse_if_unreadable(const Knowledge& knowledge, const Request& request, Candidate& candidate);

// advise_reasons.cpp: `ranked` is sorted, [0] won.
void explain_ranking(const Knowledge& knowledge, const Request& request, std::vector<Candidate>& ranked);
void collect_side_results(const WorkloadDescription& workload, const std::vector<Candidate>& ranked,
                          Advice& advice);
// "xfs" -> "XFS".
std::string title_of(const Knowledge& knowledge, const std::string& filesystem);

// advise_confidence.cpp
Confidence judge_confidence(const Knowledge& knowledge, const Request& request,
                            const std::vector<Candidate>& ranked);

// Below this lead in points only a measurement can decide.
inline constexpr double kCloseCallPoints = 3.0;
double lead(const std::vector<Candidate>& ranked);

}  // namespace fsadvise
