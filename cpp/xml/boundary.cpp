// Boundary events: interrupting, by a timer or an error.

#include "elements.hpp"
#include "error_ref.hpp"

namespace headrace::xml {

namespace {

void add(const Element& e, model::ElementKind kind, model::NodeConfig config, Context& c) {
  c.builder.add_node(kind, e.id(), e.attribute("name"), c.parent, std::move(config), e.line);
  if (const auto host = e.find("attachedToRef")) c.builder.attach(e.id(), reference(*host), e.line);
}

std::optional<model::TimerConfig> timer_value(const Element& e, const Element& definition, Context& c) {
  const Element* value = nullptr;
  for (const Element& child : definition.children) {
    if (child.is(Ns::Bpmn, "timeCycle")) {
      c.unsupported(e, "timeCycle in " + describe(e), "use timeDuration or timeDate");
      return std::nullopt;
    }
    if (!child.is(Ns::Bpmn, "timeDuration") && !child.is(Ns::Bpmn, "timeDate")) continue;
    if (value != nullptr)
      c.fault(e, "timer-value", "expected one of timeDuration and timeDate in " + describe(e) + ", but found two");
    value = &child;
  }
  if (value == nullptr || value->text.empty()) {
    c.fault(e, "timer-value", "expected a timeDuration or timeDate in " + describe(e) + ", but there is none",
            "give an ISO 8601 value or an expression");
    return std::nullopt;
  }
  model::TimerConfig config;
  config.type = value->name == "timeDate" ? model::TimerConfig::Type::Date : model::TimerConfig::Type::Duration;
  auto parsed = parse_expression(e, value->text, value->name, c);
  if (!parsed) return std::nullopt;
  config.value = *std::move(parsed);
  return config;
}

void read_timer(const Element& e, const Element& definition, Context& c) {
  // An event whose value is a fault already is still added, so that references to it are not faults too.
  add(e, model::ElementKind::BoundaryTimer, timer_value(e, definition, c).value_or(model::TimerConfig()), c);
}

}  // namespace

void read_boundary_event(const Element& e, Context& c) {
  check_common(e, {"timerEventDefinition", "errorEventDefinition"}, c);
  const std::vector<const Element*> definitions = event_definitions(e);
  if (definitions.size() > 1) c.unsupported(e, describe(e) + " with more than one event definition");
  if (definitions.empty()) {
    c.fault(e, "boundary-no-definition", "expected an event definition in " + describe(e) + ", but there is none",
            "make it a timer or an error event");
  }
  if (!flag(e, "cancelActivity", true, c)) c.unsupported(e, describe(e) + " with cancelActivity=\"false\" (non-interrupting)");
  for (const Element* definition : definitions) check_vendor(*definition, e, c);
  if (!definitions.empty() && definitions.front()->name == "timerEventDefinition") return read_timer(e, *definitions.front(), c);
  const bool error = !definitions.empty() && definitions.front()->name == "errorEventDefinition";
  add(e, model::ElementKind::BoundaryError, error ? read_error_ref(e, *definitions.front(), c) : model::ErrorConfig(), c);
}

}  // namespace headrace::xml
