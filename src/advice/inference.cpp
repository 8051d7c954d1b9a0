#include "advice/inference.h"

#include <algorithm>
#include <set>

#include <boost/graph/depth_first_search.hpp>
#include <boost/graph/topological_sort.hpp>
#include <fmt/format.h>

#include "advice/compose.h"
#include "advice/rule_graph.h"
#include "base/text.h"

namespace fsadvise {
namespace {

constexpr std::string_view kTraitPrefix = "trait.";

VertexKind kind_of_name(const Knowledge& knowledge, const std::string& name) {
    if (name.starts_with(kTraitPrefix)) return VertexKind::kTrait;
    return knowledge.parameter(name) != nullptr ? VertexKind::kParameter : VertexKind::kFact;
}

// The name of what an action concludes and its kind.
RuleVertex conclusion_of(const Rule& rule, const Action& action) {
    switch (action.kind) {
        case ActionKind::kDerive:
            return {trait_name(action.target), VertexKind::kTrait};
        case ActionKind::kSet:
        case ActionKind::kRequire:
            return {action.target, VertexKind::kParameter};
        case ActionKind::kPrefer:
        case ActionKind::kAvoid:
            return {action.target, VertexKind::kDecision};
        case ActionKind::kReject:
            return {"reject: " + action.text, VertexKind::kDecision};
        case ActionKind::kApplication:
            return {"application: " + action.text + "." + action.target, VertexKind::kDecision};
        case ActionKind::kWarn:
            break;
    }
    return {"warning: " + rule.id, VertexKind::kDecision};
}

// A reader of a parameter depends on what the parameter's default is computed from.
void connect_defaults(RuleGraphData& data, const Parameter& parameter, std::set<std::string>& done);

void connect_name(RuleGraphData& data, const std::string& name, RuleGraphVertex to,
                  std::set<std::string>& done) {
    data.connect(data.vertex(name, kind_of_name(data.knowledge, name)), to);
    if (const auto* parameter = data.knowledge.parameter(name)) connect_defaults(data, *parameter, done);
}

void connect_defaults(RuleGraphData& data, const Parameter& parameter, std::set<std::string>& done) {
    if (!done.insert(parameter.id).second) return;
    const auto to = data.vertex(parameter.id, VertexKind::kParameter);
    for (const auto& choice : parameter.defaults) {
        for (const auto* expression : {&choice.when, &choice.value}) {
            for (const auto& name : expression->names()) {
                if (data.knowledge.parameter(name) != nullptr && name != parameter.id) {
                    connect_name(data, name, to, done);
                }
            }
        }
    }
}

void add_rule(RuleGraphData& data, const Rule& rule, std::set<std::string>& done) {
    const auto self = data.vertex(rule.id, VertexKind::kRule);
    data.graph[self].rule = &rule;
    for (const auto& name : rule.when.names()) connect_name(data, name, self, done);
    for (const auto& action : rule.then) {
        const auto conclusion = conclusion_of(rule, action);
        // "set agcount to twice agcount" reads what is there already; that is no circle.
        for (const auto& name : action.value.names()) {
            if (name != action.target) connect_name(data, name, self, done);
        }
        data.connect(self, data.vertex(conclusion.name, conclusion.kind));
    }
}

void add_workloads(RuleGraphData& data) {
    for (const auto& workload : data.knowledge.workloads()) {
        const auto from = data.vertex("workload: " + workload.id, VertexKind::kWorkload);
        for (const auto& trait : workload.traits) {
            data.connect(from, data.vertex(trait_name(trait), VertexKind::kTrait));
        }
    }
}

// Remembers the first circle met.
class CycleFinder : public boost::dfs_visitor<> {
  public:
    explicit CycleFinder(std::vector<std::string>& cycle) : cycle_(&cycle) {}
    template <class Edge, class Graph>
    void tree_edge(const Edge& edge, const Graph& graph) {
        parent_[target(edge, graph)] = source(edge, graph);
    }
    template <class Edge, class Graph>
    void back_edge(const Edge& edge, const Graph& graph) {
        if (!cycle_->empty()) return;
        const auto start = target(edge, graph);
        cycle_->push_back(graph[start].name);
        for (auto at = source(edge, graph); at != start; at = parent_.at(at))
            cycle_->push_back(graph[at].name);
        cycle_->push_back(graph[start].name);
        std::reverse(cycle_->begin(), cycle_->end());
    }

