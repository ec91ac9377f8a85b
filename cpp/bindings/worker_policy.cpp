#include "worker_policy.hpp"

#include <algorithm>

namespace headrace::bindings {

namespace {

// What is left of the stock policy's count, or of what an operator or worker gave (design 4.7): 3 executions never become 9.
FaultVerdict again_or_not(const jobs::LockedJob& job, const policy::Failure& failure, int failures, double jitter,
                          std::string note) {
  const policy::RetryPolicyPtr& retry = job.job.service->policy->retry;
  if (!retry) return UsedUp{std::move(note)};
  const int most = retry->max_attempts();
  const int left = job.retries.value_or(std::max(0, most - (job.attempt - 1))) - failures;
  if (left <= 0) return UsedUp{std::move(note)};
  const auto delay = retry->next_delay(std::clamp(most - left, 1, std::max(1, most - 1)), failure, jitter);
  if (!delay) return UsedUp{"the retry policy failed: " + delay.error().message};
  return TryAgain{delay->value_or(Duration()), left};
}

}  // namespace

FaultVerdict judge_fault(const jobs::LockedJob& job, const policy::Failure& failure, int failures, double jitter) {
  const policy::Policy& policy = *job.job.service->policy;
  std::string note;
  if (policy.errors) {
    auto kind = policy.errors->classify(failure);
    if (!kind) {
      note = "the error mapper failed: " + kind.error().message;
    } else if (auto* error = std::get_if<policy::BusinessError>(&*kind)) {
      return std::move(*error);
    } else if (auto* status = std::get_if<policy::BusinessStatus>(&*kind)) {
      if (policy.status) return std::move(*status);
      note = "the error mapper gave a status, but the task has no WithStatus";
    } else {
      note = std::get_if<policy::Technical>(&*kind)->note;
    }
  }
  return again_or_not(job, failure, failures, jitter, std::move(note));
}

Result<VariableBlock> map_worker_output(const jobs::LockedJob& job, const VariableBlock& output) {
  auto fields = policy::map_output(*job.job.service->policy->output, codec::decode(output.to_payload().view()));
  if (!fields) return fields.error();
  return VariableBlock::from_payload(codec::encode(Value(std::move(*fields))));
}

}  // namespace headrace::bindings
