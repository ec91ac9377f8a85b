#include "locked_bench.hpp"

namespace headrace::jobs::test {
namespace {

// seed: ADR-021 2.6/6
TEST(JobReport, ABpmnErrorEndsTheJobFailedAndIsNeverRetried) {
  // given a locked job
  LockedBench b;
  // when its worker raises a BPMN error
  EXPECT_TRUE(b.report(by("w", 1), ReportBpmnError{"DECLINED", "no money", block({{"why", Value("x")}})}).ok());
  // then the instance gets code, message and variables, and the job is final
  const auto* e = std::get_if<OutcomeBpmnError>(&b.told.at(0).outcome);
  ASSERT_NE(e, nullptr);
  EXPECT_EQ(e->code, "DECLINED");
  EXPECT_EQ(e->message, "no money");
  EXPECT_EQ(e->variables.size(), 1U);
  EXPECT_EQ(b.ended.state, JobState::Failed);
  EXPECT_TRUE(b.gone(1));
}

TEST(JobReport, OperatorsRetryMakesOneNewAttemptChain) {
  // given a job in an incident
  LockedBench b(exact_policy(2));
  EXPECT_TRUE(b.report(by("w", 1), failure("no", 0)).ok());
  // when an operator grants the policy's full count
  b.now = at(100);
  EXPECT_TRUE(b.table.retry(key(1), 0, b.now).ok());
  // then it is queued as a new generation, and counts anew
  EXPECT_EQ(b.info(1).state, JobState::Queued);
  EXPECT_EQ(b.info(1).generation, 2U);
  EXPECT_EQ(b.fetch(request("w", {"t"})), Roots{1});
  EXPECT_EQ(b.last[0].generation, 2U);
  EXPECT_EQ(b.last[0].attempt, 1);
  EXPECT_TRUE(b.report(by("w", 1), failure("no")).ok());
  EXPECT_EQ(b.info(1).state, JobState::BackingOff);
  b.advance_to(at(200));
  b.fetch(request("w", {"t"}));
  EXPECT_TRUE(b.report(by("w", 1), failure("no")).ok());
  EXPECT_EQ(b.info(1).state, JobState::Incident);
  // and a number grants as many
  EXPECT_TRUE(b.table.retry(key(1), 1, b.now).ok());
  EXPECT_EQ(b.info(1).retries, 1);
  b.fetch(request("w", {"t"}));
  EXPECT_TRUE(b.report(by("w", 1), failure("no")).ok());
  EXPECT_EQ(b.info(1).state, JobState::Incident);
  EXPECT_EQ(b.told.size(), 3U);
}

TEST(JobReport, RetryAndFinishWantAnIncident) {
  // given a locked job
  LockedBench b;
  Job gone;
  // when an operator retries or finishes it
  // then the state is named
  const Status s = b.table.retry(key(1), 1, b.now);
  EXPECT_EQ(code_of(s), ErrorCode::Conflict);
  EXPECT_NE(s.error().message.find("locked"), std::string::npos);
  EXPECT_EQ(code_of(b.table.finish(key(1), JobState::Completed, gone)), ErrorCode::Conflict);
  EXPECT_EQ(code_of(b.table.retry(key(2), 1, b.now)), ErrorCode::JobNotFound);
  EXPECT_EQ(code_of(b.table.finish(key(2), JobState::Completed, gone)), ErrorCode::JobNotFound);
  EXPECT_EQ(code_of(b.table.retry(key(1), -1, b.now)), ErrorCode::Validation);
  // and an incident can be finished by hand
  EXPECT_TRUE(b.report(by("w", 1), failure("no", 0)).ok());
  EXPECT_TRUE(b.table.finish(key(1), JobState::Completed, gone).ok());
  EXPECT_TRUE(b.gone(1));
  EXPECT_EQ(b.metrics("t").completed, 1U);
}

TEST(JobReport, ASuspendedJobKeepsItsPlaceAndRefusesReports) {
  // given three jobs, one of them locked, and two suspended
  Bench b;
  for (std::uint64_t i = 1; i <= 3; ++i) b.table.enqueue(job(i, service("t")));
  b.fetch(request("w", {"t"}));
  b.table.suspend(key(1));
  b.table.suspend(key(2));
  b.table.suspend(key(2));
  // when workers go on
  const std::string before = picture(b, 1);
  // then reports are refused and change nothing, extend and unlock go on, and the fetch skips it
  EXPECT_EQ(code_of(b.complete(by("w", 1))), ErrorCode::InstanceSuspended);
  EXPECT_EQ(picture(b, 1), before);
  EXPECT_TRUE(b.table.extend(by("w", 1), Duration::minutes(9), b.now).ok());
  EXPECT_TRUE(b.table.unlock(by("w", 1), b.now).ok());
  EXPECT_EQ(b.fetch(request("w", {"t"}, 5)), Roots{3});
  // and after the resume it is where it was in line
  b.table.enqueue(job(4, service("t")));
  b.table.resume(key(2));
  b.table.resume(key(2));
  b.table.resume(key(1));
  EXPECT_EQ(b.fetch(request("w", {"t"}, 5)), (Roots{1, 2, 4}));
}

TEST(JobReport, LateFailureOfACountedEpochAddsItsTextOnly) {
  // given a lock that ran out and cost an attempt
  LockedBench b;
  b.advance_to(at(10));
  EXPECT_EQ(b.info(1).expiries, 1);
  // when its holder fails late
  EXPECT_TRUE(b.report(by("w", 1), failure("was slow")).ok());
  // then the text is kept, nothing more is counted and the job stays fetchable
  EXPECT_EQ(b.info(1).last_error, "was slow");
  EXPECT_EQ(b.info(1).failures, 0);
  EXPECT_EQ(b.info(1).retries, 2);
  EXPECT_EQ(b.info(1).state, JobState::Queued);
  EXPECT_EQ(code_of(b.complete(by("w", 1))), ErrorCode::NotLockHolder);
  EXPECT_EQ(b.fetch(request("w2", {"t"})), Roots{1});
}

TEST(JobReport, LateFailureOfAnUncountedEpochCostsItsAttempt) {
  // given a lock of half a second that ran out for nothing
  LockedBench b(exact_policy(), 0.5);
  b.advance_to(at(0.5));
  EXPECT_EQ(b.info(1).expiries, 0);
  // when its holder fails late
  EXPECT_TRUE(b.report(by("w", 1), failure("no")).ok());
  // then it counts and backs off
  EXPECT_EQ(b.info(1).failures, 1);
  EXPECT_EQ(b.info(1).state, JobState::BackingOff);
}

TEST(JobReport, LateFailureInAnIncidentLeavesIt) {
  // given an incident by the last expiry
  LockedBench b(exact_policy(1));
  b.advance_to(at(10));
  EXPECT_EQ(b.info(1).state, JobState::Incident);
  // when its holder fails late, then the incident stands and is not told twice
  EXPECT_TRUE(b.report(by("w", 1), failure("was slow")).ok());
  EXPECT_EQ(b.info(1).state, JobState::Incident);
  EXPECT_EQ(b.info(1).last_error, "was slow");
  EXPECT_EQ(b.told.size(), 1U);
}

TEST(JobReport, LateRetriesCloseAnIncident) {
  // given an incident by the last expiry
  LockedBench b(exact_policy(1));
  b.advance_to(at(10));
  // when its holder says that two are left
  EXPECT_TRUE(b.report(by("w", 1), failure("busy", 2, Duration::seconds(5))).ok());
  // then the engine is told, so that its incident ends, and the job backs off
  ASSERT_EQ(b.told.size(), 2U);
  EXPECT_NE(std::get_if<OutcomeVariables>(&b.told[1].outcome), nullptr);
  EXPECT_EQ(b.info(1).state, JobState::BackingOff);
  EXPECT_EQ(b.info(1).retries, 2);
  EXPECT_EQ(b.info(1).deadline, at(15));
}

TEST(JobReportCamunda7, AFailureCountsAsTheWorkerSays) {
  // given a camunda7 job without a policy
  LockedBench b(camunda7_policy());
  // when its worker leaves 1
  EXPECT_TRUE(b.report(by("w", 1), failure("no", 1, Duration::seconds(2))).ok());
  EXPECT_EQ(b.info(1).state, JobState::BackingOff);
  EXPECT_EQ(b.info(1).retries, 1);
  b.advance_to(at(2));
  EXPECT_EQ(b.fetch(request("w", {"t"})), Roots{1});
  // when it says nothing, then none is left
  EXPECT_TRUE(b.report(by("w", 1), failure("no")).ok());
  EXPECT_EQ(b.info(1).state, JobState::Incident);
}

TEST(JobReportCamunda7, TheWorkerStaysAfterAFail) {
  // given a camunda7 job that backs off after a failure
  LockedBench b(camunda7_policy());
  EXPECT_TRUE(b.report(by("w", 1), failure("no", 1, Duration::seconds(60))).ok());
  // when the same worker extends and completes it
  // then it may
  EXPECT_EQ(*b.table.extend(by("w", 1), Duration::seconds(90), b.now), at(90));
  EXPECT_TRUE(b.complete(by("w", 1)).ok());
  EXPECT_TRUE(b.gone(1));
}

TEST(JobReportCamunda7, UnlockEndsTheRetryTime) {
  // given a camunda7 job that backs off after a failure
  LockedBench b(camunda7_policy());
  EXPECT_TRUE(b.report(by("w", 1), failure("no", 1, Duration::seconds(60))).ok());
  // when its worker unlocks it
  EXPECT_TRUE(b.table.unlock(by("w", 1), b.now).ok());
  // then it is fetchable at once
  EXPECT_EQ(b.fetch(request("x", {"t"})), Roots{1});
}

TEST(JobReportCamunda7, TheRetryTimeRunsWithNoRetriesAndIsShownAsTheLock) {
  // given a camunda7 job that failed with 0 retries and a retry time of 60 s
  LockedBench b(camunda7_policy());
  EXPECT_TRUE(b.report(by("w", 1), failure("no", 0, Duration::seconds(60))).ok());
  EXPECT_EQ(b.info(1).state, JobState::Incident);
  EXPECT_EQ(b.info(1).deadline, at(60));
  // when an operator sets retries at second 10
  b.now = at(10);
  EXPECT_TRUE(b.table.retry(key(1), 2, b.now).ok());
  // then the retry time is not shortened
  EXPECT_EQ(b.info(1).state, JobState::BackingOff);
  EXPECT_EQ(b.info(1).retries, 2);
  b.advance_to(at(59));
  EXPECT_EQ(b.fetch(request("w", {"t"})), Roots{});
  b.advance_to(at(60));
  EXPECT_EQ(b.fetch(request("w", {"t"})), Roots{1});
}

TEST(JobReportCamunda7, ALateCompleteClosesAnIncident) {
  // given a camunda7 incident by a failure
  LockedBench b(camunda7_policy());
  EXPECT_TRUE(b.report(by("w", 1), failure("no")).ok());
  // when the worker completes after all
  EXPECT_TRUE(b.complete(by("w", 1)).ok());
  // then the job is done
  EXPECT_TRUE(b.gone(1));
}

TEST(JobReportCamunda7, RetriesCanBeSetOnAnyOpenJob) {
  // given a locked camunda7 job
  LockedBench b(camunda7_policy());
  // when retries are set
  EXPECT_TRUE(b.table.retry(key(1), 5, b.now).ok());
  // then they are there and the lock stays
  EXPECT_EQ(b.info(1).retries, 5);
  EXPECT_EQ(b.info(1).state, JobState::Locked);
  EXPECT_EQ(b.info(1).generation, 1U);
}

}  // namespace
}  // namespace headrace::jobs::test
