#include "headrace/policy/retry.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <utility>

namespace headrace::policy {
namespace {

constexpr int kMostAttempts = 1'000'000;

std::string text_of(double number) {
  std::array<char, 32> raw{};
  const auto end = std::to_chars(raw.data(), raw.data() + raw.size(), number).ptr;
  return {raw.data(), end};
}

class NoRetry final : public RetryPolicy {
 public:
  Result<std::optional<Duration>> next_delay(int, const Failure&, double) const override { return std::optional<Duration>(); }
  int max_attempts() const override { return 1; }
  std::string describe() const override { return "NoRetry()"; }
};

class FixedDelay final : public RetryPolicy {
 public:
  FixedDelay(int max_attempts, Duration delay) : max_attempts_(max_attempts), delay_(delay) {}
  Result<std::optional<Duration>> next_delay(int attempt, const Failure&, double) const override {
    if (attempt >= max_attempts_) return std::optional<Duration>();
    return std::optional<Duration>(delay_);
  }
  int max_attempts() const override { return max_attempts_; }
  std::string describe() const override {
    return "FixedDelay(max_attempts=" + std::to_string(max_attempts_) + ", delay=" + to_text(delay_) + ")";
  }
  Duration delay() const { return delay_; }

 private:
  int max_attempts_;
  Duration delay_;
};

// min(cap, base * 2^(attempt-1)) without ever computing the product where it would pass the cap.
Duration nominal_delay(Duration base, Duration cap, int attempt) {
  const int doublings = std::clamp(attempt - 1, 0, 62);
  if (base.us > (cap.us >> doublings)) return base.us == 0 ? base : cap;
  return {base.us << doublings};
}

// nominal * (1 - jitter * random) in whole microseconds, rounded up. The result stays above (1 - jitter) * nominal: the last step
// down is held back where rounding would reach it. Durations up to 100 years are exact in a double.
Duration jittered(Duration nominal, double jitter, double random) {
  const double spread = static_cast<double>(nominal.us) * jitter;
  if (!(spread > 0) || !(random > 0)) return nominal;
  const double less = std::min(std::floor(spread * random), std::ceil(spread) - 1);
  return {nominal.us - static_cast<std::int64_t>(less)};
}

class ExponentialBackoff final : public RetryPolicy {
 public:
  ExponentialBackoff(int max_attempts, Duration base, Duration cap, double jitter)
      : max_attempts_(max_attempts), base_(base), cap_(cap), jitter_(jitter) {}
  Result<std::optional<Duration>> next_delay(int attempt, const Failure&, double random) const override {
    if (attempt >= max_attempts_) return std::optional<Duration>();
    return std::optional<Duration>(jittered(nominal_delay(base_, cap_, attempt), jitter_, random));
  }
  int max_attempts() const override { return max_attempts_; }
  std::string describe() const override {
    return "ExponentialBackoff(max_attempts=" + std::to_string(max_attempts_) + ", base=" + to_text(base_) +
           ", cap=" + to_text(cap_) + ", jitter=" + text_of(jitter_) + ")";
  }
  RetryFields fields() const { return {"ExponentialBackoff", max_attempts_, base_, cap_, jitter_}; }

 private:
  int max_attempts_;
  Duration base_;
  Duration cap_;
  double jitter_;
};

Status check_attempts(int max_attempts) {
  if (max_attempts >= 1 && max_attempts <= kMostAttempts) return Ok{};
  return make_error(ErrorCode::Validation, "expected max_attempts from 1 to 1000000, but found " + std::to_string(max_attempts));
}

Status check_delay(std::string_view name, Duration delay) {
  if (delay.us >= 0 && delay <= kMaxDuration) return Ok{};
  std::string text = "expected ";
  text.append(name).append(" from 0 to ").append(to_text(kMaxDuration)).append(", but found ");
  text += delay.us < 0 ? std::to_string(delay.us) + " us" : to_text(delay);
  return make_error(ErrorCode::Validation, std::move(text));
}

Status check_jitter(double jitter) {
  if (jitter >= 0 && jitter <= 1) return Ok{};
  return make_error(ErrorCode::Validation, "expected jitter from 0 to 1, but found " + text_of(jitter));
}

// All faults in one message.
Status all_of(std::initializer_list<Status> checks) {
  std::string faults;
  for (const Status& s : checks) {
    if (!s) faults += (faults.empty() ? "" : "; ") + s.error().message;
  }
  if (faults.empty()) return Ok{};
  return make_error(ErrorCode::Validation, std::move(faults));
}

}  // namespace

RetryPolicyPtr no_retry() {
  static const RetryPolicyPtr kPolicy = std::make_shared<NoRetry>();
  return kPolicy;
}

Result<RetryPolicyPtr> fixed_delay(int max_attempts, Duration delay) {
  if (Status s = all_of({check_attempts(max_attempts), check_delay("delay", delay)}); !s) return s.error();
  return RetryPolicyPtr(std::make_shared<FixedDelay>(max_attempts, delay));
}

Result<RetryPolicyPtr> exponential_backoff(int max_attempts, Duration base, Duration cap, double jitter) {
  if (Status s = all_of({check_attempts(max_attempts), check_delay("base", base), check_delay("cap", cap), check_jitter(jitter)});
      !s)
    return s.error();
  return RetryPolicyPtr(std::make_shared<ExponentialBackoff>(max_attempts, base, cap, jitter));
}

RetryPolicyPtr default_retry() {
  static const RetryPolicyPtr kPolicy =
      std::make_shared<ExponentialBackoff>(3, Duration::millis(500), Duration::seconds(30), 0.5);
  return kPolicy;
}

RetryFields fields_of(const RetryPolicy& policy) {
  if (dynamic_cast<const NoRetry*>(&policy) != nullptr) return {"NoRetry", 1, {}, {}, 0};
  if (const auto* fixed = dynamic_cast<const FixedDelay*>(&policy)) {
    return {"FixedDelay", fixed->max_attempts(), fixed->delay(), fixed->delay(), 0};
  }
  if (const auto* backoff = dynamic_cast<const ExponentialBackoff*>(&policy)) return backoff->fields();
  return {"custom", policy.max_attempts(), {}, {}, 0};
}

}  // namespace headrace::policy