  private:
    std::vector<std::string>* cycle_;
    std::map<RuleGraphVertex, RuleGraphVertex> parent_;
};

// A rule depends on the candidate filesystem if its condition names one, a parameter, or a trait that only
// such rules derive.
bool reads_filesystem(const RuleGraphData& data, const Rule& rule,
                      const std::set<std::string>& local_traits) {
    return std::ranges::any_of(rule.when.names(), [&](const std::string& name) {
        return name == "filesystem" || data.knowledge.parameter(name) != nullptr ||
               local_traits.contains(name);
    });
}

void order_rules(RuleGraphData& data, const std::vector<RuleGraphVertex>& reverse_order) {
    std::set<std::string> local_traits, global_traits;
    for (const auto& workload : data.knowledge.workloads()) {
        for (const auto& trait : workload.traits) global_traits.insert(trait_name(trait));
    }
    for (auto vertex = reverse_order.rbegin(); vertex != reverse_order.rend(); ++vertex) {
        const auto* rule = data.graph[*vertex].rule;
        if (rule == nullptr) continue;
        const bool local = reads_filesystem(data, *rule, local_traits);
        data.order.push_back({rule, local});
        for (const auto& action : rule->then) {
            if (action.kind != ActionKind::kDerive) continue;
            const auto trait = trait_name(action.target);
            if (!local) {
                global_traits.insert(trait);
                local_traits.erase(trait);
            } else if (!global_traits.contains(trait)) {
                local_traits.insert(trait);
            }
        }
    }
}

// State of one inference: the facts so far.
class Inference {
  public:
    Inference(const Knowledge& knowledge, const Request& request, const std::string& filesystem)
        : knowledge_(knowledge),
          request_(request),
          composition_(knowledge, filesystem),
          context_(knowledge, request, Configuration{filesystem, {}}) {
        if (const auto* workload = knowledge.workload(request.workload)) traits_ = workload->traits;
    }

    void run(const Rule& rule, std::vector<RuleNetwork::Fired>* fired) {
        if (rule.when.test(context_) != true) return;
        if (fired != nullptr) fired->push_back({&rule, because(rule)});
        for (const auto& action : rule.then) {
            if (action.kind == ActionKind::kDerive) derive(action.target);
        }
        if (composition_.apply(rule, context_)) rebuild();
    }
    [[nodiscard]] const std::vector<std::string>& traits() const { return traits_; }

  private:
    [[nodiscard]] std::vector<std::string> because(const Rule& rule) const {
        std::vector<std::string> lines;
        for (const auto& name : rule.when.names()) {
            if (const auto value = context_.lookup(name)) lines.push_back(name + " = " + to_text(*value));
        }
        return lines;
    }
    void derive(const std::string& trait) {
        if (std::ranges::find(traits_, trait) != traits_.end()) return;
        traits_.push_back(trait);
        context_.add_trait(trait);
    }
    // Rules that read a parameter come after all rules that set it, so they see its final value.
    void rebuild() {
        context_ = Context(knowledge_, request_, composition_.configuration());
        for (const auto& trait : traits_) context_.add_trait(trait);
    }

    const Knowledge& knowledge_;
    const Request& request_;
    Composition composition_;
    Context context_;
    std::vector<std::string> traits_;
};

}  // namespace

std::string trait_name(std::string_view trait) {
    std::string name = std::string(kTraitPrefix) + std::string(trait);
    std::ranges::replace(name, '-', '_');
    return name;
}

RuleGraphVertex RuleGraphData::vertex(const std::string& name, VertexKind kind) {
    if (const auto found = by_name.find(name); found != by_name.end()) return found->second;
    const auto added = boost::add_vertex(RuleVertex{name, kind, nullptr}, graph);
    by_name.emplace(name, added);
    return added;
}

void RuleGraphData::connect(RuleGraphVertex from, RuleGraphVertex to) {
    if (!boost::edge(from, to, graph).second) boost::add_edge(from, to, graph);
}

Result<RuleNetwork> RuleNetwork::build(const Knowledge& knowledge) {
    auto data = std::make_shared<Data>();
    data->knowledge = knowledge;
    std::set<std::string> done;
    for (const auto& rule : data->knowledge.rules()) add_rule(*data, rule, done);
    add_workloads(*data);

    std::vector<std::string> cycle;
    boost::depth_first_search(data->graph, boost::visitor(CycleFinder(cycle)));
    if (!cycle.empty()) {
        return fail(ErrorCode::kBadInput,
                    "the rules depend on each other in a circle: " + join(cycle, " -> "), "knowledge/rules",
                    "break the circle: a rule must not read what follows from it");
    }
    std::vector<RuleGraphVertex> reverse_order;
    boost::topological_sort(data->graph, std::back_inserter(reverse_order));
    order_rules(*data, reverse_order);

    RuleNetwork network;
    network.data_ = std::move(data);
    return network;
}

RuleNetwork::Conclusion RuleNetwork::infer(const Request& request, const std::string& filesystem) const {
    Conclusion conclusion;
    Inference inference(data_->knowledge, request, filesystem);
    const bool global = filesystem.empty();
    for (const auto& entry : data_->order) {
        if (!entry.per_filesystem) inference.run(*entry.rule, global ? &conclusion.fired : nullptr);
    }
    if (!global) {
        for (const auto& entry : data_->order) {
            if (entry.per_filesystem) inference.run(*entry.rule, &conclusion.fired);
        }
    }
    conclusion.traits = inference.traits();
    return conclusion;
}

std::vector<std::string> RuleNetwork::order() const {
    std::vector<std::string> ids;
    for (const auto& entry : data_->order) ids.push_back(entry.rule->id);
    return ids;
}

}  // namespace fsadvise
