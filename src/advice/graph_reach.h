// Everything that is reached from some vertices along or against the edges of a Boost graph. Internal to src/advice.
#pragma once

#include <algorithm>
#include <deque>
#include <set>

#include <boost/graph/adjacency_list.hpp>

namespace fsadvise {

// The start belongs to the result.
template <class Graph, class Vertex = typename boost::graph_traits<Graph>::vertex_descriptor>
std::set<Vertex> reached(const Graph& graph, const std::set<Vertex>& start, bool forward) {
    std::set<Vertex> seen = start;
    std::deque<Vertex> queue(start.begin(), start.end());
    while (!queue.empty()) {
        const Vertex vertex = queue.front();
        queue.pop_front();
        const auto visit = [&](Vertex other) {
            if (seen.insert(other).second) queue.push_back(other);
        };
        if (forward) {
            const auto [begin, end] = boost::out_edges(vertex, graph);
            std::for_each(begin, end, [&](const auto& edge) { visit(boost::target(edge, graph)); });
        } else {
            const auto [begin, end] = boost::in_edges(vertex, graph);
            std::for_each(begin, end, [&](const auto& edge) { visit(boost::source(edge, graph)); });
        }
    }
    return seen;
}

}  // namespace fsadvise
