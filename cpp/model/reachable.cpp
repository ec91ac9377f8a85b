// Elements that no token can reach: allowed (drafts, notes to oneself), but said.

#include "rules.hpp"

namespace headrace::model {

void check_reachable(const Definition& d, Findings& out) {
  std::vector<bool> reached(d.nodes.size(), false);
  std::vector<NodeIndex> todo;
  const auto reach = [&](NodeIndex i) {
    if (i == kNone || reached[i]) return;
    reached[i] = true;
    todo.push_back(i);
  };
  reach(d.start);
  while (!todo.empty()) {
    const Node& n = d.node(todo.back());
    todo.pop_back();
    for (const FlowIndex f : n.outgoing) reach(d.flow(f).target);
    for (const NodeIndex b : n.boundaries) reach(b);
    reach(n.start);
  }
  for (const Node& n : d.nodes) {
    if (!reached[n.index]) out.warn(n, "unreachable", "no token can reach this element");
  }
}

}  // namespace headrace::model
