// Start and end events (BPMN 2.0, 13.5.1 and 13.5.4). A none start event passes its token on. A none end event consumes its
// token; a terminate end event ends everything in its scope; an error end event throws its error.

#include "core/elements/elements.hpp"
#include "core/moves/moves.hpp"

namespace headrace::core {

Status StartEvent::on_enter(const Activation& a) const {
  moves::complete_and_leave(a);
  return Ok{};
}

Status EndEvent::on_enter(const Activation& a) const {
  a.emit(ElementCompleted{a.node.index});
  a.emit(TokenConsumed{a.token.id});
  return Ok{};
}

Status TerminateEndEvent::on_enter(const Activation& a) const {
  a.emit(ElementCompleted{a.node.index});
  moves::cancel_scope(a, a.token.scope, a.token.id);
  a.emit(TokenConsumed{a.token.id});
  return Ok{};
}

Status ErrorEndEvent::on_enter(const Activation& a) const {
  const model::ErrorConfig& error = a.node.error();
  moves::throw_error(a, error.code.value_or(""), error.message, {}, std::nullopt);
  return Ok{};
}

Status BoundaryEvent::on_enter(const Activation& a) const {
  moves::complete_and_leave(a);
  return Ok{};
}

}  // namespace headrace::core
