#include "advice/graph_reach.h"
#include "advice/knowledge_graph.h"

#include <algorithm>
#include <map>
#include <ostream>
#include <set>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/graphviz.hpp>
#include <fmt/format.h>

#include "advice/rule_graph.h"
#include "base/text.h"

namespace fsadvise {
namespace {

struct Node {
    std::string name, shape, color, tooltip;
    std::string filesystem;  // that it belongs to, or empty
};

using Graph = boost::adjacency_list<boost::setS, boost::vecS, boost::bidirectionalS, Node>;
using Vertex = boost::graph_traits<Graph>::vertex_descriptor;

const char* color_of(Effect effect) {
    switch (effect) {
        case Effect::kMkfsRefuses:
        case Effect::kMountRefuses:
            return "red";
        case Effect::kSilent:
        case Effect::kUnsafe:
            return "orange";
        case Effect::kNoEffect:
        case Effect::kUnwise:
            break;
    }
    return "gray40";
}

class Builder {
  public:
    explicit Builder(const Knowledge& knowledge) : knowledge_(knowledge) {
        for (const Parameter& parameter : knowledge.parameters()) add_parameter(parameter);
        for (const Constraint& constraint : knowledge.constraints()) add_constraint(constraint);
        for (const Rule& rule : knowledge.rules()) add_rule(rule);
        for (const WorkloadDescription& workload : knowledge.workloads()) {
            const Vertex from = vertex({workload.id, "folder", "black", workload.title, {}});
            for (const std::string& trait : workload.traits) connect(from, name_vertex(trait_name(trait)));
        }
    }
    [[nodiscard]] const Graph& graph() const { return graph_; }
    [[nodiscard]] const std::map<std::string, Vertex>& by_name() const { return by_name_; }

  private:
    Vertex vertex(Node node) {
        const auto [entry, is_new] = by_name_.try_emplace(node.name, Vertex{});
        if (is_new) entry->second = boost::add_vertex(std::move(node), graph_);
        return entry->second;
    }
    // A fact, a trait, a parameter or a filesystem.
    Vertex name_vertex(const std::string& name) {
        if (const auto* parameter = knowledge_.parameter(name))
            return vertex({name, "octagon", "blue", parameter->title, parameter->filesystem});
        if (knowledge_.filesystem(name) != nullptr)
            return vertex({name, "doubleoctagon", "black", name, name});
        return vertex({name, "ellipse", name.starts_with("trait.") ? "darkgreen" : "gray40", name, {}});
    }
    void connect(Vertex from, Vertex to) {
        if (from != to) boost::add_edge(from, to, graph_);
    }
    void connect_names(const Expression& expression, Vertex to) {
        for (const std::string& name : expression.names()) connect(name_vertex(name), to);
    }

    void add_parameter(const Parameter& parameter) {
        const Vertex self = name_vertex(parameter.id);
        connect_names(parameter.active, self);
        for (const ConditionalValue& choice : parameter.defaults) {
            connect_names(choice.when, self);
            connect_names(choice.value, self);
        }
        for (const auto* bound : {&parameter.domain.minimum, &parameter.domain.maximum})
            if (*bound) connect_names(**bound, self);
    }
    void add_constraint(const Constraint& item) {
        const Vertex self = vertex({item.id, "diamond", color_of(item.effect), item.says, item.filesystem});
        connect_names(item.when, self);
        if (!item.becomes_parameter.empty()) connect(self, name_vertex(item.becomes_parameter));
    }
    void add_rule(const Rule& rule) {
        const Vertex self = vertex({rule.id, "box", "black", rule.title, {}});
        connect_names(rule.when, self);
        for (const Action& action : rule.then) {
            connect_names(action.value, self);
            if (action.kind == ActionKind::kDerive)
                connect(self, name_vertex(trait_name(action.target)));
            else if (action.kind == ActionKind::kApplication)
                connect(self,
                        vertex({action.text + ": " + action.target, "note", "black", action.because, {}}));
            else if (action.kind != ActionKind::kReject && action.kind != ActionKind::kWarn)
                connect(self, name_vertex(action.target));
        }
    }

    const Knowledge& knowledge_;
    Graph graph_;
    std::map<std::string, Vertex> by_name_;
};

// Everything that is reached from `start` along or against the edges.
void reach(const Graph& graph, Vertex start, bool forward, std::set<Vertex>& seen) {
    seen.merge(reached(graph, std::set<Vertex>{start}, forward));
}

// The nodes of a filesystem and their neighbours, but nothing of another filesystem.
std::set<Vertex> of_filesystem(const Graph& graph, const std::string& filesystem) {
    std::set<Vertex> shown;
    const auto foreign = [&](Vertex vertex) {
        return !graph[vertex].filesystem.empty() && graph[vertex].filesystem != filesystem;
    };
    const auto [begin, end] = boost::vertices(graph);
    for (auto at = begin; at != end; ++at) {
        if (graph[*at].filesystem != filesystem) continue;
        shown.insert(*at);
        const auto [in, in_end] = boost::in_edges(*at, graph);
        std::for_each(in, in_end, [&](const auto& edge) {
            if (!foreign(boost::source(edge, graph))) shown.insert(boost::source(edge, graph));
        });
    }
    return shown;
}

void write(const Graph& graph, const std::set<Vertex>& shown, std::ostream& out) {
    Graph picture;
    std::map<Vertex, Vertex> copy;
    for (const Vertex vertex : shown) copy.emplace(vertex, boost::add_vertex(graph[vertex], picture));
    const auto [begin, end] = boost::edges(graph);
    std::for_each(begin, end, [&](const auto& edge) {
        const auto from = copy.find(boost::source(edge, graph)), to = copy.find(boost::target(edge, graph));
        if (from != copy.end() && to != copy.end()) boost::add_edge(from->second, to->second, picture);
    });
    boost::write_graphviz(
        out, picture,
        [&](std::ostream& stream, Vertex vertex) {
            const Node& node = picture[vertex];
            stream << fmt::format("[label={},shape={},color={},tooltip={}]",
                                  boost::escape_dot_string(node.name), node.shape, node.color,
                                  boost::escape_dot_string(node.tooltip));
        },
        [](std::ostream&, const auto&) {},
        [](std::ostream& stream) { stream << "rankdir=LR;\nnode [fontname=\"sans-serif\",fontsize=10];\n"; });
}

}  // namespace

Result<void> write_knowledge_graph(const Knowledge& knowledge, const std::string& focus, std::ostream& out) {
    const Builder builder(knowledge);
    const Graph& graph = builder.graph();
    std::set<Vertex> shown;
    if (focus.empty()) {
        const auto [begin, end] = boost::vertices(graph);
        shown.insert(begin, end);
    } else if (const auto* filesystem = knowledge.filesystem(focus)) {
        shown = of_filesystem(graph, filesystem->id);
    } else {
        const auto* workload = knowledge.workload(focus);
        auto found = builder.by_name().find(workload != nullptr ? workload->id : focus);
        if (found == builder.by_name().end()) found = builder.by_name().find(trait_name(focus));
        if (found == builder.by_name().end()) {
            std::vector<std::string> names;
            for (const auto& [name, vertex] : builder.by_name()) names.push_back(name);
            return fail(ErrorCode::kUsage,
                        "nothing in the graph is called '" + focus + "'" + did_you_mean(focus, names),
                        "knowledge graph",
                        "name a filesystem, parameter, rule, constraint, workload or trait");
        }
        reach(graph, found->second, true, shown);
        reach(graph, found->second, false, shown);
    }
    write(graph, shown, out);
    return {};
}

}  // namespace fsadvise
