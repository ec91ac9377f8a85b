// Sequence flows: they stay inside their scope; conditions and default flows stand only where they are looked at
// (BPMN 2.0, 8.4.13, 10.6.2, 13.4).

#include "headrace/base/json.hpp"
#include "rules.hpp"

namespace headrace::model {

namespace {

void check_scope(const Definition& d, const Flow& f, Findings& out) {
  const Node& source = d.node(f.source);
  const Node& target = d.node(f.target);
  if (source.parent == target.parent) return;
  out.fault(
      f, "flow-crosses-scope",
      "expected a sequence flow to stay inside its sub-process, but it leads from '" + source.id + "' to '" + target.id + "'",
      "end the flow at the sub-process itself, or begin it there");
}

// Text without ${…} is a constant string, also "true", and no condition. Camunda 7 deploys it and fails when it is looked
// at; so does its profile, but the modeler hears of it.
void check_condition_text(const Definition& d, const Flow& f, Findings& out) {
  if (!f.condition || f.condition->callable) return;
  const std::string& text = f.condition->expression.text();
  if (text.find("${") != std::string::npos || text.find("#{") != std::string::npos) return;
  const std::string message = "expected a condition as ${…}, but found the text " + json::quote(printable(text, 100));
  if (d.profile == policy::Profile::Camunda7) {
    out.warn(f, "condition-text", message);
  } else {
    out.fault(f, "condition-text", message, text.empty() ? "write an expression" : "write ${" + printable(text, 100) + "}");
  }
}

void check_condition(const Definition& d, const Flow& f, Findings& out) {
  check_condition_text(d, f, out);
  const Node& source = d.node(f.source);
  if (!f.condition || source.kind == ElementKind::ExclusiveGateway || is_activity(source.kind)) return;
  out.fault(f, "condition-not-allowed",
            "expected no condition on a flow out of a " + std::string(name_of(source.kind)) + ", but '" + source.id + "' has one",
            "put an exclusive gateway in between");
}

void check_default(const Definition& d, const Node& n, Findings& out) {
  const Flow& f = d.flow(n.default_flow);
  if (n.kind != ElementKind::ExclusiveGateway && !is_activity(n.kind)) {
    out.fault(n, "default-not-allowed",
              "expected a default flow on an exclusive gateway or an activity, but this is a " + std::string(name_of(n.kind)),
              "remove the default");
  }
  if (f.source != n.index) {
    out.fault(n, "default-source", "expected the default flow '" + f.id + "' to leave this element, but it leaves another one",
              "name a flow that begins here");
  } else if (f.condition) {
    out.fault(f, "default-condition", "expected no condition on a default flow, but '" + f.id + "' has one",
              "remove the condition");
  }
}

// A flow without a condition is taken always, so what stands behind it in order is never looked at.
void check_exclusive(const Definition& d, const Node& n, Findings& out) {
  if (n.outgoing.empty()) {
    out.fault(n, "gateway-outgoing", "expected a sequence flow out of an exclusive gateway, but there is none", "add one");
    return;
  }
  const Flow* open = nullptr;
  std::size_t count = 0;
  for (const FlowIndex i : n.outgoing) {
    if (d.flow(i).condition || i == n.default_flow || out.further_defaults.contains(i)) continue;
    open = &d.flow(i);
    ++count;
  }
  if (open == nullptr || n.outgoing.size() == 1) return;
  const std::string message =
      "expected a condition on each flow out of an exclusive gateway but the default, but '" + open->id + "' has none";
  if (count > 1 || n.default_flow != kNone) {
    out.fault(*open, "condition-missing", message, "add a condition, or make it the default flow");
  } else {
    out.warn(*open, "condition-missing", message + " and is taken always");
  }
}

}  // namespace

void check_flows(const Definition& d, Findings& out) {
  for (const Flow& f : d.flows) {
    if (f.source == kNone) continue;
    if (f.target != kNone) check_scope(d, f, out);
    check_condition(d, f, out);
  }
  for (const Node& n : d.nodes) {
    if (n.default_flow != kNone) check_default(d, n, out);
    if (n.kind == ElementKind::ExclusiveGateway) check_exclusive(d, n, out);
  }
}

}  // namespace headrace::model
