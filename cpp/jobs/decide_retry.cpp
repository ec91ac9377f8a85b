#include "decide_retry.hpp"

#include <algorithm>

namespace headrace::jobs {
namespace {

// The number of failed executions that the policy is asked with. An allowance shifts it, so that "2 left of 3" waits as long
// whoever said so.
int asked_attempt(const policy::RetryPolicy& retry, const Attempts& after, std::optional<int> left) {
  if (!after.allowance) return std::max(1, after.spent);
  const int most = retry.max_attempts();
  if (most <= 0) return std::max(1, after.failures + after.expiries);
  return std::clamp(most - left.value_or(0), 1, std::max(1, most - 1));
}

}  // namespace

std::optional<int> left_of(const policy::Policy& p, const Attempts& a) {
  if (a.allowance) return std::max(0, *a.allowance - a.spent);
  if (!p.retry) return 0;
  const int most = p.retry->max_attempts();
  if (most <= 0) return std::nullopt;
  return std::max(0, most - a.spent);
}

Retry decide_retry(const policy::Policy& p, const Attempts& after, const policy::Failure& failure, double jitter) {
  Retry r;
  r.left = left_of(p, after);
  if (!p.retry || (r.left && *r.left == 0)) return r;
  const Result<std::optional<Duration>> delay = p.retry->next_delay(asked_attempt(*p.retry, after, r.left), failure, jitter);
  if (!delay) {
    r.trouble = "the retry policy failed: " + delay.error().message;
  } else if (*delay && ((*delay)->us < 0 || **delay > kMaxDuration)) {
    r.trouble = "the retry policy answered a delay of " + to_text(**delay) + ", expected 0 to 100 years";
  } else if (*delay || after.allowance) {  // an allowance counts even where the policy alone would stop
    r.again = true;
    r.delay = delay->value_or(Duration{});
  }
  return r;
}

}  // namespace headrace::jobs
