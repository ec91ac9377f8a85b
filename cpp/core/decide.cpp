// What each command means for the state it meets: decides, and leaves events and effects in the buffer.

#include <algorithm>

#include "core/moves/moves.hpp"
#include "core/stepper.hpp"

namespace headrace::core {

namespace {

Error not_active(const Instance& inst) {
  return make_error(ErrorCode::Conflict, "expected instance " + std::to_string(inst.root) + " to be active, but it is " +
                                             std::string(name_of(inst.state)));
}

Error suspended(const Instance& inst) {
  return make_error(ErrorCode::InstanceSuspended,
                    "expected instance " + std::to_string(inst.root) + " to run, but it is suspended");
}

Error no_job(const JobKey& key) {
  return make_error(ErrorCode::JobNotFound, "expected an open job " + jobs::to_text(key, "…") +
                                                ", but there is none: it was completed, failed or cancelled");
}

// What a suspended instance still takes: results that cannot be had again, and what operators do with it as a whole.
bool allowed_while_suspended(const Action& a) {
  return std::holds_alternative<Resume>(a) || std::holds_alternative<Suspend>(a) || std::holds_alternative<Cancel>(a) ||
         std::holds_alternative<OperationDone>(a) || std::holds_alternative<Answered>(a) ||
         std::holds_alternative<AnnotateIncident>(a) || std::holds_alternative<EnqueueRefused>(a) ||
         std::holds_alternative<SetVariables>(a);
}

}  // namespace

Status Stepper::decide() {
  const bool start = std::holds_alternative<StartInstance>(command_.action);
  if (start == (inst_.definition != nullptr)) {
    return start ? make_error(ErrorCode::Conflict,
                              "expected a new instance, but " + std::to_string(inst_.root) + " has been started")
                 : make_error(ErrorCode::InstanceNotFound, "expected an instance that has been started");
  }
  if (!start && inst_.state != InstanceState::Active) {
    if (const auto* report = std::get_if<ReportOutcome>(&command_.action)) return no_job(report->key);
    return not_active(inst_);
  }
  if (inst_.suspended && !allowed_while_suspended(command_.action)) return suspended(inst_);
  return std::visit([this](const auto& action) { return on(action); }, command_.action);
}

Status Stepper::on(const StartInstance& c) {
  out_.events.push_back(InstanceStarted{c.root, c.definition, command_.now, c.business_key, c.traceparent, c.variables});
  out_.events.push_back(TokenCreated{1, 0, c.definition->start, kNone});
  return Ok{};
}

// The behaviour's own part when what a token waits for has arrived.
Status Stepper::resume_token(const Token& t) {
  const std::size_t events = out_.events.size();
  const std::size_t effects = out_.effects.size();
  const TokenId id = t.id;
  const Status resumed = behavior_of(inst_.definition->node(t.node).kind).on_resume(at(t), command_.action);
  return guarded(id, false, resumed, events, effects);
}

Status Stepper::on(const ReportOutcome& c) {
  const Token* t = inst_.token(c.key.token);
  if (t == nullptr || t->visit != c.key.visit || t->wait != Wait::Job || c.key.instance != inst_.root) return no_job(c.key);
  return resume_token(*t);
}

Status Stepper::on(const OperationDone& c) {
  const Token* t = inst_.token(c.token);
  if (t == nullptr || t->visit != c.visit || t->wait != Wait::Operation || t->failures != c.execution) {
    return make_error(ErrorCode::Conflict, "a late result of an operation is dropped");
  }
  const std::size_t events = out_.events.size();
  const std::size_t effects = out_.effects.size();
  const Status resumed = behavior_of(inst_.definition->node(t->node).kind).on_resume(at(*t), Action(c));
  return guarded(c.token, false, resumed, events, effects);
}

Status Stepper::on(const TimerFired& c) {
  const Timer* timer = inst_.timer(c.id);
  if (timer == nullptr) return make_error(ErrorCode::NotFound, "timer " + std::to_string(c.id) + " is gone");
  if (timer->retries == 0)
    return make_error(ErrorCode::Conflict, "timer " + std::to_string(c.id) + " waits for an operator's retry");
  const Token& host = *inst_.token(timer->token);
  if (timer->kind == TimerKind::Retry) {
    out_.events.push_back(TimerRemoved{timer->id});
    return resume_token(host);
  }
  const model::NodeIndex boundary = timer->node;
  moves::cancel_activity(at(host));
  out_.events.push_back(TokenMoved{host.id, boundary, kNone});
  return Ok{};
}

// Design 1.2: a step begun by a timer uses up the 3 retries of that job, then failedJob.
Status Stepper::on(const TimerFailed& c) {
  const Timer* timer = inst_.timer(c.id);
  if (timer == nullptr) return make_error(ErrorCode::NotFound, "timer " + std::to_string(c.id) + " is gone");
  out_.events.push_back(TimerRetryLost{c.id});
  if (timer->retries > 1) {
    out_.effects.push_back(ArmTimer{c.id, command_.now});
    return Ok{};
  }
  const Activation host = at(*inst_.token(timer->token));
  Incident i = moves::new_incident(host, IncidentKind::FailedJob);
  i.node = timer->node;
  i.timer = timer->id;
  i.failure.message = c.message;
  moves::raise(host, std::move(i));
  return Ok{};
}

Status Stepper::on(const Answered& c) {
  const Token* t = inst_.token(c.token);
  if (t == nullptr || t->visit != c.visit || t->wait != Wait::Ask)
    return make_error(ErrorCode::Conflict, "a late answer is dropped");
  const model::Node& node = inst_.definition->node(t->node);
  if (node.kind == model::ElementKind::ExclusiveGateway) return resume_token(*t);
  const std::size_t events = out_.events.size();
  const std::size_t effects = out_.effects.size();
  return guarded(c.token, true, moves::leave_with(at(*t), c), events, effects);
}

Status Stepper::on(const CompleteUserTask& c) {
  const Token* t = inst_.token(c.token);
  if (t == nullptr || t->wait != Wait::User)
    return make_error(ErrorCode::NotFound, "expected a waiting user task, but there is none");
  return resume_token(*t);
}

Status Stepper::on(const Cancel& c) {
  if (!inst_.tokens.empty()) moves::cancel_all(at(inst_.tokens[0]), std::nullopt);
  auto ending = std::make_shared<Ending>();
  ending->reason = c.reason;
  out_.events.push_back(InstanceEnded{InstanceState::Cancelled, std::move(ending)});
  out_.effects.push_back(FinishInstance{});
  return Ok{};
}

Status Stepper::on(const Suspend&) {
  if (inst_.suspended) return suspended(inst_);
  out_.events.push_back(InstanceSuspendedChanged{true});
  for (const Token& t : inst_.tokens) {
    if (t.wait == Wait::Job) out_.effects.push_back(SuspendJob{inst_.job_key(t)});
  }
  if (inst_.cold) {
    for (const Timer& timer : inst_.cold->timers) out_.effects.push_back(DisarmTimer{timer.id});
  }
  return Ok{};
}

Status Stepper::on(const Resume&) {
  if (!inst_.suspended) {
    return make_error(ErrorCode::Conflict, "expected instance " + std::to_string(inst_.root) + " to be suspended, but it is not");
  }
  out_.events.push_back(InstanceSuspendedChanged{false});
  for (const Token& t : inst_.tokens) {
    if (t.wait == Wait::Job) out_.effects.push_back(ResumeJob{inst_.job_key(t)});
  }
  if (inst_.cold) {
    for (const Timer& timer : inst_.cold->timers) {
      if (timer.retries > 0) out_.effects.push_back(ArmTimer{timer.id, timer.due});
    }
  }
  return Ok{};
}

Result<const Incident*> Stepper::open_incident(std::uint32_t number) const {
  const Incident* i = inst_.incident(number);
  if (i == nullptr) {
    return make_error(ErrorCode::NotFound, "expected an open incident '" + std::to_string(inst_.root) + ":" +
                                               std::to_string(number) + "', but there is none");
  }
  return i;
}

Status Stepper::on(const RetryIncident& c) {
  const Result<const Incident*> found = open_incident(c.number);
  if (!found.ok()) return found.error();
  // 0 stands for the full count of the policy
  if (c.retries < 0)
    return make_error(ErrorCode::Validation,
                      "expected a number of retries that is not negative, found " + std::to_string(c.retries));
  const Incident& i = **found;
  out_.events.push_back(IncidentClosed{c.number});
  out_.effects.push_back(NoticeIncidentClosed{c.number});
  if (i.kind == IncidentKind::FailedJob) {
    out_.events.push_back(TimerRetriesSet{i.timer, c.retries == 0 ? kTimerRetries : static_cast<std::uint32_t>(c.retries)});
    out_.effects.push_back(ArmTimer{i.timer, command_.now});
    return Ok{};
  }
  const Token& t = *inst_.token(i.token);
  if (t.wait == Wait::Job) {
    out_.events.push_back(TokenWaits{t.id, Wait::Job, ActivityState::Active});
    out_.effects.push_back(RetryJob{i.job, c.retries});
    return Ok{};
  }
  // the element is entered (or left) again; a failing activity keeps its visit and its armed boundary events
  out_.events.push_back(TokenWaits{t.id, t.failed_leaving ? Wait::Leave : Wait::Enter, t.activity});
  return Ok{};
}

Status Stepper::on(const ResolveIncident& c) {
  const Result<const Incident*> found = open_incident(c.number);
  if (!found.ok()) return found.error();
  const Incident& i = **found;
  const Token& t = *inst_.token(i.token);
  const model::Node& node = inst_.definition->node(t.node);
  if (!model::is_activity(node.kind) || t.failed_leaving || i.kind == IncidentKind::FailedJob ||
      node.kind == model::ElementKind::SubProcess) {
    return make_error(ErrorCode::Conflict,
                      "expected an incident of a task, but '" + node.id + "' cannot be completed by hand: retry it");
  }
  if (t.wait == Wait::Job) out_.effects.push_back(FinishJob{inst_.job_key(t), true});
  const Activation a = at(t);
  moves::write_output(a, c.output);
  moves::complete_activity(a);
  return Ok{};
}

Status Stepper::on(const RaiseIncidentError& c) {
  const Result<const Incident*> found = open_incident(c.number);
  if (!found.ok()) return found.error();
  if (c.code.empty()) return make_error(ErrorCode::Validation, "expected an error code, found ''");
  const Token& t = *inst_.token((*found)->token);
  if (!model::is_activity(inst_.definition->node(t.node).kind) || t.failed_leaving) {
    return make_error(ErrorCode::Conflict, "expected an incident of a task that runs, but '" + inst_.definition->node(t.node).id +
                                               "' is none: retry it");
  }
  std::optional<JobKey> job;
  if (t.wait == Wait::Job) {
    job = inst_.job_key(t);
    out_.effects.push_back(FinishJob{*job, false});
  }
  moves::throw_error(at(t), c.code, c.message, {}, job);
  return Ok{};
}

Status Stepper::on(const AnnotateIncident& c) {
  const Result<const Incident*> found = open_incident(c.number);
  if (!found.ok()) return found.error();
  out_.events.push_back(IncidentAnnotated{c.number, std::make_shared<const std::string>(c.text)});
  return Ok{};
}

Status Stepper::on(const SetVariables& c) {
  for (std::uint32_t i = 0; i < c.variables.size(); ++i) out_.events.push_back(VariableSet{0, c.variables.at(i)});
  return Ok{};
}

Status Stepper::on(const EnqueueRefused& c) {
  const Token* t = inst_.token(c.key.token);
  if (t == nullptr || t->visit != c.key.visit || t->wait != Wait::Job) return no_job(c.key);
  return resume_token(*t);
}

}  // namespace headrace::core
