#include "headrace/core/evolve.hpp"

#include <algorithm>

namespace headrace::core {

namespace {

class Evolver {
 public:
  Evolver(Instance& inst, Undo& undo) : inst_(inst), undo_(undo) {}

  void operator()(const InstanceStarted& e) const {
    inst_.root = e.root;
    inst_.definition = e.definition;
    inst_.started = e.at;
    inst_.business_key = e.business_key;
    inst_.traceparent = e.traceparent;
    Scope root;
    root.variables = e.variables;
    inst_.scopes.push_back(std::move(root));
  }
  void operator()(const TokenCreated& e) const {
    Token t;
    t.id = e.token;
    t.node = e.node;
    t.scope = e.scope;
    t.via = e.via;
    inst_.tokens.push_back(t);
    inst_.next_token = e.token + 1;
    ++inst_.scope(e.scope)->live;
    if (!undo_.is_off()) undo_.push(Undo::TokenNew{e.token});
  }
  void operator()(const TokenMoved& e) const {
    Token& t = touched(e.token);
    t.node = e.node;
    t.via = e.via;
    t.wait = Wait::Enter;
    t.activity = ActivityState::None;
  }
  void operator()(const TokenConsumed& e) const {
    for (std::uint32_t i = inst_.tokens.size(); i-- > 0;) {
      if (inst_.tokens[i].id != e.token) continue;
      if (!undo_.is_off()) undo_.push(Undo::TokenOld{inst_.tokens[i]});
      --inst_.scope(inst_.tokens[i].scope)->live;
      inst_.tokens.erase_at(i);
      return;
    }
  }
  void operator()(const ActivityEntered& e) const {
    Token& t = touched(e.token);
    ++t.visit;
    t.failures = 0;
    t.activity = ActivityState::Active;
  }
  void operator()(const TokenWaits& e) const {
    Token& t = touched(e.token);
    t.wait = e.wait;
    t.activity = e.activity;
    t.failed_leaving = false;
    if (e.wait == Wait::Enter) t.failures = 0;  // an operator's retry: its executions are counted anew
  }
  void operator()(const StepFailed& e) const {
    Token& t = touched(e.token);
    t.wait = Wait::FailedStep;
    t.failed_leaving = e.leaving;
  }
  void operator()(const OperationFailed& e) const { ++touched(e.token).failures; }
  void operator()(const ScopeOpened& e) const {
    Scope s;
    s.id = e.scope;
    s.parent = e.parent;
    s.node = e.node;
    s.owner = e.owner;
    inst_.scopes.push_back(std::move(s));
    inst_.next_scope = e.scope + 1;
    if (!undo_.is_off()) undo_.push(Undo::ScopeNew{e.scope});
  }
  void operator()(const ScopeClosed& e) const {
    for (std::uint32_t i = inst_.scopes.size(); i-- > 0;) {
      if (inst_.scopes[i].id != e.scope) continue;
      if (!undo_.is_off()) undo_.push(Undo::ScopeOld{std::move(inst_.scopes[i])});
      inst_.scopes.erase_at(i);
      return;
    }
  }
  void operator()(const VariableSet& e) const {
    VariableBlock& block = inst_.scope(e.scope)->variables;
    if (undo_.is_off()) {
      block.set(e.variable);
      return;
    }
    if (block.shared()) {
      undo_.push(Undo::BlockOld{e.scope, block});
      block.set(e.variable);
      return;
    }
    Variable old;
    const VariableBlock::Put put = block.set(e.variable, &old);
    if (put.replaced) {
      undo_.push(Undo::VariableOld{e.scope, put.index, std::move(old)});
    } else {
      undo_.push(Undo::VariableNew{e.scope});
    }
  }
  void operator()(const ElementCompleted& e) const { ++count(e.node).completed; }
  void operator()(const ElementCancelled& e) const { ++count(e.node).cancelled; }
  void operator()(const TimerArmed& e) const {
    Cold& c = cold();
    c.timers.push_back(e.timer);
    c.next_timer = e.timer.id + 1;
  }
  void operator()(const TimerRemoved& e) const {
    std::erase_if(cold().timers, [&](const Timer& t) { return t.id == e.id; });
  }
  void operator()(const TimerRetryLost& e) const {
    for (Timer& t : cold().timers) {
      if (t.id == e.id && t.retries > 0) --t.retries;
    }
  }
  void operator()(const TimerRetriesSet& e) const {
    for (Timer& t : cold().timers) {
      if (t.id == e.id) t.retries = e.retries;
    }
  }
  void operator()(const IncidentRaised& e) const {
    Cold& c = cold();
    c.incidents.push_back(e.incident);
    c.next_incident = e.incident->number + 1;
  }
  void operator()(const IncidentClosed& e) const {
    std::erase_if(cold().incidents, [&](const IncidentPtr& i) { return i->number == e.number; });
  }
  void operator()(const IncidentAnnotated& e) const {
    for (IncidentPtr& i : cold().incidents) {
      if (i->number != e.number) continue;
      auto changed = std::make_shared<Incident>(*i);
      changed->notes.push_back(*e.text);
      i = std::move(changed);
    }
  }
  void operator()(const InstanceSuspendedChanged& e) const { inst_.suspended = e.suspended; }
  // What still lives ends with the instance; the root scope's variables stay for readers.
  void operator()(const InstanceEnded& e) const {
    inst_.state = e.state;
    inst_.suspended = false;
    inst_.ended_at = e.state == InstanceState::Completed ? e.node : kNone;
    if (e.ending) cold().ending = *e.ending;
    if (inst_.cold && !(inst_.cold->timers.empty() && inst_.cold->incidents.empty())) {
      cold().timers.clear();
      cold().incidents.clear();
    }
    while (!inst_.tokens.empty()) (*this)(TokenConsumed{inst_.tokens.back().id});
    while (inst_.scopes.size() > 1) (*this)(ScopeClosed{inst_.scopes.back().id});
  }

 private:
  Token& touched(TokenId id) const {
    Token& t = *inst_.token(id);
    if (!undo_.is_off()) undo_.push(Undo::TokenOld{t});
    return t;
  }
  ElementCount& count(model::NodeIndex node) const {
    for (std::uint32_t i = 0; i < inst_.counts.size(); ++i) {
      if (inst_.counts[i].node != node) continue;
      if (!undo_.is_off()) undo_.push(Undo::CountOld{i, inst_.counts[i]});
      return inst_.counts[i];
    }
    if (!undo_.is_off()) undo_.push(Undo::CountNew{});
    inst_.counts.push_back(ElementCount{node, 0, 0});
    return inst_.counts.back();
  }
  Cold& cold() const {
    if (!undo_.is_off()) undo_.push(Undo::ColdOld{inst_.cold ? std::make_unique<Cold>(*inst_.cold) : nullptr});
    if (!inst_.cold) inst_.cold = std::make_unique<Cold>();
    return *inst_.cold;
  }

  Instance& inst_;
  Undo& undo_;
};

}  // namespace

void evolve(Instance& inst, const Event& event, Undo& undo) { std::visit(Evolver(inst, undo), event); }

}  // namespace headrace::core
