// Tasks that wait for people or decisions. User task (BPMN 2.0, 13.3.3): waits until somebody completes it. Business rule task:
// needs a decision engine; without one it raises a failedStep incident that says so, in both profiles, and nothing is undone.

#include "core/elements/elements.hpp"
#include "core/moves/moves.hpp"

namespace headrace::core {

Status BusinessRuleTask::on_enter(const Activation& a) const {
  const auto* rule = std::get_if<model::BusinessRuleConfig>(&a.node.config);
  const std::string decision = rule != nullptr && !rule->decision_ref.empty() ? " (decision '" + rule->decision_ref + "')" : "";
  const std::string title = a.node.name.empty() ? a.node.id : a.node.name;
  moves::raise_failed_step(
      a, false, "business rule task '" + title + "'" + decision + " needs a decision engine, and this engine has none");
  return Ok{};
}

Status UserTask::on_enter(const Activation& a) const {
  a.emit(ActivityEntered{a.token.id});
  const Status armed = moves::arm_boundaries(a);
  if (!armed.ok()) return armed;
  a.emit(TokenWaits{a.token.id, Wait::User, ActivityState::Active});
  return Ok{};
}

Status UserTask::on_resume(const Activation& a, const Action& action) const {
  const auto* done = std::get_if<CompleteUserTask>(&action);
  if (done == nullptr) return ElementBehavior::on_resume(a, action);
  moves::write_output(a, done->output);
  moves::complete_activity(a);
  return Ok{};
}

// Embedded sub-process (BPMN 2.0, 13.3.4): opens a scope, starts at its none start event, and completes when no token is left in
// it.
Status SubProcess::on_enter(const Activation& a) const {
  a.emit(ActivityEntered{a.token.id});
  const Status armed = moves::arm_boundaries(a);
  if (!armed.ok()) return armed;
  const ScopeId scope = a.next_scope++;
  a.emit(TokenWaits{a.token.id, Wait::Scope, ActivityState::Active});
  a.emit(ScopeOpened{scope, a.token.scope, a.node.index, a.token.id});
  a.emit(TokenCreated{a.next_token++, scope, a.node.start, kNone});
  return Ok{};
}

}  // namespace headrace::core
