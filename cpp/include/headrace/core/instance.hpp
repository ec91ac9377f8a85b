#pragma once
// The state of one root instance. Only evolve() changes it; everything else reads. The layout is for many parked instances: a
// header with small inline arrays for tokens and scopes; what is rare (incidents, timers) stands in a part of its own
// (design 1.10).

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/base/id.hpp"
#include "headrace/base/small_vector.hpp"
#include "headrace/base/variable_view.hpp"
#include "headrace/model/definition.hpp"
#include "headrace/policy/retry.hpp"

namespace headrace::core {

using model::kNone;
using TokenId = std::uint32_t;
using ScopeId = std::uint32_t;  // 0 is the root scope

enum class InstanceState : std::uint8_t { Active, Completed, Failed, Cancelled };
std::string_view name_of(InstanceState);  // "active", "completed", "failed", "cancelled"

// BPMN 2.0, 13.3.2 (activity life cycle).
enum class ActivityState : std::uint8_t {
  None,
  Ready,
  Active,
  Completing,
  Completed,
  Failing,
  Failed,
  Terminating,
  Terminated,
  Withdrawn,
  Compensating,
  Compensated,
};
std::string_view name_of(ActivityState);

// What a token waits for. Enter and Leave are ready: the step loop takes them on.
enum class Wait : std::uint8_t {
  Enter,       // stands in front of its node
  Leave,       // its node is done, the outgoing flows are still to be taken
  Job,         // an external task: a job is on the queue
  Operation,   // an in-process operation runs on the pool
  Ask,         // a host callable is asked for conditions of its outgoing flows
  Join,        // at a parallel gateway, for the other branches
  Scope,       // a sub-process runs inside
  User,        // a user task
  Retry,       // an in-process operation backs off until its timer
  FailedStep,  // an incident: the step failed in front of the node (Enter) or behind it (Leave)
};

struct Token {
  TokenId id = 0;
  model::NodeIndex node = kNone;
  ScopeId scope = 0;
  std::uint32_t visit = 0;       // grows with each activity it enters: part of the JobId
  model::FlowIndex via = kNone;  // the flow it came by
  std::uint32_t failures = 0;    // of an in-process operation in this visit
  Wait wait = Wait::Enter;
  ActivityState activity = ActivityState::None;
  bool failed_leaving = false;  // FailedStep: retry resumes at Leave
};

struct Scope {
  ScopeId id = 0;
  ScopeId parent = kNone;
  model::NodeIndex node = kNone;  // the sub-process, kNone for the root
  TokenId owner = 0;              // the token that waits at the sub-process
  std::uint32_t live = 0;         // tokens in it
  VariableBlock variables;
};

// How often an element ended normally, and otherwise.
struct ElementCount {
  model::NodeIndex node = kNone;
  std::uint32_t completed = 0;
  std::uint32_t cancelled = 0;
};

enum class TimerKind : std::uint8_t { Boundary, Retry };
inline constexpr std::uint32_t kTimerRetries = 3;  // design 1.2: the 3 retries of a job that begins a step
struct Timer {
  std::uint32_t id = 0;
  TimerKind kind = TimerKind::Boundary;
  TokenId token = 0;              // the activity's token
  model::NodeIndex node = kNone;  // the boundary event, or the task
  Instant due;
  std::uint32_t retries = kTimerRetries;  // camunda7: steps begun by it that may fail (design 1.2)
};

enum class IncidentKind : std::uint8_t { FailedStep, FailedExternalTask, FailedOperation, FailedJob };
std::string_view name_of(IncidentKind);  // "failedStep", "failedExternalTask", "failedOperation", "failedJob"

// An operator's business (design 4.11). Kept until resolved; the instance lives.
struct Incident {
  std::uint32_t number = 0;  // unique in the instance; the id is `<root>:<number>`
  IncidentKind kind = IncidentKind::FailedStep;
  TokenId token = 0;
  model::NodeIndex node = kNone;
  JobKey job;               // FailedExternalTask
  std::uint32_t timer = 0;  // FailedJob
  int attempts = 0;
  int expiries = 0;
  policy::Failure failure;  // last error and body; for a mismatch the raw result
  Instant raised;
  std::vector<std::string> notes;
};
using IncidentPtr = std::shared_ptr<const Incident>;

// Why an instance ended.
struct Ending {
  model::NodeIndex node = kNone;
  std::string code;    // of an uncaught BPMN error
  std::string reason;  // of a cancel, or the diagnostic of a failure
};

struct Cold {
  std::vector<Timer> timers;
  std::vector<IncidentPtr> incidents;
  Ending ending;
  std::uint32_t next_timer = 1;
  std::uint32_t next_incident = 1;
};

class Instance {
 public:
  std::uint64_t root = 0;
  std::uint64_t sequence = 0;  // steps committed; (root, sequence) is unique and without gaps
  model::DefinitionPtr definition;
  Instant started;
  Slice business_key;
  Slice traceparent;
  SmallVector<Token, 1> tokens;  // ascending ids
  SmallVector<Scope, 1> scopes;  // ascending ids; [0] is the root scope
  SmallVector<ElementCount, 3> counts;
  std::unique_ptr<Cold> cold;  // null while there is none
  std::uint32_t next_token = 1;
  std::uint32_t next_scope = 1;
  InstanceState state = InstanceState::Active;
  bool suspended = false;
  model::NodeIndex ended_at = kNone;  // completed: where its last token was consumed

  const Token* token(TokenId) const;
  Token* token(TokenId);
  const Scope* scope(ScopeId) const;
  Scope* scope(ScopeId);
  const Incident* incident(std::uint32_t number) const;
  const Timer* timer(std::uint32_t id) const;
  // The variables visible in a scope.
  VariableView view(ScopeId) const;
  JobKey job_key(const Token& t) const { return {root, root, t.id, t.visit}; }
};

}  // namespace headrace::core
