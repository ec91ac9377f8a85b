// Gateways. Exclusive (BPMN 2.0, 13.4.2): the first outgoing flow whose condition holds takes the token, otherwise the default
// flow, otherwise it is a runtime fault. Parallel (13.4.1): waits for one token on each incoming flow, then puts one on each
// outgoing flow.

#include <algorithm>

#include "core/elements/elements.hpp"
#include "core/moves/moves.hpp"

namespace headrace::core {

namespace {

Status pass(const Activation& a, const Answered* answers) {
  const Result<moves::Choice> choice = moves::choose(a, true, answers);
  if (!choice.ok()) return choice.error();
  if (choice->asked) return Ok{};
  a.emit(ElementCompleted{a.node.index});
  moves::take(a, choice->flows);
  return Ok{};
}

// The tokens that wait at the join with this one, by the rule of the profile; empty while it is incomplete.
std::vector<const Token*> joined(const Activation& a) {
  std::vector<const Token*> waiting;
  for (const Token& t : a.instance.tokens) {
    if (t.node == a.node.index && t.scope == a.token.scope && t.wait == Wait::Join) waiting.push_back(&t);
  }
  if (a.definition().profile == policy::Profile::Camunda7) {  // counts arrivals, whatever flow they came by
    if (waiting.size() + 1 < a.node.incoming.size()) return {};
    waiting.resize(a.node.incoming.size() - 1);
    return waiting;
  }
  std::vector<const Token*> one_each;
  for (model::FlowIndex flow : a.node.incoming) {
    if (flow == a.token.via) continue;
    const auto it = std::find_if(waiting.begin(), waiting.end(), [flow](const Token* t) { return t->via == flow; });
    if (it == waiting.end()) return {};
    one_each.push_back(*it);
  }
  return one_each;
}

}  // namespace

Status ExclusiveGateway::on_enter(const Activation& a) const { return pass(a, nullptr); }

Status ExclusiveGateway::on_resume(const Activation& a, const Action& action) const {
  const auto* answers = std::get_if<Answered>(&action);
  if (answers == nullptr) return ElementBehavior::on_resume(a, action);
  return pass(a, answers);
}

Status ParallelGateway::on_enter(const Activation& a) const {
  if (a.node.incoming.size() > 1) {
    const std::vector<const Token*> others = joined(a);
    if (others.empty()) {
      a.emit(TokenWaits{a.token.id, Wait::Join, ActivityState::None});
      return Ok{};
    }
    for (const Token* t : others) {
      a.emit(ElementCompleted{a.node.index});
      a.emit(TokenConsumed{t->id});
    }
  }
  a.emit(ElementCompleted{a.node.index});
  moves::take(a, a.node.outgoing);
  return Ok{};
}

}  // namespace headrace::core
