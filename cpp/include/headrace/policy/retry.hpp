#pragma once
// Retry policies (ADR-021 2.7, design 4.7): whether a technical fault is tried again and after how long. Chance comes in as an
// argument, so a replay agrees. `max_attempts` counts executions in all: 3 means one first try and two retries.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "headrace/base/result.hpp"
#include "headrace/base/time.hpp"
#include "headrace/base/value.hpp"

namespace headrace::policy {

// A technical fault as a worker or an operation reported it.
struct Failure {
  Value code;           // number, text, or null (no code)
  Value body;           // the response body, or null
  std::string message;  // for people
};

class RetryPolicy {
 public:
  virtual ~RetryPolicy() = default;
  // Wait before the next attempt, or nullopt when the attempts are used up. `attempt` is the number of executions that
  // have failed so far (>= 1); `jitter` is in [0, 1). Custom policies may fail: Error Technical.
  virtual Result<std::optional<Duration>> next_delay(int attempt, const Failure&, double jitter) const = 0;
  // Executions in all, or 0 where only next_delay knows.
  virtual int max_attempts() const = 0;
  // A custom policy (a Python object) cannot be shipped: the engine owns the jobs that hold it (design 3).
  virtual bool custom() const { return false; }
  virtual std::string describe() const = 0;
};

using RetryPolicyPtr = std::shared_ptr<const RetryPolicy>;

RetryPolicyPtr no_retry();
// Errors: Validation (attempts outside 1..1,000,000, negative or unbounded delay, jitter outside [0, 1]).
Result<RetryPolicyPtr> fixed_delay(int max_attempts, Duration delay);
// Nominal delay before execution n+1 is min(cap, base * 2^(n-1)); the actual one lies in ((1 - jitter) * nominal, nominal]:
// nominal * (1 - jitter * random). Saturates, never overflows.
Result<RetryPolicyPtr> exponential_backoff(int max_attempts, Duration base, Duration cap, double jitter);
// 3 executions, 500 ms doubling to 30 s, jitter over the upper half (0.5).
RetryPolicyPtr default_retry();

// Fields for shipping a stock policy to a worker (and for repr): kind is "NoRetry", "FixedDelay", "ExponentialBackoff" or
// "custom".
struct RetryFields {
  std::string kind;
  int max_attempts = 1;
  Duration base;
  Duration cap;
  double jitter = 0;
};
RetryFields fields_of(const RetryPolicy&);

}  // namespace headrace::policy
