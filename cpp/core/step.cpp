#include "headrace/core/step.hpp"

#include <algorithm>

#include "core/moves/moves.hpp"
#include "core/stepper.hpp"

namespace headrace::core {

Status step(Instance& inst, const Command& command, StepBuffer& out, Undo& undo) {
  return Stepper(inst, command, out, undo).run();
}

Stepper::Stepper(Instance& inst, const Command& command, StepBuffer& out, Undo& undo)
    : inst_(inst),
      command_(command),
      out_(out),
      undo_(undo),
      ready_(out.ready),
      drained_(out.drained),
      changed_(out.changed),
      next_token_(inst.next_token),
      next_scope_(inst.next_scope) {
  ready_.clear();
  drained_.clear();
  changed_.clear();
}

Status Stepper::run() {
  const std::size_t events = out_.events.size();
  const std::size_t effects = out_.effects.size();
  const std::size_t mark = undo_.mark();
  if (!undo_.is_off()) undo_.push(Undo::Header{inst_.sequence, inst_.next_token, inst_.next_scope, inst_.state, inst_.suspended});
  Status result = decide();
  if (result.ok()) {
    apply();
    result = loop();
  }
  if (!result.ok()) {
    undo_.roll_back(inst_, mark);
    out_.events.erase(out_.events.begin() + static_cast<std::ptrdiff_t>(events), out_.events.end());
    out_.effects.erase(out_.effects.begin() + static_cast<std::ptrdiff_t>(effects), out_.effects.end());
    out_.applied = events;
    out_.deferred.reset();
    if (!raise_for_answers(result)) return result;
  }
  publish_views();
  if (inst_.suspended) hold_back(effects);
  ++inst_.sequence;
  return Ok{};
}

// Nobody waits for the outcome of a step that answers began: where it was undone, an incident says so, and a retry asks again.
bool Stepper::raise_for_answers(const Status& undone) {
  const auto* answers = std::get_if<Answered>(&command_.action);
  const Token* t = answers == nullptr ? nullptr : inst_.token(answers->token);
  if (t == nullptr || t->visit != answers->visit || t->wait != Wait::Ask) return false;
  if (!undo_.is_off()) undo_.push(Undo::Header{inst_.sequence, inst_.next_token, inst_.next_scope, inst_.state, inst_.suspended});
  ready_.clear();
  drained_.clear();
  changed_.clear();
  next_token_ = inst_.next_token;
  next_scope_ = inst_.next_scope;
  const bool leaving = inst_.definition->node(t->node).kind != model::ElementKind::ExclusiveGateway;
  moves::raise_failed_step(at(*t), leaving, undone.error().message);
  apply();
  return true;
}

Activation Stepper::at(const Token& t) {
  return Activation{inst_, inst_.definition->node(t.node), t, command_.now, command_.jitter, out_, next_token_, next_scope_};
}

Status Stepper::loop() {
  for (;;) {
    if (out_.deferred) {
      Status settled = settle_deferred();
      if (!settled.ok()) return settled;
      apply();
      continue;
    }
    if (!drained_.empty()) {
      complete_drained();
      continue;
    }
    if (ready_.empty() || inst_.state != InstanceState::Active) return Ok{};
    const TokenId id = ready_.back();
    ready_.pop_back();
    const Token* t = inst_.token(id);
    if (t == nullptr || (t->wait != Wait::Enter && t->wait != Wait::Leave)) continue;
    Status done = t->wait == Wait::Enter ? enter(*t) : leave_node(*t);
    if (!done.ok()) return done;
    apply();
  }
}

Status Stepper::guarded(TokenId id, bool leaving, const Status& result, std::size_t events, std::size_t effects) {
  if (result.ok()) return Ok{};
  if (inst_.definition->profile == policy::Profile::Camunda7) return result;
  out_.events.erase(out_.events.begin() + static_cast<std::ptrdiff_t>(events), out_.events.end());
  out_.effects.erase(out_.effects.begin() + static_cast<std::ptrdiff_t>(effects), out_.effects.end());
  out_.deferred.reset();
  next_token_ = inst_.next_token;
  next_scope_ = inst_.next_scope;
  moves::raise_failed_step(at(*inst_.token(id)), leaving, result.error().message);
  return Ok{};
}

Status Stepper::enter(const Token& t) {
  Status counted = count_entry(t);
  if (!counted.ok()) return counted;
  const std::size_t events = out_.events.size();
  const std::size_t effects = out_.effects.size();
  const TokenId id = t.id;
  const Status entered = behavior_of(inst_.definition->node(t.node).kind).on_enter(at(t));
  return guarded(id, false, entered, events, effects);
}

Status Stepper::leave_node(const Token& t) {
  const std::size_t events = out_.events.size();
  const std::size_t effects = out_.effects.size();
  const TokenId id = t.id;
  const Status left = moves::leave(at(t));
  return guarded(id, true, left, events, effects);
}

Status Stepper::settle_deferred() {
  const OperationDone done = *std::move(out_.deferred);
  out_.deferred.reset();
  return on(done);
}

// Design 1.12: the error names the loop, by its most visited node.
Status Stepper::count_entry(const Token& t) {
  if (inst_.tokens.size() > kMaxLiveTokens) {
    return make_error(ErrorCode::Technical, "expected at most " + std::to_string(kMaxLiveTokens) +
                                                " live tokens in an instance, found more at '" +
                                                inst_.definition->node(t.node).id + "'");
  }
  ++entries_;
  if (entries_ < kMaxEntries / 2) return Ok{};
  if (entries_by_node_.empty()) entries_by_node_.resize(inst_.definition->nodes.size());
  ++entries_by_node_[t.node];
  if (entries_ <= kMaxEntries) return Ok{};
  const auto most = std::max_element(entries_by_node_.begin(), entries_by_node_.end()) - entries_by_node_.begin();
  return make_error(ErrorCode::Technical,
                    "expected at most " + std::to_string(kMaxEntries) + " node entries in a step, found a loop through '" +
                        inst_.definition->node(static_cast<model::NodeIndex>(most)).id + "' that never waits");
}

void Stepper::apply() {
  const std::size_t first_ready = ready_.size();
  for (; out_.applied < out_.events.size(); ++out_.applied) {
    const Event& e = out_.events[out_.applied];
    ScopeId scope = kNone;
    if (const auto* consumed = std::get_if<TokenConsumed>(&e)) {
      const Token& gone = *inst_.token(consumed->token);
      scope = gone.scope;
      last_consumed_ = gone.node;
    }
    evolve(inst_, e, undo_);
    if (scope != kNone) drained_.push_back(scope);
    note(e);
  }
  // depth first, in the order in which the tokens became ready
  std::reverse(ready_.begin() + static_cast<std::ptrdiff_t>(first_ready), ready_.end());
  next_token_ = inst_.next_token;
  next_scope_ = inst_.next_scope;
}

void Stepper::note(const Event& e) {
  if (const auto* moved = std::get_if<TokenMoved>(&e)) {
    ready_.push_back(moved->token);
  } else if (const auto* created = std::get_if<TokenCreated>(&e)) {
    ready_.push_back(created->token);
  } else if (const auto* waits = std::get_if<TokenWaits>(&e)) {
    if (waits->wait == Wait::Enter || waits->wait == Wait::Leave) ready_.push_back(waits->token);
  } else if (const auto* set = std::get_if<VariableSet>(&e)) {
    changed_.push_back(set->scope);
    effects_at_change_ = out_.effects.size();
  }
}

void Stepper::complete_drained() {
  const ScopeId id = drained_.back();
  drained_.pop_back();
  const Scope* s = inst_.scope(id);
  if (inst_.state != InstanceState::Active || s == nullptr || s->live > 0) return;
  complete_scope(id);
  apply();
}

void Stepper::complete_scope(ScopeId id) {
  if (id == 0) {
    out_.events.push_back(InstanceEnded{InstanceState::Completed, nullptr, last_consumed_});
    out_.effects.push_back(FinishInstance{});
    return;
  }
  const Token& owner = *inst_.token(inst_.scope(id)->owner);
  out_.events.push_back(ScopeClosed{id});
  moves::complete_activity(at(owner));
}

// A result that reaches a suspended instance takes its token on (design 4.2): what that enqueues waits with the rest, and its
// timers are armed by the resume.
void Stepper::hold_back(std::size_t from) {
  std::vector<Effect>& effects = out_.effects;
  for (std::size_t i = from; i < effects.size(); ++i) {
    if (const auto* job = std::get_if<EnqueueJob>(&effects[i])) {
      const SuspendJob held{job->key};
      effects.insert(effects.begin() + static_cast<std::ptrdiff_t>(++i), held);
    }
  }
  const auto armed = [](const Effect& e) { return std::holds_alternative<ArmTimer>(e); };
  effects.erase(std::remove_if(effects.begin() + static_cast<std::ptrdiff_t>(from), effects.end(), armed), effects.end());
}

// Jobs with an open contract see the variables of their scopes: those that changed after they were enqueued are published anew.
void Stepper::publish_views() {
  if (changed_.empty() || inst_.state != InstanceState::Active) return;
  const auto enqueued_later = [&](const JobKey& key) {
    for (std::size_t i = effects_at_change_; i < out_.effects.size(); ++i) {
      const auto* job = std::get_if<EnqueueJob>(&out_.effects[i]);
      if (job != nullptr && job->key == key) return true;
    }
    return false;
  };
  const auto sees_change = [&](ScopeId scope) {
    for (ScopeId s = scope; s != kNone; s = inst_.scope(s)->parent) {
      if (std::find(changed_.begin(), changed_.end(), s) != changed_.end()) return true;
    }
    return false;
  };
  for (const Token& t : inst_.tokens) {
    if (t.wait != Wait::Job || inst_.definition->node(t.node).service().operation) continue;
    const JobKey key = inst_.job_key(t);
    if (sees_change(t.scope) && !enqueued_later(key)) out_.effects.push_back(PublishVariables{key, inst_.view(t.scope)});
  }
}

}  // namespace headrace::core
