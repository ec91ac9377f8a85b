// BPMN errors (BPMN 2.0, 10.5.7; ADR-021 2.6): an error is critical, it is caught by the innermost enclosing scope with a
// matching boundary event, which interrupts its host; a code is preferred to a catch-all. Uncaught it fails the instance, or ends
// its path as Camunda 7 does (design 4.12).

#include "core/moves/moves.hpp"

namespace headrace::core::moves {

namespace {

model::NodeIndex handler_of(const model::Definition& def, const model::Node& activity, const std::string& code) {
  model::NodeIndex catch_all = kNone;
  for (model::NodeIndex b : activity.boundaries) {
    const model::Node& event = def.node(b);
    if (event.kind != model::ElementKind::BoundaryError) continue;
    if (event.error().code == code) return b;
    if (!event.error().code && catch_all == kNone) catch_all = b;
  }
  return catch_all;
}

policy::OnUncaughtError on_uncaught(const Activation& a) {
  if (a.node.kind == model::ElementKind::ServiceTask && a.node.service().options.on_uncaught)
    return *a.node.service().options.on_uncaught;
  return a.definition().profile == policy::Profile::Camunda7 ? policy::OnUncaughtError::End : policy::OnUncaughtError::Fail;
}

// `by` threw; `host` is the activity whose boundary event catches.
void catch_at(const Activation& by, const Token& host, model::NodeIndex handler, const VariableBlock& variables,
              std::optional<JobKey> reported) {
  write_output(by, variables);
  const Activation at_host{by.instance,  by.definition().node(host.node), host, by.now, by.jitter, by.out, by.next_token,
                           by.next_scope};
  cancel_activity(at_host, reported);
  if (!model::is_activity(by.node.kind))
    by.emit(ElementCancelled{by.node.index});  // an error end event that is caught does not end normally
  at_host.emit(TokenMoved{host.id, handler, kNone});
}

}  // namespace

void throw_error(const Activation& a, const std::string& code, const std::string& message, const VariableBlock& variables,
                 std::optional<JobKey> reported) {
  const Instance& inst = a.instance;
  const Token* host = &a.token;
  while (host != nullptr) {
    const model::Node& activity = a.definition().node(host->node);
    const model::NodeIndex handler = handler_of(a.definition(), activity, code);
    if (handler != kNone) {
      catch_at(a, *host, handler, variables, reported);
      return;
    }
    const Scope* scope = inst.scope(host->scope);
    host = scope->parent == kNone ? nullptr : inst.token(scope->owner);
  }
  if (on_uncaught(a) == policy::OnUncaughtError::End) {
    write_output(a, variables);
    disarm(inst, a.token.id, a.out);
    close_incidents(inst, a.token.id, a.out);
    a.emit(ElementCompleted{a.node.index});
    a.emit(TokenConsumed{a.token.id});
    return;
  }
  std::string reason = "BPMN error '" + code + "' thrown at '" + a.node.id + "' was caught by nothing";
  if (!message.empty()) reason += ": " + message;
  fail_instance(a, code, std::move(reason), reported);
}

void fail_instance(const Activation& a, std::string code, std::string reason, std::optional<JobKey> reported) {
  cancel_all(a, reported);
  disarm_fresh(a);
  auto ending = std::make_shared<Ending>();
  ending->node = a.node.index;
  ending->code = std::move(code);
  ending->reason = std::move(reason);
  a.emit(InstanceEnded{InstanceState::Failed, std::move(ending)});
  a.effect(FinishInstance{});
}

}  // namespace headrace::core::moves
