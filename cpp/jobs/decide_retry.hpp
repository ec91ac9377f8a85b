#pragma once
// Whether a technical fault is tried again (design 4.7): the policy's count or an allowance, and the delay.

#include "headrace/jobs/classify.hpp"

namespace headrace::jobs {

struct Retry {
  bool again = false;
  Duration delay;
  std::optional<int> left;
  std::string trouble;  // a custom policy failed or answered nonsense: exhausted, and why
};
// `after` counts the fault in question.
Retry decide_retry(const policy::Policy&, const Attempts& after, const policy::Failure&, double jitter);

}  // namespace headrace::jobs
