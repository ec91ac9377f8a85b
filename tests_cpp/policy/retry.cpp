#include "headrace/policy/retry.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace headrace::policy {
namespace {

constexpr double kAlmostOne = 1.0 - 1.0 / 9007199254740992.0;  // the largest double below 1

std::optional<Duration> delay(const RetryPolicy& policy, int attempt, double random = 0) {
  Result<std::optional<Duration>> d = policy.next_delay(attempt, Failure{}, random);
  EXPECT_TRUE(d.ok());
  return d.ok() ? *d : std::nullopt;
}

RetryPolicyPtr backoff(int attempts, Duration base, Duration cap, double jitter) {
  Result<RetryPolicyPtr> policy = exponential_backoff(attempts, base, cap, jitter);
  EXPECT_TRUE(policy.ok());
  return policy.ok() ? *policy : no_retry();
}

// min(cap, base * 2^(n-1)) in arithmetic of another kind.
long double nominal(Duration base, Duration cap, int n) {
  return std::min(static_cast<long double>(cap.us), std::ldexp(static_cast<long double>(base.us), n - 1));
}

// ((1 - jitter) * nominal, nominal]; without jitter the nominal delay itself.
bool in_band(std::int64_t found, long double top, double jitter) {
  const auto us = static_cast<long double>(found);
  if (jitter == 0) return us == top;
  return us > top - top * static_cast<long double>(jitter) && us <= top;
}

class Custom final : public RetryPolicy {
 public:
  Result<std::optional<Duration>> next_delay(int, const Failure&, double) const override { return std::optional<Duration>(); }
  int max_attempts() const override { return 0; }
  bool custom() const override { return true; }
  std::string describe() const override { return "Custom()"; }
};

// seed: ADR-021 2.7/4
TEST(NoRetry, NeverTriesAgain) {
  EXPECT_EQ(delay(*no_retry(), 1), std::nullopt);
  EXPECT_EQ(no_retry()->max_attempts(), 1);
}

TEST(RetryPolicies, NameEachFaultOfTheirArguments) {
  const Result<RetryPolicyPtr> policy = exponential_backoff(0, Duration::micros(-1), Duration::max(), 5);

  ASSERT_FALSE(policy.ok());
  for (const char* name : {"max_attempts", "base", "cap", "jitter"}) {
    EXPECT_NE(policy.error().message.find(name), std::string::npos) << policy.error().message;
  }
}

// seed: ADR-021 2.7/4
TEST(FixedDelay, WaitsTheSameBeforeEachAttemptAndStopsAfterTheLast) {
  const RetryPolicyPtr policy = *fixed_delay(3, Duration::seconds(5));

  EXPECT_EQ(delay(*policy, 1, 0.9), Duration::seconds(5));
  EXPECT_EQ(delay(*policy, 2, 0.0), Duration::seconds(5));
  EXPECT_EQ(delay(*policy, 3), std::nullopt);
  EXPECT_EQ(delay(*policy, 4), std::nullopt);
  EXPECT_EQ(policy->max_attempts(), 3);
}

TEST(FixedDelay, MayWaitNotAtAll) { EXPECT_EQ(delay(**fixed_delay(2, Duration{}), 1), Duration{}); }

// seed: ADR-021 2.7/4
TEST(ExponentialBackoff, DoublesUpToItsCapAndStopsAfterTheLastAttempt) {
  const RetryPolicyPtr policy = backoff(6, Duration::seconds(1), Duration::seconds(5), 0);

  EXPECT_EQ(delay(*policy, 1), Duration::seconds(1));
  EXPECT_EQ(delay(*policy, 2), Duration::seconds(2));
  EXPECT_EQ(delay(*policy, 3), Duration::seconds(4));
  EXPECT_EQ(delay(*policy, 4), Duration::seconds(5));
  EXPECT_EQ(delay(*policy, 5), Duration::seconds(5));
  EXPECT_EQ(delay(*policy, 6), std::nullopt);
}

TEST(ExponentialBackoff, JitterTakesAwayItsShareOfTheNominalDelay) {
  const RetryPolicyPtr policy = backoff(3, Duration::seconds(8), Duration::seconds(60), 0.5);

  EXPECT_EQ(delay(*policy, 1, 0.0), Duration::seconds(8));
  EXPECT_EQ(delay(*policy, 1, 0.5), Duration::seconds(6));
  EXPECT_EQ(delay(*policy, 1, 0.25), Duration::seconds(7));
}

// Design 4.7: the delay lies in ((1 - jitter) * nominal, nominal], whatever the attempt.
TEST(ExponentialBackoff, DelayStaysInItsJitterBandForEveryAttempt) {
  const std::vector<Duration> durations = {Duration{1},         Duration{2},           Duration{3},
                                           Duration{999'999},   Duration::millis(500), Duration::seconds(30),
                                           Duration::hours(24), Duration{1LL << 50},   kMaxDuration};
  const std::vector<double> jitters = {0.0, 1e-9, 0.1, 0.25, 1.0 / 3, 0.5, 0.75, 0.9, kAlmostOne, 1.0};
  const std::vector<double> randoms = {0.0, 1e-300, 0.1, 0.3, 0.5, 0.7, 0.999, kAlmostOne};
  const std::vector<int> attempts = {1,  2,  3,  4,  5,  10, 20,  31,   32,    33,     47,     48,      51,     52,
                                     53, 61, 62, 63, 64, 65, 127, 1000, 65536, 100000, 500000, 999'998, 999'999};

  for (const Duration base : durations) {
    for (const Duration cap : durations) {
      for (const double jitter : jitters) {
        const RetryPolicyPtr policy = backoff(1'000'000, base, cap, jitter);
        for (const int n : attempts) {
          for (const double random : randoms) {
            ASSERT_TRUE(in_band(delay(*policy, n, random)->us, nominal(base, cap, n), jitter))
                << base.us << ' ' << cap.us << ' ' << jitter << ' ' << n << ' ' << random;
          }
        }
      }
    }
  }
}

TEST(ExponentialBackoff, NominalDelayNeverFallsAndReachesItsCap) {
  const RetryPolicyPtr policy = backoff(1'000'000, Duration{1}, kMaxDuration, 0);
  Duration before{};

  for (int n = 1; n < 1'000'000; ++n) {
    const Duration now = *delay(*policy, n);
    ASSERT_GE(now, before) << n;
    before = now;
  }

  EXPECT_EQ(before, kMaxDuration);
}

TEST(ExponentialBackoff, AChanceOutsideItsRangeStaysInTheBand) {
  const RetryPolicyPtr policy = backoff(3, Duration::seconds(8), Duration::seconds(60), 0.5);

  for (const double random : {1.0, 2.0, 1e300, -1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    EXPECT_GT(*delay(*policy, 1, random), Duration::seconds(4)) << random;
    EXPECT_LE(*delay(*policy, 1, random), Duration::seconds(8)) << random;
  }
}

TEST(ExponentialBackoff, OfNothingIsNothing) {
  const RetryPolicyPtr policy = backoff(1'000'000, Duration{}, kMaxDuration, 1);

  EXPECT_EQ(delay(*policy, 1, 0.5), Duration{});
  EXPECT_EQ(delay(*policy, 999'999, 0.5), Duration{});
  EXPECT_EQ(delay(*backoff(3, Duration::seconds(1), Duration{}, 0.5), 1, 0.5), Duration{});
}

// seed: ADR-021 2.7/5
TEST(RetryPolicy, DefaultIsThreeExecutionsFromHalfASecondWithTheUpperHalfAsJitter) {
  const RetryFields fields = fields_of(*default_retry());

  EXPECT_EQ(fields.kind, "ExponentialBackoff");
  EXPECT_EQ(fields.max_attempts, 3);
  EXPECT_EQ(fields.base, Duration::millis(500));
  EXPECT_EQ(fields.cap, Duration::seconds(30));
  EXPECT_EQ(fields.jitter, 0.5);
}

TEST(RetryPolicy, BadArgumentsAreRefusedByName) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Duration second = Duration::seconds(1);
  const struct {
    Result<RetryPolicyPtr> found;
    const char* named;
  } cases[] = {
      {fixed_delay(0, second), "max_attempts"},
      {fixed_delay(-1, second), "max_attempts"},
      {fixed_delay(1'000'001, second), "max_attempts"},
      {fixed_delay(3, Duration{-1}), "delay"},
      {fixed_delay(3, Duration::max()), "delay"},
      {fixed_delay(3, kMaxDuration + Duration{1}), "delay"},
      {exponential_backoff(0, second, second, 0), "max_attempts"},
      {exponential_backoff(1'000'001, second, second, 0), "max_attempts"},
      {exponential_backoff(3, Duration{-1}, second, 0), "base"},
      {exponential_backoff(3, Duration::max(), second, 0), "base"},
      {exponential_backoff(3, second, Duration{-1}, 0), "cap"},
      {exponential_backoff(3, second, Duration::max(), 0), "cap"},
      {exponential_backoff(3, second, second, -0.001), "jitter"},
      {exponential_backoff(3, second, second, 1.001), "jitter"},
      {exponential_backoff(3, second, second, std::nan("")), "jitter"},
      {exponential_backoff(3, second, second, infinity), "jitter"},
      {exponential_backoff(3, second, second, -infinity), "jitter"},
  };

  for (const auto& c : cases) {
    ASSERT_FALSE(c.found.ok()) << c.named;
    EXPECT_EQ(c.found.error().code, ErrorCode::Validation);
    EXPECT_EQ(c.found.error().message.rfind(std::string("expected ") + c.named, 0), 0U) << c.found.error().message;
  }
}

TEST(RetryPolicy, TheLimitsThemselvesAreAccepted) {
  EXPECT_TRUE(fixed_delay(1, Duration{}).ok());
  EXPECT_TRUE(fixed_delay(1'000'000, kMaxDuration).ok());
  EXPECT_TRUE(exponential_backoff(1, kMaxDuration, kMaxDuration, 1).ok());
}

TEST(RetryPolicy, ShowsItsKindAndFieldsForShipping) {
  const RetryFields fixed = fields_of(**fixed_delay(4, Duration::seconds(2)));

  EXPECT_EQ(fixed.kind, "FixedDelay");
  EXPECT_EQ(fixed.max_attempts, 4);
  EXPECT_EQ(fixed.base, Duration::seconds(2));
  EXPECT_EQ(fields_of(*no_retry()).kind, "NoRetry");
  EXPECT_EQ(fields_of(Custom()).kind, "custom");
  EXPECT_FALSE(default_retry()->custom());
}

TEST(RetryPolicy, DescribesItselfAsItIsWritten) {
  EXPECT_EQ(no_retry()->describe(), "NoRetry()");
  EXPECT_EQ((*fixed_delay(4, Duration::seconds(2)))->describe(), "FixedDelay(max_attempts=4, delay=PT2S)");
  EXPECT_EQ(default_retry()->describe(), "ExponentialBackoff(max_attempts=3, base=PT0.5S, cap=PT30S, jitter=0.5)");
}

}  // namespace
}  // namespace headrace::policy
