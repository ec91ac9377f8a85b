#include "linker.hpp"

#include <algorithm>
#include <numeric>

namespace headrace::model {

void Builder::Linker::link() {
  refused_.insert(from_.refused_.begin(), from_.refused_.end());
  add_nodes();
  add_flows();
  link_parents();
  link_defaults();
  link_attachments();
  refuse_parent_cycles();
  link_starts();
  link_diagram();
}

NodeIndex Builder::Linker::node(std::string_view id) const {
  const auto at = nodes_.find(id);
  return at == nodes_.end() ? kNone : at->second;
}

FlowIndex Builder::Linker::flow(std::string_view id) const {
  const auto at = flows_.find(id);
  return at == flows_.end() ? kNone : at->second;
}

void Builder::Linker::dangling(const std::string& element, int line, std::string_view attribute, const std::string& wanted,
                               std::string_view what) {
  if (refused_.contains(wanted)) return;
  out_.fault(
      element, line, "dangling-ref",
      "expected " + std::string(attribute) + " to name " + std::string(what) + ", but there is none with id '" + wanted + "'",
      "correct the reference or add the missing element");
}

void Builder::Linker::add_nodes() {
  to_.nodes.reserve(from_.nodes_.size());
  for (const NodeDraft& draft : from_.nodes_) {
    const auto index = static_cast<NodeIndex>(to_.nodes.size());
    Node& n = to_.nodes.emplace_back();
    n.index = index;
    n.kind = draft.kind;
    n.id = draft.id;
    n.name = draft.name;
    n.line = draft.line;
    n.config = draft.config;
    nodes_.emplace(draft.id, index);
  }
  to_.by_id.resize(to_.nodes.size());
  std::iota(to_.by_id.begin(), to_.by_id.end(), NodeIndex{0});
  std::sort(to_.by_id.begin(), to_.by_id.end(), [this](NodeIndex a, NodeIndex b) { return to_.nodes[a].id < to_.nodes[b].id; });
}

NodeIndex Builder::Linker::end_of_flow(const FlowDraft& draft, const char* attribute, const std::string& wanted) {
  const NodeIndex found = node(wanted);
  if (found == kNone) dangling(draft.id, draft.line, attribute, wanted, "an element of the process");
  return found;
}

void Builder::Linker::add_flows() {
  to_.flows.reserve(from_.flows_.size());
  for (const FlowDraft& draft : from_.flows_) {
    const auto index = static_cast<FlowIndex>(to_.flows.size());
    Flow& f = to_.flows.emplace_back();
    f.index = index;
    f.id = draft.id;
    f.line = draft.line;
    f.condition = draft.condition;
    f.source = end_of_flow(draft, "sourceRef", draft.source);
    f.target = end_of_flow(draft, "targetRef", draft.target);
    if (f.source != kNone) to_.nodes[f.source].outgoing.push_back(index);
    if (f.target != kNone) to_.nodes[f.target].incoming.push_back(index);
    flows_.emplace(draft.id, index);
  }
}

void Builder::Linker::link_parents() {
  for (std::size_t i = 0; i < from_.nodes_.size(); ++i) {
    const NodeDraft& draft = from_.nodes_[i];
    if (draft.parent.empty()) continue;
    const NodeIndex parent = node(draft.parent);
    if (parent == kNone || to_.nodes[parent].kind != ElementKind::SubProcess) {
      dangling(draft.id, draft.line, "parent", draft.parent, "a sub-process");
    } else {
      to_.nodes[i].parent = parent;
    }
  }
}

void Builder::Linker::link_defaults() {
  for (const Link& link : from_.defaults_) {
    const NodeIndex owner = node(link.from);
    const FlowIndex chosen = flow(link.to);
    if (owner == kNone) {
      dangling(link.from, link.line, "the owner of a default flow", link.from, "an element of the process");
    } else if (chosen == kNone) {
      dangling(link.from, link.line, "default", link.to, "a sequence flow");
    } else if (const FlowIndex first = to_.nodes[owner].default_flow; first != kNone) {
      out_.further_defaults.insert(chosen);
      out_.fault(
          link.from, link.line, "default-duplicate",
          "expected one default flow, but found two defaults: '" + to_.flow(first).id + "' and '" + to_.flow(chosen).id + "'",
          "keep one, and give the other a condition");
    } else {
      to_.nodes[owner].default_flow = chosen;
    }
  }
}

void Builder::Linker::link_attachments() {
  for (const Link& link : from_.attachments_) {
    const NodeIndex boundary = node(link.from);
    const NodeIndex activity = node(link.to);
    if (boundary == kNone) {
      dangling(link.from, link.line, "the boundary event", link.from, "an element of the process");
    } else if (activity == kNone) {
      out_.unattached.insert(link.from);
      dangling(link.from, link.line, "attachedToRef", link.to, "an activity");
    } else {
      to_.nodes[boundary].attached_to = activity;
      to_.nodes[activity].boundaries.push_back(boundary);
    }
  }
}

void Builder::Linker::refuse_parent_cycles() {
  for (Node& n : to_.nodes) {
    NodeIndex above = n.parent;
    std::size_t steps = 0;
    while (above != kNone && above != n.index && steps++ <= to_.nodes.size()) above = to_.nodes[above].parent;
    if (above != n.index) continue;
    out_.fault(n, "parent-cycle", "expected a sub-process to lie outside its own content, but it contains itself",
               "give it another parent");
    n.parent = kNone;
  }
}

void Builder::Linker::link_starts() {
  for (const Node& n : to_.nodes) {
    if (n.kind != ElementKind::StartEvent) continue;
    NodeIndex& start = n.parent == kNone ? to_.start : to_.nodes[n.parent].start;
    if (start == kNone) start = n.index;
  }
}

// A shape of something that is no node (a pool, a lane, a note) is no fault: drawings carry no behaviour.
void Builder::Linker::link_diagram() {
  for (const ShapeDraft& s : from_.shapes_) {
    if (const NodeIndex found = node(s.node); found != kNone) to_.diagram.shapes.push_back({found, s.x, s.y, s.width, s.height});
  }
  for (const EdgeDraft& e : from_.edges_) {
    if (const FlowIndex found = flow(e.flow); found != kNone) to_.diagram.edges.push_back({found, e.waypoints});
  }
}

}  // namespace headrace::model
