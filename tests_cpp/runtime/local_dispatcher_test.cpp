#include "local_support.hpp"

namespace headrace::runtime::test {
namespace {

using jobs::JobState;
using observe::Level;
using observe::What;

// seed: SRD-036 TestLocalDispatcherEnqueueFetchComplete
TEST(LocalDispatcher, EnqueueFetchCompleteDeliversTheOutcomeToTheSink) {
  // given a job that a worker fetched
  HandQueue q;
  q.enqueue(1);
  EXPECT_EQ(q.queue.pending(Topic("t")), 1U);
  EXPECT_EQ(q.fetch(request("w", {"t"})), Roots{1});
  EXPECT_EQ(q.queue.pending(Topic("")), 0U);
  // when it completes
  EXPECT_TRUE(q.queue.report(by("w", 1, 1), jobs::ReportComplete{block({{"x", Value(1)}}), {}}).ok());
  // then the sink has its outcome and the queue has no job
  ASSERT_EQ(q.sink.told().size(), 1U);
  EXPECT_EQ(q.sink.told()[0].key, key(1));
  EXPECT_FALSE(q.queue.find(key(1)).has_value());
  EXPECT_TRUE(q.queue.list().empty());
}

// seed: SRD-036 TestLocalDispatcherLockExpiryRefetch
TEST(LocalDispatcher, AJobWhoseLockRanOutIsFetchedAgain) {
  // given a locked job
  HandQueue q;
  q.enqueue(1);
  q.fetch(lock_of(request("w", {"t"}), 10));
  EXPECT_EQ(q.fetch(request("w2", {"t"})), Roots{});
  // when its lock runs out
  q.clock->set(at(10));
  // then the fetch itself books it and gives it to the next worker
  EXPECT_EQ(q.fetch(request("w2", {"t"})), Roots{1});
}

// seed: SRD-036 TestLocalDispatcherExtendLockHolderOnlyAndCap
TEST(LocalDispatcher, OnlyTheHolderExtendsAndOnlyUpToTheCap) {
  // given a lock under a cap of 60 s
  HandQueue q;
  q.queue.configure_topic(Topic("t"), {std::nullopt, Duration::seconds(60), std::nullopt});
  q.enqueue(1);
  q.fetch(lock_of(request("w", {"t"}), 10));
  // when others extend, or the holder too far
  EXPECT_EQ(q.queue.extend_lock(by("x", 1), Duration::seconds(10)).error().code, ErrorCode::NotLockHolder);
  EXPECT_EQ(q.queue.extend_lock(by("w", 1), Duration::seconds(61)).error().code, ErrorCode::LockCapExceeded);
  // then only the holder within the cap may
  EXPECT_EQ(*q.queue.extend_lock(by("w", 1), Duration::seconds(60)), at(60));
}

// seed: SRD-036 TestLocalDispatcherFetchOnlyRequestedTopics
TEST(LocalDispatcher, AFetchGivesOnlyTheTopicsItAskedFor) {
  // given jobs of three topics
  HandQueue q;
  q.enqueue(1, "a");
  q.enqueue(2, "b");
  q.enqueue(3, "c");
  // when two are asked for
  // then only theirs come
  EXPECT_EQ(q.fetch(request("w", {"a", "c"}, 10)), (Roots{1, 3}));
}

TEST(LocalDispatcher, ABadFetchIsRefusedByField) {
  HandQueue q;
  const auto r = q.queue.fetch_and_lock(request("w", {"t"}, 0), Duration{});
  ASSERT_FALSE(r.ok());
  EXPECT_EQ(r.error().code, ErrorCode::Validation);
  EXPECT_FALSE(q.queue.start_fetch(request("", {"t"})).ok());
}

TEST(LocalDispatcher, WithAManualClockAWaitingFetchAnswersAtOnce) {
  // given an empty queue on a manual clock
  HandQueue q;
  // when a fetch would wait an hour, then it answers with nothing
  EXPECT_EQ(q.fetch(request("w", {"t"}), Duration::hours(1)), Roots{});
}

TEST(LocalDispatcher, AHandDrivenQueueBooksTimeOnlyInRunDue) {
  // given a queue of an engine without threads
  LocalDispatcherOptions options;
  options.due_on_call = false;
  HandQueue q(options);
  q.enqueue(1);
  q.fetch(lock_of(request("w", {"t"}), 10));
  q.clock->set(at(10));
  // when calls come after the deadline, then nothing is booked
  EXPECT_EQ(q.fetch(request("w2", {"t"})), Roots{});
  EXPECT_EQ(q.state(1), JobState::Locked);
  // when it is run, then it is
  EXPECT_EQ(q.queue.next_due(), at(10));
  EXPECT_EQ(q.queue.run_due(at(10)), 1U);
  EXPECT_EQ(q.fetch(request("w2", {"t"})), Roots{1});
}

TEST(LocalDispatcher, AnExhaustedExpiryReachesTheSinkFromRunDue) {
  // given a job that kills its worker for the last time
  HandQueue q;
  q.enqueue(1, "t", exact_policy(1));
  q.fetch(lock_of(request("w", {"t"}), 10));
  // when the deadline passes
  q.queue.run_due(at(10));
  // then the engine hears of it
  ASSERT_EQ(q.sink.told().size(), 1U);
  EXPECT_TRUE(std::get<jobs::OutcomeExhausted>(q.sink.told()[0].outcome).expired);
  EXPECT_EQ(q.state(1), JobState::Incident);
}

TEST(LocalDispatcher, ALateAnswerToAnExpiryEndsIt) {
  // given an engine that answers an exhaustion later
  HandQueue q;
  q.enqueue(1, "t", exact_policy(1));
  q.fetch(lock_of(request("w", {"t"}), 10));
  q.sink.hold();
  q.queue.run_due(at(10));
  EXPECT_EQ(q.state(1), JobState::Reporting);
  EXPECT_EQ(q.complete("w", 1).error().code, ErrorCode::Conflict);
  // when it answers, then the job stands in its incident
  q.sink.release();
  EXPECT_EQ(q.state(1), JobState::Incident);
}

TEST(LocalDispatcher, AReportWaitsForTheCommit) {
  // given an engine that answers later
  HandQueue q;
  q.enqueue(1);
  q.fetch(request("w", {"t"}));
  q.sink.hold();
  std::atomic<bool> answered{false};
  std::thread reporter([&] {
    EXPECT_TRUE(q.complete("w", 1).ok());
    answered.store(true);
  });
  // when the step is not committed yet, then the worker has no answer and the job is reporting
  q.sink.wait_for_held(1);
  EXPECT_FALSE(answered.load());
  EXPECT_EQ(q.state(1), JobState::Reporting);
  // when it is, then both are done
  q.sink.release();
  reporter.join();
  EXPECT_TRUE(answered.load());
  EXPECT_FALSE(q.queue.find(key(1)).has_value());
}

TEST(LocalDispatcher, AReportThatTheEngineRejectsDoesNotLoseTheJob) {
  // given an engine that undoes the step
  HandQueue q;
  q.enqueue(1);
  q.fetch(lock_of(request("w", {"t"}), 10));
  q.sink.answer(make_error(ErrorCode::Expression, "unknown variable 'x'"));
  // when the worker completes
  EXPECT_EQ(q.complete("w", 1).error().code, ErrorCode::Expression);
  // then its lock is as before, and it may report again
  EXPECT_EQ(q.state(1), JobState::Locked);
  EXPECT_EQ(q.queue.find(key(1))->deadline, at(10));
  q.sink.answer(Ok{});
  EXPECT_TRUE(q.complete("w", 1).ok());
}

TEST(LocalDispatcher, WithoutAnEngineReportsAreRefusedAndNothingIsLost) {
  // given a queue that is bound to nothing
  HandQueue q;
  q.queue.bind_sink(nullptr);
  q.enqueue(1, "t", exact_policy(1));
  q.fetch(lock_of(request("w", {"t"}), 10));
  // when the worker reports
  EXPECT_EQ(q.complete("w", 1).error().code, ErrorCode::Closed);
  EXPECT_EQ(q.queue.complete_many({{by("w", 1), {}}})[0]->code, ErrorCode::Closed);
  // then the job is locked as before, and its expiry waits for an engine
  EXPECT_EQ(q.state(1), JobState::Locked);
  q.queue.run_due(at(10));
  EXPECT_EQ(q.state(1), JobState::BackingOff);
}

TEST(LocalDispatcher, OnceClosedEachCallOfAWorkerHearsTheSame) {
  // given a locked job of a queue that was closed
  HandQueue q;
  q.enqueue(1);
  q.fetch(request("w", {"t"}));
  q.queue.close();
  // when the worker calls
  std::vector<Error> heard{q.complete("w", 1).error(),
                           *q.queue.complete_many({{by("w", 1), {}}})[0],
                           q.queue.extend_lock(by("w", 1), Duration::seconds(1)).error(),
                           q.queue.unlock(by("w", 1)).error(),
                           q.queue.fetch_and_lock(request("w", {"t"}), {}).error(),
                           q.queue.start_fetch(request("w", {"t"})).error()};
  // then
  for (const Error& e : heard) {
    EXPECT_EQ(e.code, ErrorCode::Closed);
    EXPECT_EQ(e.message, "the engine is closed");
  }
}

TEST(LocalDispatcher, CompleteManyAnswersPerItem) {
  // given three jobs, one held by another worker
  HandQueue q;
  for (std::uint64_t i = 1; i <= 3; ++i) q.enqueue(i);
  q.fetch(request("w", {"t"}, 2));
  q.fetch(request("x", {"t"}));
  // when all are completed in one call, with an unknown one and one twice
  const auto answers =
      q.queue.complete_many({{by("w", 1), {}}, {by("w", 3), {}}, {by("w", 9), {}}, {by("w", 2), {}}, {by("w", 2), {}}});
  // then each has its own answer, in order
  ASSERT_EQ(answers.size(), 5U);
  EXPECT_FALSE(answers[0].has_value());
  EXPECT_EQ(answers[1]->code, ErrorCode::NotLockHolder);
  EXPECT_EQ(answers[2]->code, ErrorCode::JobNotFound);
  EXPECT_FALSE(answers[3].has_value());
  EXPECT_EQ(answers[4]->code, ErrorCode::Conflict);
  EXPECT_EQ(q.sink.told().size(), 2U);
  EXPECT_EQ(q.metrics().completed, 2U);
  EXPECT_TRUE(q.queue.complete_many({}).empty());
}

TEST(LocalDispatcher, CompleteManyPutsBackWhatTheEngineRefuses) {
  // given two locked jobs and an engine that refuses
  HandQueue q;
  for (std::uint64_t i = 1; i <= 2; ++i) q.enqueue(i);
  q.fetch(request("w", {"t"}, 2));
  q.sink.answer(make_error(ErrorCode::StoreBusy, "later"));
  // when they are completed in one call
  const auto answers = q.queue.complete_many({{by("w", 1), {}}, {by("w", 2), {}}});
  // then both are locked as before
  EXPECT_EQ(answers[0]->code, ErrorCode::StoreBusy);
  EXPECT_EQ(answers[1]->code, ErrorCode::StoreBusy);
  EXPECT_EQ(q.state(1), JobState::Locked);
  EXPECT_EQ(q.state(2), JobState::Locked);
}

TEST(LocalDispatcher, TheSameReportFromManyThreadsTakesEffectOnce) {
  // given a locked job and an engine that takes its time
  HandQueue q;
  q.enqueue(1);
  q.fetch(request("w", {"t"}));
  constexpr int kThreads = 100;
  std::latch go(kThreads);
  std::atomic<int> ok{0};
  std::vector<std::thread> threads;
  // when 100 threads report the same
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      go.arrive_and_wait();
      if (q.complete("w", 1).ok()) ++ok;
    });
  }
  for (std::thread& t : threads) t.join();
  // then one took effect
  EXPECT_EQ(ok.load(), 1);
  EXPECT_EQ(q.sink.told().size(), 1U);
  EXPECT_EQ(q.metrics().completed, 1U);
}

