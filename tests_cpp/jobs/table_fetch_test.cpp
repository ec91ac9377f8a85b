#include "support.hpp"

namespace headrace::jobs::test {
namespace {

TEST(JobTable, GivesTheOldestJobOfATopicFirst) {
  // given three jobs of a topic
  Bench b;
  for (std::uint64_t i : {1, 2, 3}) b.table.enqueue(job(i, service("t")));
  // when they are fetched one by one
  // then they come in the order of their arrival
  EXPECT_EQ(b.fetch(request("w", {"t"})), Roots{1});
  EXPECT_EQ(b.fetch(request("w", {"t"}, 2)), (Roots{2, 3}));
  EXPECT_EQ(b.fetch(request("w", {"t"})), Roots{});
}

TEST(JobTable, EnqueueOfAKnownKeyChangesNothing) {
  // given a locked job
  Bench b;
  EXPECT_TRUE(b.table.enqueue(job(1, service("t"))));
  b.fetch(request("w", {"t"}));
  // when the same key is enqueued again
  EXPECT_FALSE(b.table.enqueue(job(1, service("t"))));
  // then there is one job, as it was
  EXPECT_EQ(b.info(1).state, JobState::Locked);
  EXPECT_EQ(b.metrics("t").enqueued, 1U);
  EXPECT_EQ(b.fetch(request("w2", {"t"})), Roots{});
}

TEST(JobTable, FetchGivesOnlyTheTopicsThatWereAskedFor) {
  // given jobs of two topics
  Bench b;
  b.table.enqueue(job(1, service("a")));
  b.table.enqueue(job(2, service("b")));
  // when one topic is asked for
  const Roots found = b.fetch(request("w", {"b", "unknown"}, 10));
  // then only its jobs come
  EXPECT_EQ(found, Roots{2});
}

TEST(JobTable, FetchTakesTopicsInTurn) {
  // given a full topic before two short ones
  Bench b;
  for (std::uint64_t i = 1; i <= 5; ++i) b.table.enqueue(job(i, service("a")));
  b.table.enqueue(job(11, service("b")));
  b.table.enqueue(job(12, service("b")));
  b.table.enqueue(job(21, service("c")));
  // when one fetch wants many
  // then one job of each topic comes in turn, until the topic is empty
  EXPECT_EQ(b.fetch(request("w", {"a", "b", "c"}, 7)), (Roots{1, 11, 21, 2, 12, 3, 4}));
}

TEST(JobTable, FetchesOfOneJobTakeTopicsInTurnToo) {
  // given two topics with jobs
  Bench b;
  for (std::uint64_t i = 1; i <= 3; ++i) b.table.enqueue(job(i, service("a")));
  for (std::uint64_t i = 11; i <= 12; ++i) b.table.enqueue(job(i, service("b")));
  // when jobs are fetched one by one
  Roots all;
  for (int i = 0; i < 5; ++i) all.push_back(b.fetch(request("w", {"a", "b"})).at(0));
  // then the first topic does not starve the second
  EXPECT_EQ(all, (Roots{1, 11, 2, 12, 3}));
}

TEST(JobTable, HigherPriorityGoesFirstAndKeepsItsOrder) {
  // given jobs of five priorities in one topic
  Bench b;
  const std::vector<std::int64_t> priorities = {0, 5, -3, 5, 9, 1, 0};
  for (std::size_t i = 0; i < priorities.size(); ++i) b.table.enqueue(job(i + 1, service("t", exact_policy(), priorities[i])));
  // when all are fetched
  // then by priority, and inside one by arrival
  EXPECT_EQ(b.fetch(request("w", {"t"}, 100)), (Roots{5, 2, 4, 6, 1, 7, 3}));
  // and a priority that had run dry takes jobs again
  b.table.enqueue(job(20, service("t", exact_policy(), 5)));
  b.table.enqueue(job(21, service("t", exact_policy(), 77)));
  EXPECT_EQ(b.fetch(request("w", {"t"}, 100)), (Roots{21, 20}));
}

TEST(JobTable, ALockIsHalfOpen) {
  // given a job locked for 10 s
  Bench b;
  b.table.enqueue(job(1, service("t")));
  b.fetch(lock_of(request("w", {"t"}), 10));
  EXPECT_EQ(b.info(1).deadline, at(10));
  // when the time is just before its deadline, then it is live
  b.advance_to(at(9.999999));
  EXPECT_EQ(b.fetch(request("w2", {"t"})), Roots{});
  // when the time is the deadline, then it has ended
  b.advance_to(at(10));
  EXPECT_EQ(b.fetch(request("w2", {"t"})), Roots{1});
}

TEST(JobTable, EachFetchRaisesTheEpochAndStartsTheCapAnew) {
  // given a job whose lock ran out once
  Bench b;
  b.table.enqueue(job(1, service("t")));
  b.fetch(lock_of(request("w", {"t"}), 10));
  EXPECT_EQ(b.last.at(0).epoch, 1U);
  b.advance_to(at(10));
  // when it is fetched again
  b.fetch(request("w", {"t"}));
  // then the epoch is higher and the first lock is now
  EXPECT_EQ(b.last.at(0).epoch, 2U);
  EXPECT_EQ(b.info(1).first_lock, at(10));
}

// seed: ADR-021 2.4/13
TEST(JobTable, LockDurationIsGivenAtFetchThenByTopicThenByEngine) {
  // given an engine's default, and one topic with its own
  Bench b;
  b.table.set_defaults({Duration::minutes(2), Duration::hours(1)});
  b.table.configure(Topic("own"), {Duration::seconds(7), std::nullopt, std::nullopt});
  for (std::uint64_t i : {1, 2}) b.table.enqueue(job(i, service("own")));
  b.table.enqueue(job(3, service("plain")));
  // when jobs are fetched with and without a duration
  b.fetch(lock_of(request("w", {"own"}), 3));
  b.fetch(request("w", {"own"}));
  b.fetch(request("w", {"plain"}));
  // then the nearest one counts
  EXPECT_EQ(b.info(1).deadline, at(3));
  EXPECT_EQ(b.info(2).deadline, at(7));
  EXPECT_EQ(b.info(3).deadline, at(120));
}

TEST(JobTable, AFirstLockAboveTheCapIsRefusedByName) {
  // given a topic with a cap of 60 s
  Bench b;
  b.table.configure(Topic("t"), {std::nullopt, Duration::seconds(60), std::nullopt});
  b.table.enqueue(job(1, service("t")));
  b.table.enqueue(job(2, service("free")));
  // when a longer lock is asked for, alone or beside other topics
  std::vector<LockedJob> out;
  const Status s = b.table.fetch(lock_of(request("w", {"free", "t"}, 5), 61), b.now, out);
  // then the whole fetch is refused, naming topic and cap, and nothing is locked
  ASSERT_FALSE(s.ok());
  EXPECT_EQ(s.error().code, ErrorCode::LockCapExceeded);
  EXPECT_NE(s.error().message.find("'t'"), std::string::npos);
  EXPECT_NE(s.error().message.find("PT1M"), std::string::npos) << s.error().message;
  EXPECT_TRUE(out.empty());
  EXPECT_EQ(b.metrics("t").cap_hits, 1U);
  EXPECT_EQ(b.metrics("free").locked, 0U);
  // and exactly the cap is granted, never shortened
  EXPECT_EQ(b.fetch(lock_of(request("w", {"t"}), 60)), Roots{1});
  EXPECT_EQ(b.info(1).deadline, at(60));
}

TEST(JobTable, ACapBelowTheDefaultLockRefusesNoBareFetch) {
  // given a topic whose cap is shorter than the engine's default lock
  Bench b;
  b.table.configure(Topic("t"), {std::nullopt, Duration::seconds(60), std::nullopt});
  b.table.enqueue(job(1, service("t")));
  // when a worker names no duration
  b.fetch(request("w", {"t"}));
  // then it gets the cap
  EXPECT_EQ(b.info(1).deadline, at(60));
}

TEST(JobTable, Camunda7HasNoCapUnlessTheModelNamesOne) {
  // given a camunda7 job and a headrace job
  Bench b;
  b.table.enqueue(job(1, service("c7", camunda7_policy())));
  b.table.enqueue(job(2, service("hr")));
  // when both are locked for longer than the engine's cap
  std::vector<LockedJob> out;
  // then only the first may
  EXPECT_TRUE(b.table.fetch(lock_of(request("w", {"c7"}), 86'401), b.now, out).ok());
  EXPECT_EQ(code_of(b.table.fetch(lock_of(request("w", {"hr"}), 86'401), b.now, out)), ErrorCode::LockCapExceeded);
  // and a cap of the topic holds there too
  b.table.configure(Topic("c7"), {std::nullopt, Duration::seconds(10), std::nullopt});
  EXPECT_EQ(code_of(b.table.fetch(lock_of(request("w", {"c7"}), 11), b.now, out)), ErrorCode::LockCapExceeded);
}

TEST(JobTable, AHeadraceJobInATopicOfCamunda7JobsKeepsItsCap) {
  // given a topic with jobs of both profiles
  Bench b;
  b.table.enqueue(job(1, service("t")));
  b.table.enqueue(job(2, service("t", camunda7_policy())));
  // when a lock above the headrace cap is asked for
  std::vector<LockedJob> out;
  const Status s = b.table.fetch(lock_of(request("w", {"t"}), 86'401), b.now, out);
  // then the first job refuses it
  EXPECT_EQ(code_of(s), ErrorCode::LockCapExceeded);
  EXPECT_EQ(b.info(1).state, JobState::Queued);
}

// seed: ADR-021 2.4/9
// seed: ADR-021 2.4/10
// seed: ADR-021 2.4/11
TEST(JobTable, ExtensionNeedsTheHolderALiveLockAndTheCap) {
  // given a lock of 10 s under a cap of 30 s
  Bench b;
  b.table.configure(Topic("t"), {std::nullopt, Duration::seconds(30), std::nullopt});
  b.table.enqueue(job(1, service("t")));
  b.fetch(lock_of(request("w", {"t"}), 10));
  const auto extend = [&](const ReportTarget& t, double s) {
    return b.table.extend(t, Duration::seconds(static_cast<std::int64_t>(s)), b.now);
  };
  // when others, or the holder with a wrong epoch, extend it, then they are refused
  EXPECT_EQ(extend(by("x", 1), 10).error().code, ErrorCode::NotLockHolder);
  EXPECT_EQ(extend(by("w", 1, 2), 10).error().code, ErrorCode::NotLockHolder);
  EXPECT_EQ(extend(by("w", 9), 10).error().code, ErrorCode::JobNotFound);
  EXPECT_EQ(extend(by("w", 1), 0).error().code, ErrorCode::Validation);
  // when the holder extends it, then the deadline is now + duration
  b.now = at(5);
  EXPECT_EQ(*extend(by("w", 1, 1), 20), at(25));
  // and the cap counts from the first lock: refused above, granted exactly
  EXPECT_EQ(extend(by("w", 1), 26).error().code, ErrorCode::LockCapExceeded);
  EXPECT_EQ(b.info(1).deadline, at(25));
  EXPECT_EQ(*extend(by("w", 1), 25), at(30));
  EXPECT_EQ(b.metrics("t").cap_hits, 1U);
  EXPECT_EQ(b.metrics("t").extensions, 2U);
  // when its lock has ended, booked or not, then it cannot be extended
  b.now = at(30);
  EXPECT_EQ(extend(by("w", 1), 1).error().code, ErrorCode::LockExpired);
  b.advance_to(at(30));
  EXPECT_EQ(extend(by("w", 1), 1).error().code, ErrorCode::LockExpired);
}

// seed: ADR-021 2.4/14
TEST(JobTable, AnUnboundedCapNeverRefuses) {
  // given a topic without a bound
  Bench b;
  b.table.configure(Topic("t"), {std::nullopt, Duration::max(), std::nullopt});
  b.table.enqueue(job(1, service("t")));
  b.fetch(request("w", {"t"}));
  // when the lock is extended as far as a duration goes
  // then it is granted
  EXPECT_TRUE(b.table.extend(by("w", 1), kMaxDuration, b.now).ok());
}

TEST(JobTable, UnlockQueuesTheJobAtOnceAtNoCost) {
  // given two jobs, the first one locked
  Bench b;
  b.table.enqueue(job(1, service("t")));
  b.table.enqueue(job(2, service("t")));
  b.fetch(request("w", {"t"}));
  // when others unlock it, then they are refused
  EXPECT_EQ(code_of(b.table.unlock(by("x", 1), b.now)), ErrorCode::NotLockHolder);
  EXPECT_EQ(code_of(b.table.unlock(by("w", 9), b.now)), ErrorCode::JobNotFound);
  // when its holder hands it back a second later
  b.now = at(1);
  EXPECT_TRUE(b.table.unlock(by("w", 1), b.now).ok());
  // then it is fetchable again, behind what became fetchable before, and has lost no attempt
  EXPECT_EQ(b.info(1).state, JobState::Queued);
  EXPECT_EQ(b.info(1).retries, std::nullopt);
  EXPECT_EQ(b.fetch(request("w2", {"t"}, 2)), (Roots{2, 1}));
  EXPECT_EQ(b.last.at(1).attempt, 1);
  // and there is no holder: neither the old one's report nor its second unlock is taken
  EXPECT_TRUE(b.table.unlock(by("w2", 1), b.now).ok());
  EXPECT_EQ(code_of(b.complete(by("w2", 1))), ErrorCode::NotLockHolder);
  EXPECT_EQ(code_of(b.table.unlock(by("w2", 1), b.now)), ErrorCode::NotLockHolder);
}

TEST(JobTable, JobsThatWereNeverDeliveredTakeTheirPlaceAgain) {
  // given a job that was locked for a poller which has gone away
  Bench b;
  b.table.enqueue(job(1, service("t")));
  b.fetch(request("w", {"t"}));
  b.now = at(1);
  b.table.enqueue(job(2, service("t"), at(1)));
  // when it is handed back
  b.table.hand_back(key(1), 1);
  // then it comes first again, with all its attempts
  EXPECT_EQ(b.fetch(request("w", {"t"}, 2)), (Roots{1, 2}));
  EXPECT_EQ(b.last.at(0).attempt, 1);
  // and an old epoch hands nothing back
  b.table.hand_back(key(1), 1);
  EXPECT_EQ(b.info(1).state, JobState::Locked);
}

TEST(JobTable, ARetriedJobDoesNotOvertakeWhatWaitedBefore) {
  // given an older job that failed and a newer one that waits since
  Bench b;
  b.table.enqueue(job(1, service("t")));
  b.fetch(request("w", {"t"}));
  EXPECT_TRUE(b.report(by("w", 1), failure("no")).ok());
  b.now = at(0.4);
  b.table.enqueue(job(2, service("t"), at(0.4)));
  b.now = at(0.6);
  b.table.enqueue(job(3, service("t"), at(0.6)));
  // when the older one's back-off of 500 ms has ended
  b.advance_to(at(0.7));
  // then it stands by the time it became fetchable, though it was booked later
  EXPECT_EQ(b.fetch(request("w", {"t"}, 3)), (Roots{2, 1, 3}));
}

TEST(JobTable, OfTwoJobsThatBecomeFetchableAtOnceTheEarlierArrivalIsFirst) {
  // given two locked jobs
  Bench b;
  b.table.enqueue(job(1, service("t")));
  b.table.enqueue(job(2, service("t")));
  b.fetch(request("w", {"t"}, 2));
  // when they are handed back in one moment, the newer one first
  EXPECT_TRUE(b.table.unlock(by("w", 2), b.now).ok());
  EXPECT_TRUE(b.table.unlock(by("w", 1), b.now).ok());
  // then they come by arrival
  EXPECT_EQ(b.fetch(request("w", {"t"}, 2)), (Roots{1, 2}));
}

TEST(JobTable, FetchRequestsAreCheckedByField) {
  struct Row {
    FetchRequest request;
    std::string field, found;
  };
  std::vector<std::string> many;
  for (int i = 0; i < 1001; ++i) many.push_back("t" + std::to_string(i));
  FetchRequest long_lock = request("w", {"t"});
  long_lock.lock_duration = kMaxDuration + Duration::micros(1);
  // given bad requests
  const std::vector<Row> rows = {
      {request("", {"t"}), "worker", "empty"},
      {request(std::string(256, 'w'), {"t"}), "worker", "256"},
      {request("w", {}), "topics", "0"},
      {request("w", many), "topics", "1001"},
      {request("w", {"t", "u", "t"}), "topics", "'t' twice"},
      {request("w", {""}), "topics", "empty"},
      {request("w", {"t"}, 0), "max_jobs", "0"},
      {request("w", {"t"}, 10'001), "max_jobs", "10001"},
      {lock_of(request("w", {"t"}), 0), "lock_duration", "PT0S"},
      {lock_of(request("w", {"t"}), -1), "lock_duration", "-"},
      {long_lock, "lock_duration", "P36600D"},
  };
  for (const Row& row : rows) {
    // when they are checked
    const Status s = Table::check(row.request);
    // then the error names the field and what was found
    ASSERT_FALSE(s.ok()) << row.field;
    EXPECT_EQ(s.error().code, ErrorCode::Validation);
    EXPECT_EQ(s.error().message.rfind(row.field + ":", 0), 0U) << s.error().message;
    EXPECT_NE(s.error().message.find(row.found), std::string::npos) << s.error().message;
  }
  EXPECT_TRUE(Table::check(request(std::string(255, 'w'), {"t", "u"}, 10'000)).ok());
}

TEST(JobTable, MaxQueuedRefusesOnlyAboveTheLimit) {
  // given a topic for two waiting jobs
  Bench b;
  b.table.configure(Topic("t"), {std::nullopt, std::nullopt, 2});
  EXPECT_TRUE(b.table.accepts(Topic("t")));
  EXPECT_TRUE(b.table.accepts(Topic("unknown")));
  // when it is full
  for (std::uint64_t i : {1, 2}) b.table.enqueue(job(i, service("t")));
  EXPECT_FALSE(b.table.accepts(Topic("t")));
  // then a token on its way is queued all the same
  EXPECT_TRUE(b.table.enqueue(job(3, service("t"))));
  EXPECT_EQ(b.table.queued(Topic("t")), 3U);
  // and a fetch makes room
  b.fetch(request("w", {"t"}, 2));
  EXPECT_TRUE(b.table.accepts(Topic("t")));
}

TEST(JobTable, WithdrawCancelsAJobInEachState) {
  // given a job queued, locked, backing off, in an incident
  Bench b;
  for (std::uint64_t i = 1; i <= 4; ++i) b.table.enqueue(job(i, service("t")));
  b.fetch(request("w", {"t"}, 3));
  EXPECT_TRUE(b.report(by("w", 2), failure("no")).ok());
  EXPECT_TRUE(b.report(by("w", 3), failure("no", 0)).ok());
  // when the activity is gone
  for (std::uint64_t i = 1; i <= 4; ++i) {
    Job gone;
    EXPECT_EQ(b.table.withdraw(key(i), gone), Withdrawn::Cancelled);
    EXPECT_EQ(gone.key, key(i));
  }
  // then no fetch finds them, reports get JobNotFound, and a second withdraw is fine
  b.advance_to(at(1000));
  EXPECT_EQ(b.fetch(request("w", {"t"}, 10)), Roots{});
  EXPECT_EQ(code_of(b.complete(by("w", 1))), ErrorCode::JobNotFound);
  Job none;
  EXPECT_EQ(b.table.withdraw(key(1), none), Withdrawn::Unknown);
  EXPECT_EQ(b.metrics("t").cancelled, 4U);
}

TEST(JobTable, AnOpenContractSeesTheVariablesPublishedLast) {
  // given a queued job
  Bench b;
  b.table.enqueue(job(1, service("t")));
  // when the instance publishes new variables
  b.table.publish(key(1), VariableView(block({{"x", Value(7)}})));
  b.table.publish(key(99), VariableView());
  // then the fetch gives them
  b.fetch(request("w", {"t"}));
  EXPECT_EQ(value_of(b.last.at(0).job.view.own()), map_value({{"x", Value(7)}}));
}

TEST(JobTable, NamesOfPollersDoNotPileUp) {
  // given a job that is fetched and handed back under ever new worker names
  Bench b;
  b.table.enqueue(job(1, service("t")));
  for (int i = 0; i < 5000; ++i) {
    const std::string name = "worker-" + std::to_string(i);
    b.now = b.now + Duration::millis(1);
    ASSERT_EQ(b.fetch(request(name, {"t"})), Roots{1});
    ASSERT_TRUE(b.table.unlock(by(name, 1), b.now).ok());
  }
  // when the last one reports
  b.fetch(request("last", {"t"}));
  // then its name is known and the others are not
  EXPECT_EQ(b.info(1).worker.str(), "last");
  EXPECT_EQ(code_of(b.complete(by("worker-4999", 1))), ErrorCode::NotLockHolder);
  EXPECT_TRUE(b.complete(by("last", 1)).ok());
}

}  // namespace
}  // namespace headrace::jobs::test
