// Boundary events stand on an activity of their own scope and no flow enters them (BPMN 2.0, 10.5.4 and 10.5.6).

#include "rules.hpp"

namespace headrace::model {

namespace {

bool is_boundary(ElementKind kind) { return kind == ElementKind::BoundaryTimer || kind == ElementKind::BoundaryError; }

void check_host(const Definition& d, const Node& n, Findings& out) {
  const Node& host = d.node(n.attached_to);
  if (!is_activity(host.kind)) {
    out.fault(n, "boundary-host",
              "expected a boundary event on a task or sub-process, but '" + host.id + "' is a " + std::string(name_of(host.kind)),
              "attach it to an activity");
  } else if (host.parent != n.parent) {
    out.fault(n, "boundary-scope",
              "expected a boundary event to lie in the scope of its activity, but '" + host.id + "' lies in another one",
              "move one of them into the other's scope");
  }
}

// Two handlers for one error: allowed as in Camunda 7, but only the first can ever catch.
void check_shadowed(const Definition& d, const Node& host, Findings& out) {
  for (std::size_t i = 0; i < host.boundaries.size(); ++i) {
    const auto* later = std::get_if<ErrorConfig>(&d.node(host.boundaries[i]).config);
    for (std::size_t k = 0; later != nullptr && k < i; ++k) {
      const auto* earlier = std::get_if<ErrorConfig>(&d.node(host.boundaries[k]).config);
      if (earlier == nullptr || earlier->code != later->code) continue;
      out.warn(d.node(host.boundaries[i]), "boundary-shadowed",
               "never catches, as '" + d.node(host.boundaries[k]).id + "' on the same activity catches the same error");
      break;
    }
  }
}

}  // namespace

void check_boundaries(const Definition& d, Findings& out) {
  for (const Node& n : d.nodes) {
    if (!n.boundaries.empty()) check_shadowed(d, n, out);
    if (!is_boundary(n.kind)) {
      if (n.attached_to != kNone) {
        out.fault(n, "boundary-kind",
                  "expected a boundary event, but a " + std::string(name_of(n.kind)) + " is attached to an activity",
                  "only boundary events are attached");
      }
      continue;
    }
    if (n.attached_to != kNone) check_host(d, n, out);
    if (!n.incoming.empty()) {
      out.fault(n, "boundary-incoming",
                "expected no sequence flow into a boundary event, but '" + d.flow(n.incoming.front()).id + "' enters it",
                "lead the flow to another element");
    }
  }
}

}  // namespace headrace::model
