// What people see of the rule network: justifications, conflicts, Graphviz.
#include <algorithm>
#include <deque>
#include <ostream>
#include <set>
#include <string_view>

#include <boost/graph/graphviz.hpp>
#include <fmt/format.h>

#include "advice/graph_reach.h"
#include "advice/rule_graph.h"

namespace fsadvise {
namespace {

struct Step {
    RuleGraphVertex vertex;
    RuleGraphVertex next;  // towards the decision
};

bool is_leaf(const RuleGraph& graph, RuleGraphVertex vertex, const std::set<const Rule*>& fired) {
    const auto [begin, end] = boost::in_edges(vertex, graph);
    return graph[vertex].rule == nullptr && std::none_of(begin, end, [&](const auto& edge) {
               return fired.contains(graph[boost::source(edge, graph)].rule);
           });
}

// Breadth first from the decision against the edges, through fired rules only; ends at the first given fact.
std::vector<RuleGraphVertex> shortest_chain(const RuleGraph& graph, RuleGraphVertex decision,
                                            const std::set<const Rule*>& fired) {
    std::map<RuleGraphVertex, RuleGraphVertex> next{{decision, decision}};
    std::deque<RuleGraphVertex> queue{decision};
    while (!queue.empty()) {
        const auto vertex = queue.front();
        queue.pop_front();
        if (vertex != decision && is_leaf(graph, vertex, fired)) {
            std::vector<RuleGraphVertex> chain{vertex};
            while (chain.back() != decision) chain.push_back(next.at(chain.back()));
            return chain;
        }
        const auto [begin, end] = boost::in_edges(vertex, graph);
        for (auto edge = begin; edge != end; ++edge) {
            const auto from = boost::source(*edge, graph);
            const auto* rule = graph[from].rule;
            if (rule != nullptr && !fired.contains(rule)) continue;
            if (graph[from].kind == VertexKind::kWorkload) continue;
            if (next.emplace(from, vertex).second) queue.push_back(from);
        }
    }
    return {};
}

// Everything that leads to `start` and everything that follows from it.
std::set<RuleGraphVertex> connected_with(const RuleGraph& graph, const std::set<RuleGraphVertex>& start) {
    std::set<RuleGraphVertex> result = start;
    for (const bool forward : {false, true}) result.merge(reached(graph, start, forward));
    return result;
}

bool matches_focus(const Knowledge& knowledge, const RuleVertex& vertex, const std::string& focus) {
    if (vertex.name == focus || vertex.name == "workload: " + focus || vertex.name == trait_name(focus))
        return true;
    const auto* workload = knowledge.workload(focus);
    if (workload != nullptr && vertex.name == "workload: " + workload->id) return true;
    const auto* parameter = knowledge.parameter(vertex.name);
    return parameter != nullptr && parameter->filesystem == focus;
}

std::string attributes(const RuleVertex& vertex) {
    const auto label = [](const std::string& text) { return boost::escape_dot_string(text); };
    switch (vertex.kind) {
        case VertexKind::kRule:
            return fmt::format("[label={},shape=box,tooltip={}]", label(vertex.name),
                               label(vertex.rule->title));
        case VertexKind::kDecision:
            return fmt::format("[label={},shape=doubleoctagon]", label(vertex.name));
        case VertexKind::kParameter:
            return fmt::format("[label={},shape=octagon]", label(vertex.name));
        case VertexKind::kWorkload:
            return fmt::format("[label={},shape=folder]", label(vertex.name));
        case VertexKind::kTrait:
            return fmt::format("[label={},shape=ellipse,style=dashed]", label(vertex.name));
        case VertexKind::kFact:
            break;
    }
    return fmt::format("[label={},shape=ellipse]", label(vertex.name));
}

}  // namespace

std::vector<std::string> RuleNetwork::justify(const Conclusion& conclusion,
                                              const std::string& decision) const {
    const auto found = data_->by_name.find(decision);
    if (found == data_->by_name.end()) return {};
    std::map<const Rule*, const Fired*> by_rule;
    std::set<const Rule*> fired;
    for (const auto& entry : conclusion.fired) {
        by_rule.emplace(entry.rule, &entry);
        fired.insert(entry.rule);
    }
    std::vector<std::string> lines;
    for (const auto vertex : shortest_chain(data_->graph, found->second, fired)) {
        const auto& item = data_->graph[vertex];
        if (item.rule == nullptr) continue;
        std::string because;
        for (const auto& fact : by_rule.at(item.rule)->because)
            because += (because.empty() ? "" : ", ") + fact;
        lines.push_back(fmt::format("{}: {} ({}), because {}", item.rule->id, item.rule->title,
                                    item.rule->strength, because.empty() ? "it holds always" : because));
    }
    if (!lines.empty()) lines.push_back("therefore " + decision);
    return lines;
}

namespace {

// The parts of a condition that are joined by `and` at the top; none if an `or` stands there.
std::set<std::string> conjuncts(std::string_view text) {
    std::set<std::string> parts;
    int depth = 0;
    std::size_t start = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        depth += text[at] == '(' || text[at] == '[' ? 1 : text[at] == ')' || text[at] == ']' ? -1 : 0;
        if (depth > 0 || text[at] != ' ') continue;
        const auto rest = text.substr(at);
        if (rest.starts_with(" or ")) return {};
        if (!rest.starts_with(" and ")) continue;
        parts.emplace(text.substr(start, at - start));
        start = at + std::string_view(" and ").size();
    }
    parts.emplace(text.substr(start));
    return parts;
}

// One needs what the other rules out, so they never fire for the same request.
bool exclude_each_other(const Rule& a, const Rule& b) {
    const auto first = conjuncts(a.when.text()), second = conjuncts(b.when.text());
    const auto denied_by = [](const std::set<std::string>& other) {
        return [&other](const std::string& part) { return other.contains("not " + part); };
    };
    return std::ranges::any_of(first, denied_by(second)) || std::ranges::any_of(second, denied_by(first));
}

}  // namespace

