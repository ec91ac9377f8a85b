#pragma once
// Effects: what a step asks of the shell. All of them are performed after the commit of the step that made them (design 1.5), in
// order.

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "headrace/core/instance.hpp"

namespace headrace::core {

struct EnqueueJob {
  JobKey key;
  model::NodeIndex node;
  VariableView view;
  Instant at;  // the time of the step
};
struct WithdrawJob {
  JobKey key;
};
// New visible variables for a parked job with an open contract.
struct PublishVariables {
  JobKey key;
  VariableView view;
};
struct SuspendJob {
  JobKey key;
};
struct ResumeJob {
  JobKey key;
};
struct RetryJob {  // incident -> queued
  JobKey key;
  int retries;
};
struct FinishJob {  // an incident's job ends without a worker
  JobKey key;
  bool completed;
};
struct ArmTimer {
  std::uint32_t id;
  Instant due;
};
struct DisarmTimer {
  std::uint32_t id;
};
// Run an operation on the pool; its result comes back as OperationDone.
struct InvokeOperation {
  TokenId token;
  std::uint32_t visit;
  model::NodeIndex node;
  int attempt;
  VariableBlock input;
};
struct CancelOperation {
  TokenId token;
  std::uint32_t visit;
};
// Ask a host callable whether a flow's condition holds; the answers of all asked flows come back as Answered.
struct Ask {
  TokenId token;
  std::uint32_t visit;
  std::vector<model::FlowIndex> flows;
  VariableBlock visible;
};
struct NoticeIncident {
  std::uint32_t number;
};
struct NoticeIncidentClosed {
  std::uint32_t number;
};
struct FinishInstance {};

using Effect =
    std::variant<EnqueueJob, WithdrawJob, PublishVariables, SuspendJob, ResumeJob, RetryJob, FinishJob, ArmTimer, DisarmTimer,
                 InvokeOperation, CancelOperation, Ask, NoticeIncident, NoticeIncidentClosed, FinishInstance>;

}  // namespace headrace::core
