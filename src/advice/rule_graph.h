// The graph behind RuleNetwork; internal to src/advice.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <boost/graph/adjacency_list.hpp>

#include "advice/inference.h"

namespace fsadvise {

enum class VertexKind { kFact, kTrait, kParameter, kRule, kDecision, kWorkload };

struct RuleVertex {
    std::string name;
    VertexKind kind = VertexKind::kFact;
    const Rule* rule = nullptr;
};

using RuleGraph = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS, RuleVertex>;
using RuleGraphVertex = boost::graph_traits<RuleGraph>::vertex_descriptor;

struct OrderedRule {
    const Rule* rule = nullptr;
    bool per_filesystem = false;
};

// Invariant after build: acyclic, `order` is topological.
struct RuleGraphData {
    Knowledge knowledge;  // shares ownership: the rules pointed to live as long as this
    RuleGraph graph;
    std::map<std::string, RuleGraphVertex, std::less<>> by_name;
    std::vector<OrderedRule> order;

    // Adds the vertex if it is new.
    RuleGraphVertex vertex(const std::string& name, VertexKind kind);
    void connect(RuleGraphVertex from, RuleGraphVertex to);
};

struct RuleNetwork::Data final : RuleGraphData {};

// Traits are written with '-' in the knowledge and with '_' in expressions: "trait.random_overwrite".
std::string trait_name(std::string_view trait);

}  // namespace fsadvise
