#pragma once
// What an element does when a token comes, when what it waits for arrives, and when it is cut off. A behaviour has no members
// that change: what it remembers is in the state. The table in table.hpp maps the kind to the behaviour; the loop never asks
// which kind a node is.

#include "headrace/core/command.hpp"
#include "headrace/core/step.hpp"

namespace headrace::core {

// What a behaviour sees and where it writes: one token at one node, at the time of the step.
struct Activation {
  const Instance& instance;
  const model::Node& node;
  const Token& token;
  Instant now;
  double jitter;
  StepBuffer& out;
  // Ids for what the behaviour creates; taken from here so that several in one call differ.
  TokenId& next_token;
  ScopeId& next_scope;

  const model::Definition& definition() const { return *instance.definition; }
  void emit(Event e) const { out.events.push_back(std::move(e)); }
  void effect(Effect e) const { out.effects.push_back(std::move(e)); }
};

class ElementBehavior {
 public:
  virtual ~ElementBehavior() = default;
  // A token stands in front of the node. An error is a runtime fault of the element (design 1.2).
  virtual Status on_enter(const Activation&) const = 0;
  // What it waits for has arrived. Only elements that wait implement it.
  virtual Status on_resume(const Activation&, const Action&) const;
  // The token is cut off while it waits at the node: withdraw what is outside (jobs, operations). Timers and inner scopes are the
  // caller's.
  virtual void on_cancel(const Activation&) const {}
};

const ElementBehavior& behavior_of(model::ElementKind);

}  // namespace headrace::core
