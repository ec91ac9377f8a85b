// Incidents (design 4.11, 1.2): the operator's business. The activity stays in Failing with its boundary events armed, the
// instance lives.

#include <algorithm>

#include "core/moves/moves.hpp"

namespace headrace::core::moves {

namespace {
std::uint32_t next_incident_number(const Activation& a) {
  std::uint32_t n = a.instance.cold ? a.instance.cold->next_incident : 1;
  for (std::size_t i = a.out.applied; i < a.out.events.size(); ++i) {
    if (const auto* raised = std::get_if<IncidentRaised>(&a.out.events[i])) n = std::max(n, raised->incident->number + 1);
  }
  return n;
}
}  // namespace

Incident new_incident(const Activation& a, IncidentKind kind) {
  Incident i;
  i.number = next_incident_number(a);
  i.kind = kind;
  i.token = a.token.id;
  i.node = a.node.index;
  i.raised = a.now;
  return i;
}

void raise(const Activation& a, Incident incident) {
  const std::uint32_t number = incident.number;
  a.emit(IncidentRaised{std::make_shared<const Incident>(std::move(incident))});
  a.effect(NoticeIncident{number});
}

void raise_failed_step(const Activation& a, bool leaving, std::string message) {
  Incident i = new_incident(a, IncidentKind::FailedStep);
  i.failure.message = std::move(message);
  a.emit(StepFailed{a.token.id, leaving});
  raise(a, std::move(i));
}

void exhausted(const Activation& a, IncidentKind kind, const jobs::OutcomeExhausted& outcome, std::optional<JobKey> reported,
               bool job_stays) {
  const bool in_process = kind == IncidentKind::FailedOperation;
  const model::ServiceTaskConfig& service = a.node.service();
  const policy::OnExhausted ending =
      in_process ? in_process_policy(a)->on_exhausted : service.options.on_exhausted.value_or(policy::OnExhausted::Incident);
  if (ending == policy::OnExhausted::Fail) {
    std::string reason = "retries of '" + a.node.id + "' are exhausted";
    if (!service.topic.empty()) reason += " (topic '" + service.topic + "')";
    reason += " after " + std::to_string(outcome.attempts) + " attempts and " + std::to_string(outcome.expiries) +
              " expiries: " + outcome.failure.message;
    fail_instance(a, "", std::move(reason), reported);
    return;
  }
  close_task_incidents(a);
  Incident i = new_incident(a, kind);
  if (job_stays) i.job = *reported;
  i.attempts = outcome.attempts;
  i.expiries = outcome.expiries;
  i.failure = outcome.failure;
  // without a job the token waits in front, and the operator's retry begins the work again
  a.emit(TokenWaits{a.token.id, job_stays ? Wait::Job : Wait::FailedStep, ActivityState::Failing});
  raise(a, std::move(i));
}

namespace {
void close(const Incident& i, StepBuffer& out) {
  out.events.push_back(IncidentClosed{i.number});
  out.effects.push_back(NoticeIncidentClosed{i.number});
}
}  // namespace

void close_incidents(const Instance& inst, TokenId token, StepBuffer& out) {
  if (!inst.cold) return;
  for (const IncidentPtr& i : inst.cold->incidents) {
    if (i->token == token) close(*i, out);
  }
}

void close_task_incidents(const Activation& a) {
  if (!a.instance.cold) return;
  for (const IncidentPtr& i : a.instance.cold->incidents) {
    if (i->token == a.token.id && i->kind != IncidentKind::FailedJob) close(*i, a.out);
  }
}

}  // namespace headrace::core::moves