std::vector<std::string> RuleNetwork::conflicts() const {
    struct Setter {
        const Rule* rule;
        std::string value;
    };
    std::map<std::string, std::vector<Setter>> setters;
    for (const auto& entry : data_->order) {
        for (const auto& action : entry.rule->then) {
            if (action.kind == ActionKind::kSet || action.kind == ActionKind::kRequire) {
                setters[action.target].push_back({entry.rule, action.value.text()});
            }
        }
    }
    std::vector<std::string> lines;
    for (const auto& [parameter, list] : setters) {
        for (std::size_t i = 0; i < list.size(); ++i) {
            for (std::size_t j = i + 1; j < list.size(); ++j) {
                if (list[i].value == list[j].value || list[i].rule == list[j].rule) continue;
                if (exclude_each_other(*list[i].rule, *list[j].rule)) continue;
                lines.push_back(fmt::format("{}: {} ({}) sets {}, {} ({}) sets {}", parameter,
                                            list[i].rule->id, list[i].rule->strength, list[i].value,
                                            list[j].rule->id, list[j].rule->strength, list[j].value));
            }
        }
    }
    return lines;
}

void RuleNetwork::write_graphviz(std::ostream& out, const std::string& focus) const {
    const auto& graph = data_->graph;
    std::set<RuleGraphVertex> start;
    if (!focus.empty()) {
        for (const auto& [name, vertex] : data_->by_name) {
            if (matches_focus(data_->knowledge, graph[vertex], focus)) start.insert(vertex);
        }
    }
    const auto shown = connected_with(graph, start);

    RuleGraph picture;
    std::map<RuleGraphVertex, RuleGraphVertex> copy;
    for (const auto& [name, vertex] : data_->by_name) {
        if (focus.empty() || shown.contains(vertex))
            copy.emplace(vertex, boost::add_vertex(graph[vertex], picture));
    }
    const auto [begin, end] = boost::edges(graph);
    std::for_each(begin, end, [&](const auto& edge) {
        const auto from = copy.find(boost::source(edge, graph)), to = copy.find(boost::target(edge, graph));
        if (from != copy.end() && to != copy.end()) boost::add_edge(from->second, to->second, picture);
    });
    boost::write_graphviz(
        out, picture,
        [&](std::ostream& stream, RuleGraphVertex vertex) { stream << attributes(picture[vertex]); },
        [](std::ostream&, const auto&) {},
        [](std::ostream& stream) { stream << "rankdir=LR;\nnode [fontname=\"sans-serif\",fontsize=10];\n"; });
}

}  // namespace fsadvise
