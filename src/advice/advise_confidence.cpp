// One word for how far the advice can be trusted, and an honest sentence about what it rests on.
#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "advice/advise_parts.h"
#include "space/component_version.h"

namespace fsadvise {
namespace {

struct Basis {
    std::set<const Rule*> rules;
    std::map<std::string, std::set<std::string>> sources_by_grade;  // grade -> distinct sources

    [[nodiscard]] std::size_t count(const std::string& grade) const {
        const auto found = sources_by_grade.find(grade);
        return found == sources_by_grade.end() ? 0 : found->second.size();
    }
};

void add_rule(const Knowledge& knowledge, const Rule& rule, Basis& basis) {
    if (!basis.rules.insert(&rule).second) return;
    for (const auto& source : rule.sources) {
        const auto* evidence = knowledge.evidence(source);
        if (evidence == nullptr) {
            basis.sources_by_grade["documented"].insert(source);
        } else {
            basis.sources_by_grade[evidence->grade].insert(evidence->source);
        }
    }
}

// Everything that decided between the first two, and every value set.
Basis basis_of(const Knowledge& knowledge, const std::vector<Candidate>& ranked) {
    Basis basis;
    for (std::size_t i = 0; i < std::min<std::size_t>(ranked.size(), 2); ++i) {
        for (const auto& item : ranked[i].contributions) add_rule(knowledge, *item.rule, basis);
    }
    for (const auto& [id, choice] : ranked.front().composition.chosen()) {
        if (choice.rule != nullptr) add_rule(knowledge, *choice.rule, basis);
    }
    return basis;
}

std::vector<std::string> unknown_facts(const Knowledge& knowledge, const Request& request) {
    std::vector<std::string> unknown;
    const auto& device = request.host.device;
    if (!device || device->media.empty()) unknown.emplace_back("the medium");
    if (!device || !device->size_bytes) unknown.emplace_back("the device size");
    if (component_version(knowledge, request.host, "kernel").empty()) unknown.emplace_back("the kernel");
    return unknown;
}

std::string plural(std::size_t count, std::string_view word) {
    return fmt::format("{} {}{}", count, word, count == 1 ? "" : "s");
}

std::string grade_text(const std::string& grade, std::size_t count) {
    if (grade == "measured-here") return plural(count, "measurement") + " of this project";
    if (grade == "documented") return plural(count, "documented fact");
    if (grade == "vendor-opinion") return plural(count, "vendor statement");
    if (grade == "third-party-benchmark") return plural(count, "third-party benchmark");
    return plural(count, "recollection");
}

std::string join_and(const std::vector<std::string>& words) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i) {
        text += (i == 0 ? "" : i + 1 == words.size() ? " and " : ", ") + words[i];
    }
    return text;
}

std::string rests_on(const Knowledge& knowledge, const std::vector<Candidate>& ranked, const Basis& basis,
                     const std::vector<std::string>& unknown) {
    std::vector<std::string> grades;
    for (const auto& [grade, sources] : basis.sources_by_grade)
        grades.push_back(grade_text(grade, sources.size()));
    std::string text = plural(basis.rules.size(), "rule");
    if (!grades.empty()) text += " resting on " + join_and(grades);
    if (ranked.size() == 1) {
        text += "; no other filesystem meets the request";
    } else {
        text += fmt::format("; the lead over {} is {:.0f} points", title_of(knowledge, ranked[1].filesystem),
                            lead(ranked));
    }
    if (!unknown.empty()) text += fmt::format("; unknown: {}", join_and(unknown));
    return text + "; nothing was measured on this machine";
}

}  // namespace

Confidence judge_confidence(const Knowledge& knowledge, const Request& request,
                            const std::vector<Candidate>& ranked) {
    const auto basis = basis_of(knowledge, ranked);
    const auto unknown = unknown_facts(knowledge, request);
    const bool alone = ranked.size() == 1;
    const double margin = lead(ranked);
    // A lead of 10 points that is most of all points awarded is hard to overturn; 5 points of 80 are not.
    double awarded = 1;
    for (std::size_t i = 0; i < std::min<std::size_t>(ranked.size(), 2); ++i) {
        for (const auto& item : ranked[i].contributions)
            awarded += item.points < 0 ? -item.points : item.points;
    }
    const bool clear = alone || (margin >= 10 && margin / awarded >= 0.25);
    const auto good = basis.count("measured-here") + basis.count("documented");
    const auto fair = basis.count("third-party-benchmark") + basis.count("vendor-opinion");

    Confidence result;
    if ((!alone && margin < kCloseCallPoints) || good + fair == 0 || unknown.size() == 3) {
        result.word = "low";
    } else if (clear && good >= 1 && good + fair >= 3 && unknown.empty()) {
        result.word = "high";
    } else {
        result.word = "moderate";
    }
    result.rests_on = rests_on(knowledge, ranked, basis, unknown);
    return result;
}

}  // namespace fsadvise
