#pragma once
// The policy of a job in the hands of the worker that owns its lock (design 4.8): it maps output, classifies faults and retries
// inside its lock.

#include <string>
#include <variant>

#include "headrace/jobs/job.hpp"

namespace headrace::bindings {

struct TryAgain {
  Duration delay;
  int left = 0;  // executions after this one
};
struct UsedUp {
  std::string note;
};
using FaultVerdict = std::variant<policy::BusinessError, policy::BusinessStatus, TryAgain, UsedUp>;

// What a fault means; `failures` counts the executions inside this lock that failed, this one included.
FaultVerdict judge_fault(const jobs::LockedJob&, const policy::Failure&, int failures, double jitter);
// The targets of the service's mapping, which it has. The contract is checked by the engine. Error: a mismatch, which is a
// technical fault.
Result<VariableBlock> map_worker_output(const jobs::LockedJob&, const VariableBlock&);

}  // namespace headrace::bindings
