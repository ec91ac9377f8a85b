// User tasks and business rule tasks.

#include "elements.hpp"

namespace headrace::xml {

void read_user_task(const Element& e, Context& c) {
  check_activity(e, {}, c);
  c.builder.add_node(model::ElementKind::UserTask, e.id(), e.attribute("name"), c.parent, std::monostate(), e.line);
}

// Parsed without a decision engine: reached, it raises an incident that says so.
void read_business_rule_task(const Element& e, Context& c) {
  check_activity(e, {}, c);
  model::BusinessRuleConfig config{e.attribute("decisionRef", Ns::Camunda)};
  c.builder.add_node(model::ElementKind::BusinessRuleTask, e.id(), e.attribute("name"), c.parent, std::move(config), e.line);
}

}  // namespace headrace::xml
