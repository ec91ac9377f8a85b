// The table of behaviours: a new element is one file beside this one and one line here.

#include "core/elements/elements.hpp"

namespace headrace::core {

Status ElementBehavior::on_resume(const Activation& a, const Action&) const {
  return make_error(ErrorCode::Conflict, "expected '" + a.node.id + "' to wait for something, but a " +
                                             std::string(model::name_of(a.node.kind)) + " does not wait");
}

const ElementBehavior& behavior_of(model::ElementKind kind) {
  static const StartEvent start;
  static const EndEvent end;
  static const TerminateEndEvent terminate;
  static const ErrorEndEvent error_end;
  static const ServiceTask service;
  static const BusinessRuleTask rule;
  static const UserTask user;
  static const ExclusiveGateway exclusive;
  static const ParallelGateway parallel;
  static const SubProcess sub_process;
  static const BoundaryEvent boundary;
  static const ElementBehavior* const kTable[model::kElementKinds] = {
      &start, &end, &terminate, &error_end, &service, &rule, &user, &exclusive, &parallel, &sub_process, &boundary, &boundary};
  return *kTable[static_cast<std::size_t>(kind)];
}

}  // namespace headrace::core
