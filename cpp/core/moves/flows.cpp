// Sequence flows (BPMN 2.0, 13.2.1 and 10.3): after an element each flow without a condition, or whose condition holds, gets a
// token; the default flow when no other can be taken.

#include <algorithm>

#include "core/moves/moves.hpp"

namespace headrace::core::moves {

namespace {

Error flow_error(const Activation& a, const model::Flow& f, const Error& e) {
  return make_error(e.code, "condition of flow '" + f.id + "' after '" + a.node.id + "': " + e.message);
}

const Result<bool>* answer_for(const Answered* answers, model::FlowIndex flow) {
  if (answers == nullptr) return nullptr;
  for (std::size_t i = 0; i < std::min(answers->flows.size(), answers->answers.size()); ++i) {
    if (answers->flows[i] == flow) return &answers->answers[i];
  }
  return nullptr;
}

void ask(const Activation& a, std::vector<model::FlowIndex> flows) {
  a.emit(TokenWaits{a.token.id, Wait::Ask, a.token.activity});
  a.effect(Ask{a.token.id, a.token.visit, std::move(flows), a.instance.view(a.token.scope).flatten()});
}

std::vector<model::FlowIndex> callables(const Activation& a) {
  std::vector<model::FlowIndex> flows;
  for (model::FlowIndex i : a.node.outgoing) {
    const model::Flow& f = a.definition().flow(i);
    if (f.condition && f.condition->callable) flows.push_back(i);
  }
  return flows;
}

}  // namespace

Result<Choice> choose(const Activation& a, bool pick_first, const Answered* answers) {
  Choice choice;
  if (answers == nullptr) {
    std::vector<model::FlowIndex> asked = callables(a);
    if (!asked.empty()) {
      ask(a, std::move(asked));
      choice.asked = true;
      return choice;
    }
  }
  const VariableView view = a.instance.view(a.token.scope);
  const ViewVariables variables(view);
  for (model::FlowIndex i : a.node.outgoing) {
    if (i == a.node.default_flow) continue;
    const model::Flow& f = a.definition().flow(i);
    if (!f.condition) {
      choice.flows.push_back(i);
    } else {
      const Result<bool>* answer = answer_for(answers, i);
      if (answer == nullptr && f.condition->callable) {
        return flow_error(a, f, make_error(ErrorCode::Technical, "expected an answer of its callable, but there is none"));
      }
      const Result<bool> holds = answer != nullptr ? *answer : f.condition->expression.evaluate_condition(variables, a.now);
      if (!holds.ok()) return flow_error(a, f, holds.error());
      if (*holds) choice.flows.push_back(i);
    }
    if (pick_first && !choice.flows.empty()) return choice;
  }
  if (choice.flows.empty() && a.node.default_flow != kNone) choice.flows.push_back(a.node.default_flow);
  if (choice.flows.empty() && !a.node.outgoing.empty()) {
    return make_error(ErrorCode::Expression, "expected an outgoing flow of '" + a.node.id +
                                                 "' to be taken, but no condition holds and there is no default flow");
  }
  return choice;
}

void take(const Activation& a, std::span<const model::FlowIndex> flows) {
  if (flows.empty()) {
    a.emit(TokenConsumed{a.token.id});
    return;
  }
  a.emit(TokenMoved{a.token.id, a.definition().flow(flows[0]).target, flows[0]});
  for (std::size_t i = 1; i < flows.size(); ++i) {
    a.emit(TokenCreated{a.next_token++, a.token.scope, a.definition().flow(flows[i]).target, flows[i]});
  }
}

void complete_and_leave(const Activation& a) {
  a.emit(ElementCompleted{a.node.index});
  if (a.node.outgoing.empty()) {
    a.emit(TokenConsumed{a.token.id});
  } else if (a.node.outgoing.size() == 1 && !a.definition().flow(a.node.outgoing[0]).condition) {
    take(a, a.node.outgoing);
  } else {
    a.emit(TokenWaits{a.token.id, Wait::Leave, ActivityState::Completed});
  }
}

void complete_activity(const Activation& a) {
  if (a.instance.cold) {
    disarm(a.instance, a.token.id, a.out);
    close_incidents(a.instance, a.token.id, a.out);
  }
  complete_and_leave(a);
}

Status leave(const Activation& a) {
  const Result<Choice> choice = choose(a, false, nullptr);
  if (!choice.ok()) return choice.error();
  if (!choice->asked) take(a, choice->flows);
  return Ok{};
}

Status leave_with(const Activation& a, const Answered& answers) {
  const Result<Choice> choice = choose(a, false, &answers);
  if (!choice.ok()) return choice.error();
  take(a, choice->flows);
  return Ok{};
}

}  // namespace headrace::core::moves
