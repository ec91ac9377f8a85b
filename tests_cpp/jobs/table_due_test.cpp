#include "support.hpp"

namespace headrace::jobs::test {
namespace {

class AskedPolicy final : public policy::RetryPolicy {
 public:
  Result<std::optional<Duration>> next_delay(int attempt, const policy::Failure&, double) const override {
    if (answer_error) return make_error(ErrorCode::Technical, "out of luck");
    return attempt >= 3 ? std::nullopt : std::optional(delay);
  }
  int max_attempts() const override { return 0; }
  bool custom() const override { return true; }
  std::string describe() const override { return "asked"; }
  Duration delay = Duration::seconds(3);
  bool answer_error = false;
};

// seed: SRD-036 TestLocalDispatcherLockExpiryRefetch
// seed: ADR-021 2.4/8
TEST(JobExpiry, AnExpiredLockMakesTheJobFetchableAgainAtOnce) {
  // given a locked job
  Bench b;
  b.table.enqueue(job(1, service("t")));
  b.fetch(lock_of(request("w", {"t"}), 10));
  // when its lock runs out
  b.advance_to(at(10));
  // then it is fetchable without delay, the expiry is counted apart from failures, and the attempt is the second
  EXPECT_EQ(b.fetch(request("w2", {"t"})), Roots{1});
  EXPECT_EQ(b.last[0].attempt, 2);
  EXPECT_EQ(b.last[0].expiries, 1);
  EXPECT_EQ(b.last[0].retries, 2);
  EXPECT_EQ(b.info(1).failures, 0);
  EXPECT_EQ(b.metrics("t").expiries, 1U);
  EXPECT_EQ(b.metrics("t").attempts, 1U);
}

TEST(JobExpiry, LaterOnesWaitForThePolicysDelayAndTheLastIsAnIncident) {
  // given a job that kills its workers
  Bench b;
  b.table.enqueue(job(1, service("t")));
  b.fetch(lock_of(request("w", {"t"}), 10));
  b.advance_to(at(10));
  b.fetch(lock_of(request("w", {"t"}), 10));
  // when the lock runs out a second time
  b.advance_to(at(25));
  // then it backs off by the policy's delay for two failures, from the deadline on
  EXPECT_EQ(b.info(1).state, JobState::Queued);  // 20 s + 1 s has passed when it is booked
  EXPECT_EQ(b.fetch(lock_of(request("w", {"t"}), 10)), Roots{1});
  // when it runs out a third time
  b.advance_to(at(35));
  // then it is exhausted by expiries: an incident and no endless loop
  EXPECT_EQ(b.info(1).state, JobState::Incident);
  ASSERT_EQ(b.told.size(), 1U);
  const auto* x = std::get_if<OutcomeExhausted>(&b.told[0].outcome);
  ASSERT_NE(x, nullptr);
  EXPECT_TRUE(x->expired);
  EXPECT_EQ(x->expiries, 3);
  EXPECT_EQ(x->attempts, 0);
  EXPECT_EQ(x->failure.message, "lock expired");
}

TEST(JobExpiry, TheSecondOneBacksOff) {
  // given a job whose lock ran out once
  Bench b;
  b.table.enqueue(job(1, service("t")));
  b.fetch(lock_of(request("w", {"t"}), 10));
  b.advance_to(at(10));
  b.fetch(lock_of(request("w", {"t"}), 10));
  // when it runs out again
  b.advance_to(at(20));
  // then it waits for 1 s, the delay before the third execution
  EXPECT_EQ(b.info(1).state, JobState::BackingOff);
  EXPECT_EQ(b.info(1).deadline, at(21));
  EXPECT_EQ(b.table.next_due(), at(21));
}

TEST(JobExpiry, FailuresAndExpiriesCountAgainstTheSameMaximum) {
  // given one failure and one expiry of 3 executions
  Bench b;
  b.table.enqueue(job(1, service("t")));
  b.fetch(lock_of(request("w", {"t"}), 10));
  EXPECT_TRUE(b.report(by("w", 1), failure("no")).ok());
  b.advance_to(at(1));
  b.fetch(lock_of(request("w", {"t"}), 10));
  b.advance_to(at(11));
  EXPECT_EQ(b.fetch(request("w", {"t"})), Roots{1});  // the first expiry has no delay
  EXPECT_EQ(b.last[0].retries, 1);
  // when it fails once more
  EXPECT_TRUE(b.report(by("w", 1), failure("no")).ok());
  // then it is exhausted: 3 do not become more
  EXPECT_EQ(b.info(1).state, JobState::Incident);
  const auto* x = std::get_if<OutcomeExhausted>(&b.told.at(0).outcome);
  EXPECT_EQ(x->attempts, 2);
  EXPECT_EQ(x->expiries, 1);
}

TEST(JobExpiry, IsNeverCountedForShortLocks) {
  // given locks under a second
  Bench b;
  b.table.enqueue(job(1, service("t", exact_policy(1))));
  for (int i = 1; i <= 5; ++i) {
    ASSERT_EQ(b.fetch(lock_of(request("w", {"t"}), 0.999)), Roots{1});
    // when they run out
    b.advance_to(b.now + Duration::seconds(1));
  }
  // then none is counted
  EXPECT_EQ(b.info(1).expiries, 0);
  EXPECT_EQ(b.metrics("t").expiries, 5U);
  // but one of a second is, and so is a short one that was extended
  b.fetch(lock_of(request("w", {"t"}), 1));
  b.advance_to(b.now + Duration::seconds(1));
  EXPECT_EQ(b.info(1).state, JobState::Incident);
}

TEST(JobExpiry, AShortLockThatWasExtendedIsCounted) {
  // given a lock of half a second extended by a second
  Bench b;
  b.table.enqueue(job(1, service("t")));
  b.fetch(lock_of(request("w", {"t"}), 0.5));
  EXPECT_TRUE(b.table.extend(by("w", 1), Duration::seconds(1), b.now).ok());
  // when it runs out
  b.advance_to(at(1));
  // then it costs an attempt
  EXPECT_EQ(b.info(1).expiries, 1);
}

TEST(JobExpiry, IsNotCountedWithoutAPolicyOrWhenTurnedOff) {
  // given a camunda7 job without a policy and one WithExpiryAsAttempt(False)
  policy::Policy off = exact_policy(1);
  off.expiry_as_attempt = false;
  Bench b;
  b.table.enqueue(job(1, service("t", camunda7_policy())));
  b.table.enqueue(job(2, service("t", off)));
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(b.fetch(lock_of(request("w", {"t"}, 2), 10)), (Roots{1, 2}));
    // when their locks run out
    b.advance_to(b.now + Duration::seconds(10));
  }
  // then nothing is counted
  EXPECT_EQ(b.info(1).expiries, 0);
  EXPECT_EQ(b.info(2).expiries, 0);
  EXPECT_TRUE(b.told.empty());
}

TEST(JobExpiry, IsNotCountedWhileSuspended) {
  // given a locked job of a suspended instance
  Bench b;
  b.table.enqueue(job(1, service("t", exact_policy(1))));
  b.fetch(lock_of(request("w", {"t"}), 10));
  b.table.suspend(key(1));
  // when its lock runs out
  b.advance_to(at(10));
  // then it is queued but not fetchable, at no cost
  EXPECT_EQ(b.info(1).state, JobState::Queued);
  EXPECT_EQ(b.info(1).expiries, 0);
  EXPECT_EQ(b.fetch(request("w", {"t"})), Roots{});
  b.table.resume(key(1));
  EXPECT_EQ(b.fetch(request("w", {"t"})), Roots{1});
}

TEST(JobExpiry, ABackOffThatEndsWhileSuspendedIsFetchableAfterTheResume) {
  // given a job that backs off in a suspended instance
  Bench b;
  b.table.enqueue(job(1, service("t")));
  b.fetch(request("w", {"t"}));
  EXPECT_TRUE(b.report(by("w", 1), failure("no")).ok());
  b.table.suspend(key(1));
  // when the time is over
  b.advance_to(at(5));
  EXPECT_EQ(b.fetch(request("w", {"t"})), Roots{});
  // then the resume makes it fetchable
  b.table.resume(key(1));
  EXPECT_EQ(b.fetch(request("w", {"t"})), Roots{1});
}

TEST(JobExpiry, ACustomPolicyIsAskedOutsideTheTable) {
  // given a job with a custom policy
  auto custom = std::make_shared<AskedPolicy>();
  policy::Policy p;
  p.retry = custom;
  Bench b;
  b.table.enqueue(job(1, service("t", p)));
  b.fetch(lock_of(request("w", {"t"}), 10));
  EXPECT_EQ(b.last[0].owner, Owner::Engine);
  // when its lock runs out
  DueWork work;
  b.table.run_due(at(10), work);
  // then the table asks for a verdict, and the job waits for it
  ASSERT_EQ(work.tickets.size(), 1U);
  EXPECT_EQ(b.info(1).state, JobState::Reporting);
  b.now = at(10);
  static_cast<void>(b.settle(work.tickets[0], judge_expiry(p, work.tickets[0].attempts, 0.0)));
  EXPECT_EQ(b.info(1).state, JobState::Queued);  // the first one has no delay
  b.fetch(lock_of(request("w", {"t"}), 10));
  b.advance_to(at(20));
  EXPECT_EQ(b.info(1).deadline, at(23));  // from the deadline on
  b.advance_to(at(23));
  b.fetch(lock_of(request("w", {"t"}), 10));
  b.advance_to(at(33));
  EXPECT_EQ(b.info(1).state, JobState::Incident);
}

TEST(JobExpiry, APolicyThatFailsIsAnIncidentThatSaysSo) {
  // given a custom policy that cannot answer
  auto custom = std::make_shared<AskedPolicy>();
  custom->answer_error = true;
  policy::Policy p;
  p.retry = custom;
  Bench b;
  b.table.enqueue(job(1, service("t", p)));
  b.fetch(lock_of(request("w", {"t"}), 10));
  // when its lock runs out
  b.advance_to(at(10));
  // then the incident names the trouble
  ASSERT_EQ(b.told.size(), 1U);
  EXPECT_NE(std::get_if<OutcomeExhausted>(&b.told[0].outcome)->failure.message.find("out of luck"), std::string::npos);
}

TEST(JobExpiry, AnExhaustionThatTheEngineCannotTakeIsToldAgainAndCountedOnce) {
  // given the last expiry, and an engine that refuses
  Bench b;
  b.table.enqueue(job(1, service("t", exact_policy(1))));
  b.fetch(lock_of(request("w", {"t"}), 10));
  b.sink_says = make_error(ErrorCode::InstanceSuspended, "later");
  b.advance_to(at(10));
  EXPECT_EQ(b.info(1).state, JobState::BackingOff);
  EXPECT_EQ(b.info(1).expiries, 1);
  b.advance_to(at(11));
  EXPECT_EQ(b.fetch(request("w2", {"t"})), Roots{});
  // when it takes it
  b.sink_says = Ok{};
  b.advance_to(at(12));
  // then the job stands in an incident, with one attempt
  EXPECT_EQ(b.info(1).state, JobState::Incident);
  EXPECT_EQ(b.info(1).expiries, 1);
  EXPECT_EQ(b.metrics("t").attempts, 1U);
  EXPECT_EQ(b.metrics("t").exhausted, 1U);
  EXPECT_EQ(b.told.size(), 3U);
  EXPECT_EQ(std::get_if<OutcomeExhausted>(&b.told[2].outcome)->expiries, 1);
}

TEST(JobExpiry, AnExhaustionOfACancelledActivityCancelsTheJob) {
  // given the last expiry of a job whose activity is gone
  Bench b;
  b.table.enqueue(job(1, service("t", exact_policy(1))));
  b.fetch(lock_of(request("w", {"t"}), 10));
  b.sink_says = make_error(ErrorCode::JobNotFound, "gone");
  // when it is booked
  b.advance_to(at(10));
  // then the job is cancelled
  EXPECT_TRUE(b.gone(1));
  EXPECT_EQ(b.metrics("t").cancelled, 1U);
}

// seed: ADR-021 6/7
TEST(JobTimeout, UsesUpAllAttemptsFromTheFirstEnqueueOn) {
  // given jobs with a timeout of 60 s: queued, locked, backing off
  policy::Policy p = exact_policy(9);
  p.job_timeout = Duration::seconds(60);
  Bench b;
  for (std::uint64_t i = 1; i <= 3; ++i) b.table.enqueue(job(i, service("t", p)));
  b.fetch(lock_of(request("w", {"t"}, 2), 1000));
  EXPECT_TRUE(b.report(by("w", 1), failure("no", 5, Duration::seconds(500))).ok());
  // when the time is over
  EXPECT_EQ(b.table.next_due(), at(60));
  b.advance_to(at(59.999999));
  EXPECT_TRUE(b.told.empty());
  b.advance_to(at(60));
  // then all stand in an incident
  ASSERT_EQ(b.told.size(), 3U);
  for (std::uint64_t i = 1; i <= 3; ++i) {
    EXPECT_EQ(b.info(i).state, JobState::Incident) << i;
    EXPECT_EQ(std::get_if<OutcomeExhausted>(&b.told[i - 1].outcome)->failure.message, "job timeout");
  }
  // and after the operator's retry the time runs anew
  b.now = at(100);
  EXPECT_TRUE(b.table.retry(key(1), 0, b.now).ok());
  b.advance_to(at(159));
  EXPECT_EQ(b.info(1).state, JobState::Queued);
  b.advance_to(at(160));
  EXPECT_EQ(b.info(1).state, JobState::Incident);
}

TEST(JobTimeout, WaitsWhileTheInstanceIsSuspended) {
  // given a suspended job with a timeout
  policy::Policy p = exact_policy();
  p.job_timeout = Duration::seconds(60);
  Bench b;
  b.table.enqueue(job(1, service("t", p)));
  b.table.suspend(key(1));
  // when the time is over
  b.advance_to(at(100));
  EXPECT_TRUE(b.told.empty());
  // then it takes effect after the resume
  b.table.resume(key(1));
  b.advance_to(at(100));
  EXPECT_EQ(b.info(1).state, JobState::Incident);
}

TEST(JobTimeout, IsToldAgainWhenTheEngineCannotTakeIt) {
  // given a timeout that the engine refuses once
  policy::Policy p = exact_policy();
  p.job_timeout = Duration::seconds(60);
  Bench b;
  b.table.enqueue(job(1, service("t", p)));
  b.sink_says = make_error(ErrorCode::StoreBusy, "later");
  b.advance_to(at(60));
  EXPECT_EQ(b.info(1).state, JobState::BackingOff);
  // when it is told again
  b.sink_says = Ok{};
  b.advance_to(at(61));
  // then as a timeout
  EXPECT_EQ(b.info(1).state, JobState::Incident);
  EXPECT_EQ(std::get_if<OutcomeExhausted>(&b.told.at(1).outcome)->failure.message, "job timeout");
}

TEST(StuckTopic, IsToldOnceAfterFiveMinutesWithoutAFetch) {
  // given a job that nobody asks for
  Bench b;
  b.table.enqueue(job(1, service("t")));
  EXPECT_EQ(b.table.next_alarm(), at(300));
  b.advance_to(at(299));
  EXPECT_TRUE(b.stuck.empty());
  // when five minutes are over
  b.advance_to(at(300));
  b.advance_to(at(1000));
  // then it is told once
  EXPECT_EQ(b.stuck, std::vector<std::string>{"t"});
  EXPECT_EQ(b.metrics("t").stuck, 1U);
  // and again after somebody asked and went away
  b.table.enqueue(job(2, service("t"), at(1000)));
  b.fetch(request("w", {"t"}));
  b.advance_to(at(1299));
  EXPECT_EQ(b.stuck.size(), 1U);
  b.advance_to(at(1300));
  EXPECT_EQ(b.stuck.size(), 2U);
}

TEST(StuckTopic, ATopicThatIsFetchedOrEmptyIsNotStuck) {
  // given a topic whose jobs are taken
  Bench b;
  b.table.enqueue(job(1, service("t")));
  b.fetch(request("w", {"t"}));
  // when time passes
  b.now = at(200);
  b.advance_to(at(299));
  b.advance_to(at(1000));
  // then only the expiry makes it wait, from then on
  EXPECT_EQ(b.stuck.size(), 1U);
  EXPECT_EQ(b.metrics("t").stuck, 1U);
}

TEST(JobTableCost, AFetchBehindLockedJobsLooksAtNoMoreOfThem) {
  // given 100,000 locked jobs and a few that wait
  Bench b;
  const ServicePtr s = service("t");
  for (std::uint64_t i = 1; i <= 100'000; ++i) b.table.enqueue(job(i, s));
  std::vector<LockedJob> out;
  for (int i = 0; i < 10; ++i) {
    FetchRequest r = request("w", {"t"}, 10'000);
    ASSERT_TRUE(b.table.fetch(r, b.now, out).ok());
  }
  for (std::uint64_t i = 1; i <= 10; ++i) b.table.enqueue(job(1'000'000 + i, s));
  // when one is fetched
  const std::uint64_t before = b.table.steps();
  ASSERT_EQ(b.fetch(request("w", {"t"})).size(), 1U);
  // then a handful of records is looked at
  EXPECT_LE(b.table.steps() - before, 16U);
}

TEST(JobTableCost, AFetchFromAMillionWaitingJobsLooksAtOne) {
  // given a million jobs in one topic and a thousand other topics
  Table table;
  const ServicePtr s = service("t");
  for (std::uint64_t i = 1; i <= 1'000'000; ++i) table.enqueue(job(i, s));
  for (std::uint64_t i = 0; i < 1000; ++i) table.enqueue(job(2'000'000 + i, service("other-" + std::to_string(i))));
  // when one is fetched and completed
  const std::uint64_t before = table.steps();
  std::vector<LockedJob> out;
  ASSERT_TRUE(table.fetch(request("w", {"t"}), kStart, out).ok());
  const Result<Ticket> t = table.begin_report(by("w", 1));
  ASSERT_TRUE(t.ok());
  Verdict v;
  v.is = Finish{};
  table.end(*t, v, Ok{}, kStart);
  // then the cost is that of one job
  EXPECT_LE(table.steps() - before, 4U);
  // and a queued job costs under 200 bytes
  EXPECT_LE(table.bytes() / 1'001'000, 200U);
}

TEST(JobTableCost, HandingBackInOneMomentDoesNotWalkTheLine) {
  // given many jobs of one instant, and an old one that is handed back in it
  Bench b;
  const ServicePtr s = service("t");
  for (std::uint64_t i = 1; i <= 100'000; ++i) b.table.enqueue(job(i, s));
  b.fetch(request("w", {"t"}));
  // when it comes back to its place
  const std::uint64_t before = b.table.steps();
  ASSERT_TRUE(b.table.unlock(by("w", 1), b.now).ok());
  EXPECT_EQ(b.fetch(request("w", {"t"})), Roots{1});
  // then nothing was searched
  EXPECT_LE(b.table.steps() - before, 8U);
}

}  // namespace
}  // namespace headrace::jobs::test
