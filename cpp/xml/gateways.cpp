// Gateways. gatewayDirection says nothing that the flows do not say.

#include "elements.hpp"

namespace headrace::xml {

void read_exclusive_gateway(const Element& e, Context& c) {
  check_common(e, {}, c);
  read_default(e, c);
  c.builder.add_node(model::ElementKind::ExclusiveGateway, e.id(), e.attribute("name"), c.parent, std::monostate(), e.line);
}

void read_parallel_gateway(const Element& e, Context& c) {
  check_common(e, {}, c);
  c.builder.add_node(model::ElementKind::ParallelGateway, e.id(), e.attribute("name"), c.parent, std::monostate(), e.line);
}

}  // namespace headrace::xml
