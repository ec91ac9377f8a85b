#pragma once
// Events: what happened, past tense, plain values. The state of an instance is the fold of its events (design 1.3); evolve() in
// core/evolve.hpp is the only reader that changes state.

#include <cstdint>
#include <variant>
#include <vector>

#include "headrace/core/instance.hpp"

namespace headrace::core {

struct InstanceStarted {
  std::uint64_t root;
  model::DefinitionPtr definition;
  Instant at;
  Slice business_key;
  Slice traceparent;
  VariableBlock variables;
};
struct TokenCreated {
  TokenId token;
  ScopeId scope;
  model::NodeIndex node;
  model::FlowIndex via;
};
struct TokenMoved {
  TokenId token;
  model::NodeIndex node;
  model::FlowIndex via;
};
struct TokenConsumed {
  TokenId token;
};
// The token's activity begins a new visit (its `visit` grows by 1) and becomes Active.
struct ActivityEntered {
  TokenId token;
};
struct TokenWaits {
  TokenId token;
  Wait wait;
  ActivityState activity;
};
// FailedStep remembers on which side of the node the token stands.
struct StepFailed {
  TokenId token;
  bool leaving;
};
struct OperationFailed {  // one more failed execution of an in-process operation
  TokenId token;
};
struct ScopeOpened {
  ScopeId scope;
  ScopeId parent;
  model::NodeIndex node;
  TokenId owner;
};
struct ScopeClosed {
  ScopeId scope;
};
struct VariableSet {
  ScopeId scope;
  Variable variable;
};
struct ElementCompleted {
  model::NodeIndex node;
};
struct ElementCancelled {
  model::NodeIndex node;
};
struct TimerArmed {
  Timer timer;
};
struct TimerRemoved {
  std::uint32_t id;
};
struct TimerRetryLost {
  std::uint32_t id;
};
struct TimerRetriesSet {
  std::uint32_t id;
  std::uint32_t retries;
};
struct IncidentRaised {
  IncidentPtr incident;
};
struct IncidentClosed {
  std::uint32_t number;
};
struct IncidentAnnotated {
  std::uint32_t number;
  std::shared_ptr<const std::string> text;
};
struct InstanceSuspendedChanged {
  bool suspended;
};
struct InstanceEnded {
  InstanceState state;
  std::shared_ptr<const Ending> ending;  // null for a normal end
  model::NodeIndex node = kNone;         // of a normal end: where the last token was consumed
};

using Event = std::variant<InstanceStarted, TokenCreated, TokenMoved, TokenConsumed, ActivityEntered, TokenWaits, StepFailed,
                           OperationFailed, ScopeOpened, ScopeClosed, VariableSet, ElementCompleted, ElementCancelled, TimerArmed,
                           TimerRemoved, TimerRetryLost, TimerRetriesSet, IncidentRaised, IncidentClosed, IncidentAnnotated,
                           InstanceSuspendedChanged, InstanceEnded>;

}  // namespace headrace::core