TEST(LocalDispatcher, DueTimesThatComeEarlierAreToldOnce) {
  // given an engine's timer
  HandQueue q;
  int told = 0;
  q.queue.on_due_changed([&] { ++told; });
  EXPECT_EQ(q.queue.next_due(), Instant::never());
  q.enqueue(1);
  q.enqueue(2);
  EXPECT_EQ(told, 0);
  // when a lock brings a first due time, then it is told
  q.fetch(lock_of(request("w", {"t"}), 10));
  EXPECT_EQ(told, 1);
  EXPECT_EQ(q.queue.next_due(), at(10));
  // when a later one comes, then not
  q.fetch(lock_of(request("w", {"t"}), 20));
  EXPECT_EQ(told, 1);
  // when an earlier one comes, then again
  EXPECT_TRUE(q.queue.extend_lock(by("w", 2), Duration::seconds(5)).ok());
  EXPECT_EQ(told, 2);
  EXPECT_EQ(q.queue.next_due(), at(5));
}

// seed: ADR-021 6/1
TEST(LocalDispatcher, EveryEventLeavesARecordAtItsLevel) {
  // given a recorder for everything
  HandQueue q;
  q.recorder->set_level(Level::Debug);
  q.queue.configure_topic(Topic("t"), {std::nullopt, Duration::seconds(60), std::nullopt});
  // when a job goes through all it can
  q.enqueue(1, "t", exact_policy(3));
  q.fetch(lock_of(request("w", {"t"}), 10));
  EXPECT_TRUE(q.queue.extend_lock(by("w", 1), Duration::seconds(20)).ok());
  EXPECT_FALSE(q.queue.extend_lock(by("w", 1), Duration::seconds(70)).ok());
  EXPECT_TRUE(q.queue.unlock(by("w", 1)).ok());
  EXPECT_FALSE(q.complete("w", 1).ok());
  q.fetch(lock_of(request("w", {"t"}), 10));
  EXPECT_TRUE(q.queue.report(by("w", 1), failure("secret-free text")).ok());
  q.queue.run_due(at(1));
  q.clock->set(at(1));
  q.fetch(lock_of(request("w", {"t"}), 10));
  q.queue.run_due(at(11));
  q.clock->set(at(11));
  q.fetch(request("w", {"t"}));
  EXPECT_TRUE(q.queue.report(by("w", 1), failure("last")).ok());
  q.enqueue(2);
  q.fetch(request("w", {"t"}));
  EXPECT_TRUE(q.complete("w", 2).ok());
  q.enqueue(3);
  EXPECT_TRUE(q.queue.withdraw(key(3)).ok());
  q.enqueue(4);
  q.queue.run_due(at(1000));
  // then each has its record
  EXPECT_EQ(q.recorder->count(What::JobEnqueued), 4U);
  EXPECT_EQ(q.recorder->count(What::JobFetched), 5U);
  EXPECT_EQ(q.recorder->count(What::LockExtended), 1U);
  EXPECT_EQ(q.recorder->count(What::LockCapHit), 1U);
  EXPECT_EQ(q.recorder->count(What::JobUnlocked), 1U);
  EXPECT_EQ(q.recorder->count(What::JobReportRefused), 1U);
  EXPECT_EQ(q.recorder->count(What::JobClassified), 3U);
  EXPECT_EQ(q.recorder->count(What::JobBackedOff), 1U);
  EXPECT_EQ(q.recorder->count(What::LockExpired), 1U);
  EXPECT_EQ(q.recorder->count(What::JobExhausted), 1U);
  EXPECT_EQ(q.recorder->count(What::JobCompleted), 1U);
  EXPECT_EQ(q.recorder->count(What::JobCancelled), 1U);
  EXPECT_EQ(q.recorder->count(What::TopicStuck), 1U);
  for (const observe::Record& r : q.recorder->all()) {
    const bool warns = r.what == What::LockCapHit || r.what == What::LockExpired || r.what == What::TopicStuck;
    EXPECT_EQ(r.level == Level::Warning, warns) << name_of(r.what);
    EXPECT_TRUE(r.what != What::JobFetched || r.job.ends_with(":pay")) << r.job;
    EXPECT_TRUE(r.what != What::LockCapHit || (r.topic == "t" && r.job.ends_with(":pay"))) << r.topic;
  }
}

