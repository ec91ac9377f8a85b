// Service task (BPMN 2.0, 13.3.3; ADR-021 2.1): the in message is bound, the operation is invoked, the output is bound and the
// task completes. In the process the operation runs at once (inline_safe) or on the pool; with an external worker the task is a
// wait node: a job is enqueued with the commit and the token parks.

#include "core/elements/elements.hpp"
#include "core/moves/moves.hpp"
#include "headrace/core/operation.hpp"

namespace headrace::core {

namespace {

using model::Locus;

Status enqueue(const Activation& a) {
  const model::ServiceTaskConfig& service = a.node.service();
  VariableView view;
  if (service.operation) {
    Result<VariableBlock> input = moves::bind_input(a, *service.operation);
    if (!input.ok()) {  // design 4.10: a technical fault that is exhausted at once
      jobs::OutcomeExhausted fault;
      fault.failure.message = input.error().message;
      moves::exhausted(a, IncidentKind::FailedExternalTask, fault, std::nullopt);
      return Ok{};
    }
    view = VariableView(*std::move(input));
  } else {
    view = a.instance.view(a.token.scope);
  }
  a.emit(TokenWaits{a.token.id, Wait::Job, ActivityState::Active});
  JobKey key = a.instance.job_key(a.token);
  if (a.token.activity == ActivityState::None) ++key.visit;  // ActivityEntered is in the buffer, not in the state yet
  a.effect(EnqueueJob{key, a.node.index, std::move(view), a.now});
  return Ok{};
}

void complete(const Activation& a, const VariableBlock& output) {
  moves::write_output(a, output);
  moves::complete_activity(a);
}

// The status variable is taken: an incident at once, never retried (design 4.10). A worker's job stays, in that incident.
void collide(const Activation& a, std::string message, IncidentKind kind, const jobs::OutcomeStatus& status) {
  jobs::OutcomeExhausted fault;
  fault.failure.message = std::move(message);
  fault.attempts = status.attempts;
  fault.expiries = status.expiries;
  moves::exhausted(a, kind, fault, a.instance.job_key(a.token), kind == IncidentKind::FailedExternalTask);
}

void finish_with_status(const Activation& a, const std::optional<policy::StatusTarget>& target, const jobs::OutcomeStatus& status,
                        IncidentKind kind) {
  const Status written = moves::write_status(a, *target, status.value);
  if (!written.ok()) {
    collide(a, written.error().message, kind, status);
    return;
  }
  moves::complete_activity(a);
}

void back_off(const Activation& a, const OperationRetry& retry) {
  Timer timer;
  timer.id = moves::next_timer_id(a);
  timer.kind = TimerKind::Retry;
  timer.token = a.token.id;
  timer.node = a.node.index;
  timer.due = a.now + retry.delay;
  a.emit(TokenWaits{a.token.id, Wait::Retry, ActivityState::Active});
  a.emit(OperationFailed{a.token.id});
  a.emit(TimerArmed{timer});
  a.effect(ArmTimer{timer.id, timer.due});
}

// What an execution in the process came to. `failures`: failed executions before it.
void settle(const Activation& a, OperationVerdict verdict, std::uint32_t failures) {
  if (auto* ok = std::get_if<jobs::OutcomeCompleted>(&verdict)) {
    complete(a, ok->output);
  } else if (auto* status = std::get_if<jobs::OutcomeStatus>(&verdict)) {
    finish_with_status(a, moves::in_process_policy(a)->status, *status, IncidentKind::FailedOperation);
  } else if (auto* error = std::get_if<jobs::OutcomeBpmnError>(&verdict)) {
    moves::throw_error(a, error->code, error->message, error->variables, a.instance.job_key(a.token));
  } else if (auto* retry = std::get_if<OperationRetry>(&verdict)) {
    back_off(a, *retry);
  } else {
    jobs::OutcomeExhausted outcome;
    outcome.failure = std::move(std::get_if<OperationExhausted>(&verdict)->failure);
    outcome.attempts = static_cast<int>(failures) + 1;
    moves::exhausted(a, IncidentKind::FailedOperation, outcome, a.instance.job_key(a.token));
  }
}

Result<VariableBlock> operation_input(const Activation& a) {
  const model::Operation& op = *a.node.service().operation;
  if (op.kind == model::OperationKind::Message) return moves::bind_input(a, op);
  return a.instance.view(a.token.scope).flatten();
}

// `failures`, `visit`: as they will be when the events before are applied.
Status invoke(const Activation& a, std::uint32_t failures, std::uint32_t visit) {
  const model::Operation& op = *a.node.service().operation;
  Result<VariableBlock> input = operation_input(a);
  if (!input.ok()) {
    jobs::OutcomeExhausted fault;
    fault.failure.message = input.error().message;
    moves::exhausted(a, IncidentKind::FailedOperation, fault, std::nullopt);
    return Ok{};
  }
  const int attempt = static_cast<int>(failures) + 1;
  if (op.body->inline_safe() && !a.node.service().options.timeout && !moves::in_process_policy(a)->custom()) {
    model::OperationCall call;
    call.input = *std::move(input);
    call.attempt = attempt;
    OperationVerdict verdict = judge(*moves::in_process_policy(a), op.body->invoke(call), static_cast<int>(failures), a.jitter);
    const auto* ok = std::get_if<jobs::OutcomeCompleted>(&verdict);
    if (ok != nullptr && a.node.boundaries.empty() && !a.instance.cold) {
      complete(a, ok->output);
      return Ok{};
    }
    a.emit(TokenWaits{a.token.id, Wait::Operation, ActivityState::Active});
    a.out.deferred = OperationDone{a.token.id, visit, failures, std::move(verdict)};
    return Ok{};
  }
  a.emit(TokenWaits{a.token.id, Wait::Operation, ActivityState::Active});
  a.effect(InvokeOperation{a.token.id, visit, a.node.index, attempt, *std::move(input)});
  return Ok{};
}

Status resume_job(const Activation& a, const ReportOutcome& report) {
  const JobKey key = report.key;
  if (const auto* ok = std::get_if<jobs::OutcomeCompleted>(&report.outcome)) {
    complete(a, ok->output);
  } else if (const auto* status = std::get_if<jobs::OutcomeStatus>(&report.outcome)) {
    finish_with_status(a, a.node.service().options.status, *status, IncidentKind::FailedExternalTask);
  } else if (const auto* error = std::get_if<jobs::OutcomeBpmnError>(&report.outcome)) {
    moves::throw_error(a, error->code, error->message, error->variables, key);
  } else if (const auto* outcome = std::get_if<jobs::OutcomeExhausted>(&report.outcome)) {
    moves::exhausted(a, IncidentKind::FailedExternalTask, *outcome, key, true);
  } else if (const auto* vars = std::get_if<jobs::OutcomeVariables>(&report.outcome)) {
    moves::write_output(a, vars->variables);
    if (a.token.activity == ActivityState::Failing) {  // it was given retries after all
      moves::close_task_incidents(a);
      a.emit(TokenWaits{a.token.id, Wait::Job, ActivityState::Active});
    }
  }
  return Ok{};
}

}  // namespace

Status ServiceTask::on_enter(const Activation& a) const {
  const bool again =
      a.token.activity == ActivityState::Failing;  // an operator's retry: the same visit, boundary events still armed
  std::uint32_t visit = a.token.visit;
  if (!again) {
    a.emit(ActivityEntered{a.token.id});
    ++visit;
    const Status armed = moves::arm_boundaries(a);
    if (!armed.ok()) return armed;
  }
  if (a.node.service().locus == Locus::Worker) return enqueue(a);
  return invoke(a, 0, visit);
}

Status ServiceTask::on_resume(const Activation& a, const Action& action) const {
  if (const auto* report = std::get_if<ReportOutcome>(&action)) return resume_job(a, *report);
  if (const auto* done = std::get_if<OperationDone>(&action)) {
    settle(a, done->verdict, done->execution);
    return Ok{};
  }
  if (std::holds_alternative<TimerFired>(action)) return invoke(a, a.token.failures, a.token.visit);  // the back-off is over
  if (const auto* refused = std::get_if<EnqueueRefused>(&action)) {
    jobs::OutcomeExhausted fault;
    fault.failure.message = refused->message;
    moves::exhausted(a, IncidentKind::FailedExternalTask, fault, refused->key);
    return Ok{};
  }
  if (const auto* by_hand = std::get_if<ResolveIncident>(&action)) {
    complete(a, by_hand->output);
    return Ok{};
  }
  return ElementBehavior::on_resume(a, action);
}

void ServiceTask::on_cancel(const Activation& a) const {
  if (a.token.wait == Wait::Job) a.effect(WithdrawJob{a.instance.job_key(a.token)});
  if (a.token.wait == Wait::Operation) a.effect(CancelOperation{a.token.id, a.token.visit});
}

}  // namespace headrace::core
