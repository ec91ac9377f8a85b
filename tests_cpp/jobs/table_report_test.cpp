#include "locked_bench.hpp"

namespace headrace::jobs::test {
namespace {

// seed: SRD-036 TestLocalDispatcherEnqueueFetchComplete
TEST(JobReport, CompleteTellsTheSinkAndEndsTheJob) {
  // given a locked job
  LockedBench b;
  // when its holder completes it
  ASSERT_TRUE(b.report(by("w", 1, 1), ReportComplete{block({{"x", Value(1)}}), {}}).ok());
  // then the sink has the output, and the job is gone
  ASSERT_EQ(b.told.size(), 1U);
  EXPECT_EQ(b.told[0].key, key(1));
  const auto* done = std::get_if<OutcomeCompleted>(&b.told[0].outcome);
  ASSERT_NE(done, nullptr);
  EXPECT_EQ(value_of(done->output), map_value({{"x", Value(1)}}));
  EXPECT_FALSE(done->mapped);
  EXPECT_TRUE(b.gone(1));
  EXPECT_EQ(b.ended.gone.key, key(1));
  EXPECT_EQ(b.metrics("t").completed, 1U);
  // and a second report is for an unknown job
  EXPECT_EQ(code_of(b.complete(by("w", 1))), ErrorCode::JobNotFound);
}

TEST(JobReport, OnlyTheHolderOfTheEpochReports) {
  // given a locked job
  LockedBench b;
  const std::string before = picture(b, 1);
  // when others report, or the holder with an old or future epoch
  // then they are refused and nothing changes
  EXPECT_EQ(code_of(b.complete(by("x", 1))), ErrorCode::NotLockHolder);
  EXPECT_EQ(code_of(b.complete(by("w", 1, 0))), ErrorCode::NotLockHolder);
  EXPECT_EQ(code_of(b.complete(by("w", 1, 2))), ErrorCode::NotLockHolder);
  EXPECT_EQ(code_of(b.report(by("x", 1), failure("no"))), ErrorCode::NotLockHolder);
  EXPECT_EQ(code_of(b.complete(by("w", 2))), ErrorCode::JobNotFound);
  EXPECT_EQ(picture(b, 1), before);
  EXPECT_EQ(b.metrics("t").reports_refused, 4U);
  EXPECT_TRUE(b.told.empty());
}

TEST(JobReport, ANeverFetchedJobTakesNoReport) {
  // given a queued job
  Bench b;
  b.table.enqueue(job(1, service("t")));
  // when someone reports on it, even with an empty name
  // then nobody holds it
  EXPECT_EQ(code_of(b.complete(by("w", 1))), ErrorCode::NotLockHolder);
  EXPECT_EQ(code_of(b.complete(by("", 1))), ErrorCode::NotLockHolder);
}

TEST(JobReport, AMalformedReportChangesNothing) {
  // given a locked job
  LockedBench b;
  const std::string before = picture(b, 1);
  // when its holder sends nonsense
  // then it is refused by name and the job is as before
  EXPECT_EQ(code_of(b.report(by("w", 1), failure("no", -1))), ErrorCode::Validation);
  EXPECT_EQ(code_of(b.report(by("w", 1), ReportBpmnError{"", "m", {}})), ErrorCode::Validation);
  EXPECT_EQ(picture(b, 1), before);
  EXPECT_EQ(b.metrics("t").reports_refused, 2U);
  EXPECT_TRUE(b.complete(by("w", 1)).ok());
}

TEST(JobReport, WhileReportingAJobIsNeitherFetchableNorExpirable) {
  // given a job whose report is being applied
  LockedBench b;
  const Result<Ticket> t = b.table.begin_report(by("w", 1));
  ASSERT_TRUE(t.ok());
  // when its lock runs out, others fetch, and a second report comes
  b.advance_to(at(20));
  // then nothing happens to it
  EXPECT_EQ(b.info(1).state, JobState::Reporting);
  EXPECT_EQ(b.fetch(request("w2", {"t"})), Roots{});
  EXPECT_EQ(code_of(b.complete(by("w", 1))), ErrorCode::Conflict);
  EXPECT_EQ(code_of(b.table.unlock(by("w", 1), b.now)), ErrorCode::NotLockHolder);
  EXPECT_EQ(code_of(b.table.retry(key(1), 1, b.now)), ErrorCode::Conflict);
  EXPECT_EQ(b.metrics("t").reporting, 1U);
}

TEST(JobReport, AnUndoneReportPutsTheJobBackExactly) {
  // given a locked job and a step that is undone
  LockedBench b;
  b.now = at(3);
  const std::string before = picture(b, 1);
  b.sink_says = make_error(ErrorCode::Expression, "unknown variable");
  // when its holder completes it
  const Status s = b.complete(by("w", 1));
  // then the worker has the error, and lock, epoch and counts are as before
  EXPECT_EQ(code_of(s), ErrorCode::Expression);
  EXPECT_EQ(picture(b, 1), before);
  EXPECT_EQ(b.metrics("t").locked, 1U);
  // and the lock still runs out in its time
  b.advance_to(at(10));
  EXPECT_EQ(b.info(1).state, JobState::Queued);
  EXPECT_EQ(b.info(1).expiries, 1);
}

TEST(JobReport, AReportUndoneAfterItsDeadlineExpiresThen) {
  // given a report that is applied while its lock runs out
  LockedBench b;
  const Result<Ticket> t = b.table.begin_report(by("w", 1));
  b.advance_to(at(20));
  // when the step is undone
  Verdict v;
  v.is = Finish{};
  b.table.end(*t, v, make_error(ErrorCode::Store, "no"), b.now);
  EXPECT_EQ(b.info(1).state, JobState::Locked);
  b.advance_to(at(20));
  // then the lock has run out, once
  EXPECT_EQ(b.info(1).state, JobState::Queued);
  EXPECT_EQ(b.info(1).expiries, 1);
}

TEST(JobReport, ACancelThatWasFirstWins) {
  // given a report that reaches an instance which has cancelled the activity
  LockedBench b;
  b.sink_says = make_error(ErrorCode::JobNotFound, "gone");
  // when the worker completes
  // then it is told so, and the job is cancelled
  EXPECT_EQ(code_of(b.complete(by("w", 1))), ErrorCode::JobNotFound);
  EXPECT_TRUE(b.gone(1));
  EXPECT_EQ(b.metrics("t").cancelled, 1U);
  EXPECT_EQ(b.metrics("t").completed, 0U);
}

TEST(JobReport, AWithdrawalDuringAReportIsDecidedByTheAnswer) {
  // given three reports that are being applied, and their jobs withdrawn meanwhile
  Bench b;
  for (std::uint64_t i = 1; i <= 3; ++i) b.table.enqueue(job(i, service("t")));
  b.fetch(request("w", {"t"}, 3));
  std::vector<Ticket> tickets;
  for (std::uint64_t i = 1; i <= 3; ++i) {
    tickets.push_back(*b.table.begin_report(by("w", i)));
    Job gone;
    EXPECT_EQ(b.table.withdraw(key(i), gone), Withdrawn::Pending);
  }
  // when one took effect, one was too late and one is undone
  Verdict v;
  v.is = Finish{};
  b.table.end(tickets[0], v, Ok{}, b.now);
  b.table.end(tickets[1], v, make_error(ErrorCode::JobNotFound, ""), b.now);
  b.table.end(tickets[2], v, make_error(ErrorCode::InstanceSuspended, ""), b.now);
  // then the first is completed and the others are cancelled
  EXPECT_EQ(b.metrics("t").completed, 1U);
  EXPECT_EQ(b.metrics("t").cancelled, 2U);
  EXPECT_TRUE(b.gone(1) && b.gone(2) && b.gone(3));
}

TEST(JobReport, AFailureOfAWithdrawnJobIsNotTriedAgain) {
  // given failures that are being judged while their jobs are withdrawn
  Bench b;
  for (std::uint64_t i = 1; i <= 4; ++i) b.table.enqueue(job(i, service("t")));
  b.fetch(request("w", {"t"}, 4));
  std::vector<Verdict> verdicts(4);
  verdicts[0].is = Again{};
  verdicts[1].is = Noted{};
  verdicts[2].is = Exhaust{};
  Exhaust fails;
  fails.state = JobState::Failed;
  verdicts[3].is = fails;
  for (std::uint64_t i = 1; i <= 4; ++i) {
    const Ticket t = *b.table.begin_report(by("w", i));
    Job gone;
    b.table.withdraw(key(i), gone);
    // when the verdict comes
    b.table.end(t, verdicts[i - 1], Ok{}, b.now);
    // then the job is gone
    EXPECT_TRUE(b.gone(i)) << i;
  }
  EXPECT_EQ(b.metrics("t").cancelled, 3U);
  EXPECT_EQ(b.metrics("t").failed, 1U);  // the instance failed by it
}

TEST(JobReport, ALateReportIsAcceptedAsLongAsNobodyFetchedTheJobSince) {
  // given a job whose lock ran out, queued again
  LockedBench b;
  b.advance_to(at(10));
  EXPECT_EQ(b.info(1).state, JobState::Queued);
  // when its holder completes late
  // then it counts, and no fetch finds it
  EXPECT_TRUE(b.complete(by("w", 1, 1)).ok());
  EXPECT_TRUE(b.gone(1));
  EXPECT_EQ(b.fetch(request("w2", {"t"})), Roots{});
}

TEST(JobReport, ALateReportAfterAnotherFetchIsRefused) {
  // given a job that another worker fetched after its lock ran out
  LockedBench b;
  b.advance_to(at(10));
  b.fetch(request("w2", {"t"}));
  const std::string before = picture(b, 1);
  // when the old holder reports, then it is no holder
  EXPECT_EQ(code_of(b.complete(by("w", 1))), ErrorCode::NotLockHolder);
  EXPECT_EQ(picture(b, 1), before);
}

TEST(JobReport, TheSameWorkersOldEpochIsRefusedWhenItGivesOne) {
  // given a job that the same worker fetched again after its lock ran out
  LockedBench b;
  b.advance_to(at(10));
  b.fetch(request("w", {"t"}));
  // when its old process reports with its epoch
  // then it is fenced
  EXPECT_EQ(code_of(b.complete(by("w", 1, 1))), ErrorCode::NotLockHolder);
  EXPECT_TRUE(b.complete(by("w", 1, 2)).ok());
}

TEST(JobReport, ALateReportIsAcceptedWhileTheJobBacksOffOrStandsInAnIncidentByExpiry) {
  // given two jobs whose locks ran out: one for the second time, one for the last
  Bench b;
  b.table.enqueue(job(1, service("t", exact_policy(3))));
  b.table.enqueue(job(2, service("t", exact_policy(1))));
  b.fetch(lock_of(request("w", {"t"}, 2), 10));
  b.advance_to(at(10));
  EXPECT_EQ(b.info(2).state, JobState::Incident);
  b.fetch(lock_of(request("w", {"t"}), 10));
  b.advance_to(at(20));
  EXPECT_EQ(b.info(1).state, JobState::BackingOff);
  // when their holder completes late
  b.told.clear();
  EXPECT_TRUE(b.complete(by("w", 1)).ok());
  EXPECT_TRUE(b.complete(by("w", 2)).ok());
  // then both are completed
  EXPECT_EQ(b.told.size(), 2U);
  EXPECT_TRUE(b.gone(1) && b.gone(2));
  EXPECT_EQ(b.metrics("t").incidents, 0U);
}

TEST(JobReport, ALateReportThatIsUndonePutsQueuedBackingOffAndIncidentBack) {
  // given late reports in each state, and steps that are undone
  Bench b;
  b.table.enqueue(job(1, service("t", exact_policy(3))));
  b.table.enqueue(job(2, service("t", exact_policy(1))));
  b.fetch(lock_of(request("w", {"t"}, 2), 10));
  b.advance_to(at(10));
  b.table.enqueue(job(3, service("t"), at(10)));
  b.sink_says = make_error(ErrorCode::Store, "no");
  for (const std::uint64_t i : {1, 2}) {
    const std::string before = picture(b, i);
    // when the holder completes
    EXPECT_EQ(code_of(b.complete(by("w", i))), ErrorCode::Store);
    // then the job is where it was
    EXPECT_EQ(picture(b, i), before);
  }
  // and the queued one has its place in line
  EXPECT_EQ(b.fetch(lock_of(request("w", {"t"}, 2), 10)), (Roots{1, 3}));
  b.advance_to(at(20));
  const std::string before = picture(b, 1);
  EXPECT_EQ(b.info(1).state, JobState::BackingOff);
  EXPECT_EQ(code_of(b.complete(by("w", 1))), ErrorCode::Store);
  EXPECT_EQ(picture(b, 1), before);
}

TEST(JobReport, AfterAFailThereIsNoHolder) {
  // given a job that failed and backs off
  LockedBench b;
  EXPECT_TRUE(b.report(by("w", 1), failure("broken")).ok());
  EXPECT_EQ(b.info(1).state, JobState::BackingOff);
  // when the same worker reports again
  // then it holds nothing
  EXPECT_EQ(code_of(b.complete(by("w", 1))), ErrorCode::NotLockHolder);
}

TEST(JobReport, AFailureIsTriedAgainAfterThePolicysDelay) {
  // given a job with 3 executions
  LockedBench b;
  // when it fails at second 1
  b.now = at(1);
  EXPECT_TRUE(b.report(by("w", 1), failure("broken")).ok());
  // then it backs off for 500 ms, with 2 left and the text kept
  const JobInfo i = b.info(1);
  EXPECT_EQ(i.state, JobState::BackingOff);
  EXPECT_EQ(i.deadline, at(1.5));
  EXPECT_EQ(i.retries, 2);
  EXPECT_EQ(i.failures, 1);
  EXPECT_EQ(i.last_error, "broken");
  // and is fetchable not before, with the second attempt
  b.advance_to(at(1.499999));
  EXPECT_EQ(b.fetch(request("w", {"t"})), Roots{});
  b.advance_to(at(1.5));
  EXPECT_EQ(b.fetch(request("w", {"t"})), Roots{1});
  EXPECT_EQ(b.last[0].attempt, 2);
  EXPECT_EQ(b.last[0].retries, 2);
  EXPECT_TRUE(b.told.empty());
}

TEST(JobReport, TheLastFailureIsAnIncident) {
  // given a job with 3 executions, two of them failed
  LockedBench b;
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(b.report(by("w", 1), failure("broken")).ok());
    b.advance_to(b.now + Duration::seconds(40));
    b.fetch(request("w", {"t"}));
  }
  EXPECT_TRUE(b.told.empty());
  // when it fails again
  ReportFail last = failure("broken for good");
  last.failure.body = Value("raw");
  EXPECT_TRUE(b.report(by("w", 1), last).ok());
  // then the engine hears of it once, with attempts and the failure, and the job stands in an incident
  ASSERT_EQ(b.told.size(), 1U);
  const auto* x = std::get_if<OutcomeExhausted>(&b.told[0].outcome);
  ASSERT_NE(x, nullptr);
  EXPECT_EQ(x->attempts, 3);
  EXPECT_EQ(x->expiries, 0);
  EXPECT_FALSE(x->expired);
  EXPECT_EQ(x->failure.message, "broken for good");
  EXPECT_EQ(x->failure.body, Value("raw"));
  EXPECT_EQ(b.info(1).state, JobState::Incident);
  EXPECT_EQ(b.info(1).retries, 0);
  EXPECT_EQ(b.metrics("t").exhausted, 1U);
  EXPECT_EQ(b.metrics("t").attempts, 3U);
  EXPECT_EQ(b.metrics("t").retries, 2U);
  // and it is not fetched
  b.advance_to(at(1e6));
  EXPECT_EQ(b.fetch(request("w", {"t"})), Roots{});
}

TEST(JobReport, AReportWhoseStepRaisedAnIncidentLeavesItsJobInIt) {
  // given
  LockedBench b;
  b.table.park(key(1));  // no report is being applied: nothing
  const Result<Ticket> t = b.table.begin_report(by("w", 1));
  ASSERT_TRUE(t.ok());
  Result<Verdict> verdict = classify(*t->service->policy, t->owner, t->attempts, ReportComplete{}, 0);
  // when
  b.table.park(key(1));
  EXPECT_TRUE(b.settle(*t, *std::move(verdict)).ok());
  // then
  EXPECT_EQ(b.info(1).state, JobState::Incident);
  EXPECT_EQ(b.info(1).failures, 1);
  EXPECT_EQ(b.metrics("t").completed, 0U);
  EXPECT_EQ(code_of(b.complete(by("w", 1))), ErrorCode::NotLockHolder);
  // and an operator's retry goes on with its epochs, and raises its generation
  ASSERT_TRUE(b.table.retry(key(1), 1, b.now).ok());
  EXPECT_EQ(b.fetch(request("w", {"t"})), Roots{1});
  EXPECT_EQ(b.last[0].epoch, 2U);
  EXPECT_EQ(b.last[0].generation, 2U);
  EXPECT_TRUE(b.complete(by("w", 1)).ok());
  EXPECT_TRUE(b.gone(1));
}

TEST(JobReport, OnExhaustedFailEndsTheJobFailed) {
  // given a task that fails its instance
  policy::Policy p = exact_policy(1);
  p.on_exhausted = policy::OnExhausted::Fail;
  LockedBench b(p);
  // when its only execution fails
  EXPECT_TRUE(b.report(by("w", 1), failure("broken")).ok());
  // then the job is failed and gone
  EXPECT_TRUE(b.gone(1));
  EXPECT_EQ(b.ended.state, JobState::Failed);
  EXPECT_EQ(b.metrics("t").failed, 1U);
}

TEST(JobReport, AnExhaustionThatTheStepUndoesLeavesTheLock) {
  // given the last execution and an engine that cannot take the incident
  LockedBench b(exact_policy(1));
  const std::string before = picture(b, 1);
  b.sink_says = make_error(ErrorCode::StoreBusy, "later");
  // when it fails
  EXPECT_EQ(code_of(b.report(by("w", 1), failure("broken"))), ErrorCode::StoreBusy);
  // then nothing is counted and the worker may report again
  EXPECT_EQ(picture(b, 1), before);
  b.sink_says = Ok{};
  EXPECT_TRUE(b.report(by("w", 1), failure("broken")).ok());
  EXPECT_EQ(b.info(1).state, JobState::Incident);
}

TEST(JobReport, AWorkersRetriesSetWhatIsLeftAndTheSumCountsFromThere) {
  // given a job of 3 executions whose worker grants 4 more
  LockedBench b;
  EXPECT_TRUE(b.report(by("w", 1), failure("no", 4, Duration::seconds(7))).ok());
  EXPECT_EQ(b.info(1).retries, 4);
  EXPECT_EQ(b.info(1).deadline, at(7));
  // when it fails by the engine's policy from then on
  int more = 0;
  while (b.info(1).state != JobState::Incident && more < 10) {
    b.advance_to(b.now + Duration::seconds(40));
    ASSERT_EQ(b.fetch(request("w", {"t"})), Roots{1});
    ASSERT_TRUE(b.report(by("w", 1), failure("no")).ok());
    ++more;
  }
  // then exactly four more executions happened
  EXPECT_EQ(more, 4);
  EXPECT_EQ(b.info(1).failures, 5);
}

TEST(JobReport, NoRetriesLeftIsAnIncidentAtOnce) {
  // given a fresh job
  LockedBench b;
  // when its worker says that none is left
  EXPECT_TRUE(b.report(by("w", 1), failure("no", 0)).ok());
  // then it is exhausted
  EXPECT_EQ(b.info(1).state, JobState::Incident);
  EXPECT_EQ(b.told.size(), 1U);
}

TEST(JobReport, AFailureWithVariablesTellsTheInstanceAndBacksOff) {
  // given a locked job
  LockedBench b;
  ReportFail f = failure("no", 2, Duration::seconds(1));
  f.variables = block({{"step", Value(2)}});
  // when the failure brings variables
  EXPECT_TRUE(b.report(by("w", 1), f).ok());
  // then the sink gets them and the job is tried again
  ASSERT_EQ(b.told.size(), 1U);
  const auto* v = std::get_if<OutcomeVariables>(&b.told[0].outcome);
  ASSERT_NE(v, nullptr);
  EXPECT_EQ(value_of(v->variables), map_value({{"step", Value(2)}}));
  EXPECT_EQ(b.info(1).state, JobState::BackingOff);
  // and when the instance refuses them, the job is where it was
  b.advance_to(at(1));
  b.fetch(request("w", {"t"}));
  const std::string before = picture(b, 1);
  b.sink_says = make_error(ErrorCode::Expression, "no");
  EXPECT_EQ(code_of(b.report(by("w", 1), f)), ErrorCode::Expression);
  EXPECT_EQ(picture(b, 1), before);
}

}  // namespace
}  // namespace headrace::jobs::test