TEST(LocalDispatcher, AFilteredRecordIsNotMade) {
  // given a recorder for errors only
  HandQueue q;
  q.recorder->set_level(Level::Error);
  // when a job goes through
  q.enqueue(1);
  q.fetch(request("w", {"t"}));
  EXPECT_TRUE(q.complete("w", 1).ok());
  // then nothing is recorded
  EXPECT_TRUE(q.recorder->all().empty());
}

TEST(LocalDispatcher, OperatorCallsReachTheTable) {
  // given an incident
  HandQueue q;
  q.enqueue(1, "t", exact_policy(1));
  q.fetch(request("w", {"t"}));
  EXPECT_TRUE(q.queue.report(by("w", 1), failure("no")).ok());
  // when it is retried, suspended, resumed, fails again and is finished by hand
  EXPECT_TRUE(q.queue.retry(key(1), 1).ok());
  q.queue.suspend(key(1));
  EXPECT_EQ(q.fetch(request("w", {"t"})), Roots{});
  q.queue.resume(key(1));
  q.queue.publish(key(1), VariableView());
  EXPECT_EQ(q.fetch(request("w", {"t"})), Roots{1});
  EXPECT_TRUE(q.queue.report(by("w", 1), failure("no")).ok());
  EXPECT_TRUE(q.queue.finish(key(1), JobState::Cancelled).ok());
  // then it is gone
  EXPECT_EQ(q.metrics().cancelled, 1U);
  EXPECT_TRUE(q.queue.accepts(Topic("t")));
  q.queue.set_lock_defaults(Duration::seconds(3), Duration::seconds(9));
  q.enqueue(2);
  q.fetch(request("w", {"t"}));
  EXPECT_EQ(q.queue.find(key(2))->deadline, at(3));
}

}  // namespace
}  // namespace headrace::runtime::test
