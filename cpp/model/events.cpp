// Start and end events: each process and each sub-process has exactly one none start event, which no flow enters; no flow
// leaves an end event (BPMN 2.0, 10.5.2, 10.5.3; an embedded sub-process has a none start event only, 10.3.5).

#include "rules.hpp"

namespace headrace::model {

namespace {

bool is_end(ElementKind kind) {
  return kind == ElementKind::EndEvent || kind == ElementKind::TerminateEndEvent || kind == ElementKind::ErrorEndEvent;
}

void check_start_of(const Definition& d, NodeIndex scope, const std::string& id, int line, std::string_view what, Findings& out) {
  const Node* first = nullptr;
  for (const Node& n : d.nodes) {
    if (n.kind != ElementKind::StartEvent || n.parent != scope) continue;
    if (first == nullptr) {
      first = &n;
    } else {
      out.fault(n, "start-duplicate",
                "expected one none start event in a " + std::string(what) + ", but " +
                    Findings::describe(first->id, first->line) + " is one already",
                "remove one of them, or join the ways behind one start event");
    }
  }
  if (first == nullptr) {
    out.fault(id, line, "start-missing", "expected one none start event in a " + std::string(what) + ", but there is none",
              "add a start event without a trigger");
  }
}

}  // namespace

void check_starts(const Definition& d, int process_line, Findings& out) {
  check_start_of(d, kNone, "", process_line, "process", out);
  for (const Node& n : d.nodes) {
    if (n.kind == ElementKind::SubProcess) check_start_of(d, n.index, n.id, n.line, "sub-process", out);
    if (n.kind == ElementKind::StartEvent && !n.incoming.empty()) {
      out.fault(n, "start-incoming",
                "expected no sequence flow into a start event, but '" + d.flow(n.incoming.front()).id + "' enters it",
                "lead the flow to the element behind the start event");
    }
  }
}

void check_ends(const Definition& d, Findings& out) {
  for (const Node& n : d.nodes) {
    if (!is_end(n.kind) || n.outgoing.empty()) continue;
    out.fault(n, "end-outgoing",
              "expected no sequence flow out of an end event, but '" + d.flow(n.outgoing.front()).id + "' leaves it",
              "use a throwing intermediate event, or remove the flow");
  }
}

}  // namespace headrace::model
