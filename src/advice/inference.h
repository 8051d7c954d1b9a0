// The rule network: which facts lead to which rules and decisions, in what order, and why.
//
// A Boost.Graph directed graph. Vertices: names used by conditions (facts, traits, parameters), rules, decisions.
// Edges: name -> rule that reads it; rule -> trait or decision it concludes. Inference order is a topological order;
// a cycle is a defect of the knowledge (kBadInput, the cycle is named).
#pragma once

#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "advice/advice.h"

namespace fsadvise {

class RuleNetwork {
  public:
    static Result<RuleNetwork> build(const Knowledge& knowledge);

    struct Fired {
        const Rule* rule = nullptr;
        std::vector<std::string> because;  // names in its condition with the values that made it true
    };
    struct Conclusion {
        std::vector<Fired> fired;               // in inference order
        std::vector<std::string> traits;        // the workload's and the derived ones
    };
    // Runs the rules that do not depend on a configuration's filesystem (`filesystem` empty) or those for one.
    [[nodiscard]] Conclusion infer(const Request& request, const std::string& filesystem) const;

    // Rule ids in inference order.
    [[nodiscard]] std::vector<std::string> order() const;
    // Shortest justification chain ending in `decision` (a parameter or filesystem id), as lines of text.
    [[nodiscard]] std::vector<std::string> justify(const Conclusion& conclusion, const std::string& decision) const;
    // Pairs of rules that can set the same parameter to different values, for review.
    [[nodiscard]] std::vector<std::string> conflicts() const;
    // Graphviz of everything, or of what is connected with `focus` (filesystem, parameter, workload, rule id).
    void write_graphviz(std::ostream& out, const std::string& focus) const;

  private:
    struct Data;
    std::shared_ptr<const Data> data_;
};

}  // namespace fsadvise
