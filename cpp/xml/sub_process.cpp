// Embedded sub-processes.

#include "elements.hpp"

namespace headrace::xml {

void read_sub_process(const Element& e, Context& c) {
  if (flag(e, "triggeredByEvent", false, c)) {
    c.builder.add_refused(e.id());
    return c.unsupported(e, describe(e) + " with triggeredByEvent=\"true\" (event sub-process)");
  }
  // The flow elements inside are read by read_scope, which refuses what it does not know; here only what stands on the
  // sub-process itself.
  if (e.id().empty())
    c.fault(e, "id-missing", "expected an id on " + describe(e) + ", but there is none", "give the element an id");
  check_vendor(e, e, c);
  if (flag(e, "isForCompensation", false, c)) c.unsupported(e, describe(e) + " with isForCompensation=\"true\"");
  read_default(e, c);
  c.builder.add_node(model::ElementKind::SubProcess, e.id(), e.attribute("name"), c.parent, std::monostate(), e.line);
  const std::string outer = c.parent;
  c.parent = e.id();
  read_scope(e, c);
  c.parent = outer;
}

}  // namespace headrace::xml
