// Start and end events. Only the none start event begins a process here; an end event ends its path, the whole instance
// (terminate) or raises an error.

#include "elements.hpp"
#include "error_ref.hpp"

namespace headrace::xml {

void read_start_event(const Element& e, Context& c) {
  check_common(e, {}, c);
  c.builder.add_node(model::ElementKind::StartEvent, e.id(), e.attribute("name"), c.parent, std::monostate(), e.line);
}

namespace {

void add_end(const Element& e, model::ElementKind kind, model::NodeConfig config, Context& c) {
  c.builder.add_node(kind, e.id(), e.attribute("name"), c.parent, std::move(config), e.line);
}

void read_error_end(const Element& e, const Element& definition, Context& c) {
  check_vendor(definition, e, c);
  if (!definition.find("errorRef")) {
    c.fault(e, "error-code-missing", "expected an errorRef on the error of " + describe(e) + ", but there is none",
            "name an error of the model");
  }
  add_end(e, model::ElementKind::ErrorEndEvent, read_error_ref(e, definition, c), c);
}

}  // namespace

void read_end_event(const Element& e, Context& c) {
  check_common(e, {"terminateEventDefinition", "errorEventDefinition"}, c);
  const std::vector<const Element*> definitions = event_definitions(e);
  if (definitions.size() > 1) return c.unsupported(e, describe(e) + " with more than one event definition");
  if (definitions.empty()) return add_end(e, model::ElementKind::EndEvent, std::monostate(), c);
  const Element& definition = *definitions.front();
  if (definition.name == "errorEventDefinition") return read_error_end(e, definition, c);
  check_vendor(definition, e, c);
  add_end(e, definition.name == "terminateEventDefinition" ? model::ElementKind::TerminateEndEvent : model::ElementKind::EndEvent,
          std::monostate(), c);
}

}  // namespace headrace::xml
