// What a word of the knowledge means: a parameter, rule, workload, filesystem, constraint, evidence or
// finding id, or an option as people write it; and the path through the rule network that led to a choice.
//
// Errors: kUsage for a word that nothing knows, with the nearest names.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "advice/inference.h"

namespace fsadvise {

struct ExplanationSection {
    std::string name;  // snake_case: the key in JSON, the label (blanks for '_') in text
    std::vector<std::string> items;
};

struct Explanation {
    std::string kind;  // "parameter", "rule", "workload", "filesystem", "constraint", "evidence", "finding",
                       // "trait", ...
    std::string id, title;
    std::vector<ExplanationSection> sections;

    // Leaves empty items and empty sections out.
    void add(std::string name, std::vector<std::string> items);
};

// `words` is one id, or an option with or without its filesystem or program: {"xfs", "nobarrier"}, {"-m",
// "reflink=0"}. `host` is the target that verdicts on versions are for.
Result<std::vector<Explanation>> explain(const Knowledge& knowledge, const Host& host,
                                         const std::vector<std::string>& words);

// Why an advice chose `decision` (a parameter id, a filesystem, an option as written), or every choice of the
// best configuration if it is empty. A decision that nothing led to is explained too: which rules could, and
// did not.
Result<std::vector<Explanation>> explain_decision(const Knowledge& knowledge, const RuleNetwork& network,
                                                  const Request& request, const std::string& decision);

nlohmann::json to_json(const std::vector<Explanation>& explanations);

}  // namespace fsadvise
