#pragma once
// Commands: what someone wants of an instance. The time of the step and its chance come in with them (design 1.1).

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "headrace/core/instance.hpp"
#include "headrace/jobs/outcome.hpp"
#include "headrace/model/operation.hpp"

namespace headrace::core {

struct StartInstance {
  std::uint64_t root;
  model::DefinitionPtr definition;
  VariableBlock variables;
  Slice business_key;
  Slice traceparent;
};
// A worker's report, classified and mapped.
struct ReportOutcome {
  JobKey key;
  jobs::Outcome outcome;
};
// What an execution of an in-process operation came to, classified on the pool thread.
struct OperationRetry {
  Duration delay;
  policy::Failure failure;
};
struct OperationExhausted {
  policy::Failure failure;
};
using OperationVerdict =
    std::variant<jobs::OutcomeCompleted, jobs::OutcomeStatus, jobs::OutcomeBpmnError, OperationRetry, OperationExhausted>;
struct OperationDone {
  TokenId token;
  std::uint32_t visit;
  std::uint32_t execution;  // the `failures` count the execution began with: a late result of an older one is dropped
  OperationVerdict verdict;
};
struct TimerFired {
  std::uint32_t id;
};
// camunda7: the step begun by this timer failed and was undone; it loses a retry, the last one raises failedJob.
struct TimerFailed {
  std::uint32_t id;
  std::string message;
};
// Answers of host callables, one a flow, in the order asked; an error raises the condition's fault.
struct Answered {
  TokenId token;
  std::uint32_t visit;
  std::vector<model::FlowIndex> flows;
  std::vector<Result<bool>> answers;
};
struct CompleteUserTask {
  TokenId token;
  VariableBlock output;
};
struct Cancel {
  std::string reason;
};
struct Suspend {};
struct Resume {};
struct RetryIncident {
  std::uint32_t number;
  int retries;  // executions left; 0: the policy's full count
};
// Complete by hand; the output is taken as mapped fields of the task.
struct ResolveIncident {
  std::uint32_t number;
  VariableBlock output;
  bool mapped = false;
};
struct RaiseIncidentError {
  std::uint32_t number;
  std::string code;
  std::string message;
};
struct AnnotateIncident {
  std::uint32_t number;
  std::string text;
};
struct SetVariables {
  VariableBlock variables;
};
// The job could not be enqueued (a refusing dispatcher): a technical fault of the task (design 1.5).
struct EnqueueRefused {
  JobKey key;
  std::string message;
};

using Action = std::variant<StartInstance, ReportOutcome, OperationDone, TimerFired, TimerFailed, Answered, CompleteUserTask,
                            Cancel, Suspend, Resume, RetryIncident, ResolveIncident, RaiseIncidentError, AnnotateIncident,
                            SetVariables, EnqueueRefused>;

struct Command {
  Action action;
  Instant now;
  double jitter = 0;      // in [0, 1)
  std::string principal;  // who asked, "" for the engine itself
};

}  // namespace headrace::core
