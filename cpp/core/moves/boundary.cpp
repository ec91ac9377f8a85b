// Boundary events and interruption (BPMN 2.0, 13.3.2 and 13.5.3): while an activity is active its boundary timers run;
// interrupting it ends everything inside it in the same commit (design 5: when a scope ends, its jobs, timers, subscriptions and
// children end with it).

#include "core/moves/moves.hpp"

namespace headrace::core::moves {

namespace {

Result<Instant> due_of(const Activation& a, const model::Node& event) {
  const model::TimerConfig& timer = event.timer();
  const VariableView view = a.instance.view(a.token.scope);
  const Result<Value> value = timer.value.evaluate(ViewVariables(view), a.now);
  const std::string where = "timer '" + event.id + "': ";
  if (!value.ok()) return make_error(value.error().code, where + value.error().message);
  if (value->is(Kind::DateTime)) return value->as_datetime();
  if (!value->is(Kind::String)) {
    return make_error(ErrorCode::Expression,
                      where + "expected ISO 8601 text or a datetime, found " + std::string(name_of(value->kind())));
  }
  if (timer.type == model::TimerConfig::Type::Date) {
    const Result<Instant> at = parse_instant(value->as_string());
    if (!at.ok()) return make_error(ErrorCode::Expression, where + "expected an ISO 8601 date and time, found other text");
    return *at;
  }
  const Result<CalendarDuration> wait = parse_calendar_duration(value->as_string());
  if (!wait.ok()) {  // never with the value: it may be a sensitive one (design 4.20)
    return make_error(ErrorCode::Expression,
                      where + "expected an ISO 8601 duration of at most 100 years, such as PT5M or P1M, found other text");
  }
  return add(a.now, *wait);
}

Activation at(const Activation& a, const Token& token) {
  return Activation{a.instance, a.definition().node(token.node), token, a.now, a.jitter, a.out, a.next_token, a.next_scope};
}

const Scope* inner_scope(const Instance& inst, TokenId owner) {
  for (const Scope& s : inst.scopes) {
    if (s.parent != kNone && s.owner == owner) return &s;
  }
  return nullptr;
}

bool within(const Instance& inst, ScopeId scope, ScopeId outer) {
  for (ScopeId s = scope; s != kNone; s = inst.scope(s)->parent) {
    if (s == outer) return true;
  }
  return false;
}

// What a waiting token has outside: its behaviour knows. A token in front of its node has nothing.
void cut_off(const Activation& a, std::optional<JobKey> reported) {
  if (a.token.wait == Wait::Enter || a.token.wait == Wait::Leave) return;
  const bool is_reported = reported && a.instance.job_key(a.token) == *reported;
  if (!is_reported) behavior_of(a.node.kind).on_cancel(a);
  disarm(a.instance, a.token.id, a.out);
  close_incidents(a.instance, a.token.id, a.out);
  if (a.token.wait != Wait::Ask && a.token.wait != Wait::FailedStep) a.emit(ElementCancelled{a.node.index});
  if (a.token.wait == Wait::FailedStep && a.token.activity == ActivityState::Failing) a.emit(ElementCancelled{a.node.index});
}

// Everything in the scope and below: inner tokens first, then the scopes, innermost first.
void empty_scope(const Activation& cause, ScopeId scope, TokenId except, std::optional<JobKey> reported) {
  const Instance& inst = cause.instance;
  for (std::uint32_t i = inst.tokens.size(); i-- > 0;) {
    const Token& t = inst.tokens[i];
    if (t.id == except || !within(inst, t.scope, scope)) continue;
    cut_off(at(cause, t), reported);
    cause.emit(TokenConsumed{t.id});
  }
  for (std::uint32_t i = inst.scopes.size(); i-- > 0;) {
    const Scope& s = inst.scopes[i];
    if (s.id != scope && within(inst, s.id, scope)) cause.emit(ScopeClosed{s.id});
  }
}

}  // namespace

std::uint32_t next_timer_id(const Activation& a) {
  std::uint32_t n = a.instance.cold ? a.instance.cold->next_timer : 1;
  for (std::size_t i = a.out.applied; i < a.out.events.size(); ++i) {
    if (const auto* armed = std::get_if<TimerArmed>(&a.out.events[i])) n = std::max(n, armed->timer.id + 1);
  }
  return n;
}

Status arm_boundaries(const Activation& a) {
  for (model::NodeIndex b : a.node.boundaries) {
    const model::Node& event = a.definition().node(b);
    if (event.kind != model::ElementKind::BoundaryTimer) continue;
    const Result<Instant> due = due_of(a, event);
    if (!due.ok()) return due.error();
    Timer timer;
    timer.id = next_timer_id(a);
    timer.kind = TimerKind::Boundary;
    timer.token = a.token.id;
    timer.node = b;
    timer.due = *due;
    a.emit(TimerArmed{timer});
    a.effect(ArmTimer{timer.id, timer.due});
  }
  return Ok{};
}

void disarm_fresh(const Activation& a) {
  for (std::size_t i = a.out.applied; i < a.out.events.size(); ++i) {
    if (const auto* armed = std::get_if<TimerArmed>(&a.out.events[i])) a.effect(DisarmTimer{armed->timer.id});
  }
}

void disarm(const Instance& inst, TokenId token, StepBuffer& out) {
  if (!inst.cold) return;
  for (const Timer& t : inst.cold->timers) {
    if (t.token != token) continue;
    out.events.push_back(TimerRemoved{t.id});
    out.effects.push_back(DisarmTimer{t.id});
  }
}

void cancel_activity(const Activation& host, std::optional<JobKey> reported) {
  if (const Scope* inner = inner_scope(host.instance, host.token.id)) {
    empty_scope(host, inner->id, 0, reported);
    host.emit(ScopeClosed{inner->id});
  }
  cut_off(host, reported);
}

void cancel_scope(const Activation& cause, ScopeId scope, TokenId except) { empty_scope(cause, scope, except, std::nullopt); }

void cancel_all(const Activation& cause, std::optional<JobKey> reported) { empty_scope(cause, 0, 0, reported); }

}  // namespace headrace::core::moves
