#include "support/invariants.hpp"

#include <algorithm>

namespace headrace::testing {

using core::ActivityState;
using core::Incident;
using core::IncidentKind;
using core::Instance;
using core::Scope;
using core::Timer;
using core::TimerKind;
using core::Token;
using core::Wait;
using model::ElementKind;

namespace {

std::string number(std::uint32_t n) { return std::to_string(n); }

long timers_of(const Instance& inst, core::TokenId token, TimerKind kind) {
  if (!inst.cold) return 0;
  return std::count_if(inst.cold->timers.begin(), inst.cold->timers.end(),
                       [&](const Timer& t) { return t.token == token && t.kind == kind; });
}
long incidents_of(const Instance& inst, core::TokenId token, bool of_timers) {
  if (!inst.cold) return 0;
  return std::count_if(inst.cold->incidents.begin(), inst.cold->incidents.end(),
                       [&](const auto& i) { return i->token == token && (i->kind == IncidentKind::FailedJob) == of_timers; });
}
long scopes_of(const Instance& inst, core::TokenId owner) {
  return std::count_if(inst.scopes.begin(), inst.scopes.end(),
                       [&](const Scope& s) { return s.parent != core::kNone && s.owner == owner; });
}
long boundary_timers(const Instance& inst, const model::Node& node) {
  return std::count_if(node.boundaries.begin(), node.boundaries.end(),
                       [&](model::NodeIndex b) { return inst.definition->node(b).kind == ElementKind::BoundaryTimer; });
}
bool running(const Token& t) { return t.activity == ActivityState::Active || t.activity == ActivityState::Failing; }

}  // namespace

void Invariants::expect(const char* rule, bool premise, bool holds, const std::string& found) {
  long& count = premises_[rule];
  if (!premise) return;
  ++count;
  if (!holds) broken_.push_back(std::string(rule) + (found.empty() ? "" : ": " + found));
}

std::vector<std::string> Invariants::check(const Instance& inst) {
  broken_.clear();
  for (const Token& t : inst.tokens) check_token(inst, t);
  check_scopes(inst);
  check_timers(inst);
  check_incidents(inst);
  check_ended(inst);
  return broken_;
}

void Invariants::check_token(const Instance& inst, const Token& t) {
  const std::string who = "token " + number(t.id) + " at '" + inst.definition->node(t.node).id + "'";
  const model::Node& node = inst.definition->node(t.node);
  const ElementKind kind = node.kind;
  expect("T1 a step ends when every token waits", true, t.wait != Wait::Enter && t.wait != Wait::Leave, who);
  expect("T1 a token lives in a scope of its node", true,
         inst.scope(t.scope) != nullptr && inst.scope(t.scope)->node == node.parent, who);
  expect("T1 ids are given once", true, t.id < inst.next_token, who);
  const bool service = kind == ElementKind::ServiceTask;
  const bool worker = service && node.service().locus == model::Locus::Worker;
  expect("T2 a job is waited for at an external task", t.wait == Wait::Job, worker && running(t), who);
  expect("T2 an operation is waited for at an in-process task", t.wait == Wait::Operation, service && !worker && running(t), who);
  expect("T2 a user is waited for at a user task", t.wait == Wait::User, kind == ElementKind::UserTask, who);
  expect("T2 a join is waited for at a parallel gateway", t.wait == Wait::Join, kind == ElementKind::ParallelGateway, who);
  expect("T2 an answer is waited for where flows have conditions", t.wait == Wait::Ask, !node.outgoing.empty(), who);
  expect("T2 a back-off has its one timer", t.wait == Wait::Retry,
         service && !worker && timers_of(inst, t.id, TimerKind::Retry) == 1, who);
  expect("T2 only a back-off has a retry timer", t.wait != Wait::Retry, timers_of(inst, t.id, TimerKind::Retry) == 0, who);
  expect("T2 a sub-process has its one scope", t.wait == Wait::Scope,
         kind == ElementKind::SubProcess && scopes_of(inst, t.id) == 1, who);
  expect("T2 only a sub-process owns a scope", t.wait != Wait::Scope, scopes_of(inst, t.id) == 0, who);
  expect("T2 a failed step has its one incident", t.wait == Wait::FailedStep, incidents_of(inst, t.id, false) == 1, who);
  expect("T2 a failing job has its one incident", t.wait == Wait::Job && t.activity == ActivityState::Failing,
         incidents_of(inst, t.id, false) == 1, who);
  expect("T2 what runs has no incident of its own", t.wait != Wait::FailedStep && t.activity != ActivityState::Failing,
         incidents_of(inst, t.id, false) == 0, who);
  expect("T3 a running activity has all its boundary timers", running(t),
         timers_of(inst, t.id, TimerKind::Boundary) == boundary_timers(inst, node), who);
  expect("T3 what is over has no boundary timers", !running(t), timers_of(inst, t.id, TimerKind::Boundary) == 0, who);
}

void Invariants::check_scopes(const Instance& inst) {
  for (const Scope& s : inst.scopes) {
    const long live = std::count_if(inst.tokens.begin(), inst.tokens.end(), [&](const Token& t) { return t.scope == s.id; });
    expect("T1 a scope counts its live tokens", true, live == static_cast<long>(s.live), "scope " + number(s.id));
    const bool inner = s.parent != core::kNone;
    const Token* owner = inner ? inst.token(s.owner) : nullptr;
    expect("T3 an inner scope has its owner waiting at its sub-process", inner,
           owner != nullptr && owner->wait == Wait::Scope && owner->node == s.node && owner->scope == s.parent,
           "scope " + number(s.id));
    expect("T3 an inner scope with no token is closed", inner, s.live > 0, "scope " + number(s.id));
    expect("T1 scope ids are given once", true, s.id < inst.next_scope, "scope " + number(s.id));
  }
}

void Invariants::check_timers(const Instance& inst) {
  if (!inst.cold) return;
  for (const Timer& t : inst.cold->timers) {
    const Token* host = inst.token(t.token);
    const std::string who = "timer " + number(t.id);
    expect("T3 a timer belongs to a live activity", true, host != nullptr && running(*host), who);
    if (host == nullptr) continue;
    const model::Node& node = inst.definition->node(t.node);
    expect("T3 a boundary timer stands on the activity of its token", t.kind == TimerKind::Boundary,
           node.attached_to == host->node, who);
    expect("T3 a retry timer stands at the node of its token", t.kind == TimerKind::Retry, t.node == host->node, who);
    const bool lost = std::any_of(inst.cold->incidents.begin(), inst.cold->incidents.end(),
                                  [&](const auto& i) { return i->kind == IncidentKind::FailedJob && i->timer == t.id; });
    expect("T11 a timer without retries has its incident", t.retries == 0, lost, who);
    expect("T11 a timer with retries has no incident", t.retries > 0, !lost, who);
    expect("T8 timer ids are given once", true, t.id < inst.cold->next_timer, who);
  }
}

void Invariants::check_incidents(const Instance& inst) {
  if (!inst.cold) return;
  for (const auto& i : inst.cold->incidents) {
    const Token* t = inst.token(i->token);
    const std::string who = "incident " + number(i->number);
    expect("T3 an incident belongs to a live token", true, t != nullptr, who);
    expect("T11 incident numbers are given once", true, i->number < inst.cold->next_incident, who);
    if (t == nullptr) continue;
    const bool timer = i->kind == IncidentKind::FailedJob;
    expect("T11 an incident of a timer names it", timer, inst.timer(i->timer) != nullptr, who);
    expect("T11 an open incident is of something exhausted or failed", !timer,
           t->wait == Wait::FailedStep || t->activity == ActivityState::Failing, who);
    expect("T11 an incident of a job names it", !timer && t->wait == Wait::Job, i->job == inst.job_key(*t), who);
  }
}

void Invariants::check_ended(const Instance& inst) {
  const bool ended = inst.state != core::InstanceState::Active;
  expect("T3 an ended instance has nothing left", ended,
         inst.tokens.empty() && inst.scopes.size() == 1 && !inst.suspended &&
             (!inst.cold || (inst.cold->timers.empty() && inst.cold->incidents.empty())));
  expect("T1 an active instance has a token", !ended, !inst.tokens.empty());
}

}  // namespace headrace::testing
