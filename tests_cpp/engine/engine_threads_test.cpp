// Many threads on one engine: nothing is lost, nothing counts twice, exactly one of two rivals wins and the other is told
// (invariants J5, J10, J13).

#include "engine/threads.hpp"

namespace headrace::engine::testing {
namespace {

class EngineThreads : public OnEveryStore {
 protected:
  // Stores that answer later take a hand-off for each commit.
  int scaled(int n) const { return answers_at_once(GetParam()) ? n : n / 20; }
};

std::unique_ptr<Engine> real_time(EngineOptions o, std::size_t shards) {
  o.threads = 2;
  o.shards = shards;
  return *Engine::create(std::move(o));
}

// Completes what it can fetch until `open` jobs are done; returns the errors it was told.
std::vector<Error> work(Engine& engine, const std::string& name, std::atomic<int>& open) {
  std::vector<Error> told;
  jobs::FetchRequest r;
  r.worker = WorkerId(name);
  r.topics = {Topic("charge-card")};
  r.max_jobs = 20;
  while (open > 0) {
    const auto found = engine.dispatcher().fetch_and_lock(r, Duration::millis(20));
    if (!found.ok()) {
      told.push_back(found.error());
      return told;
    }
    for (const jobs::LockedJob& j : *found) {
      const Status done =
          engine.dispatcher().report(HandDriven::target(j), jobs::ReportComplete{block({{"receiptId", Value("r")}}), {}});
      if (!done.ok()) told.push_back(done.error());
      --open;
    }
  }
  return told;
}

std::vector<InstanceRef> start_many(Engine& engine, int n) {
  std::vector<InstanceRef> started;
  for (int i = 0; i < n; ++i) started.push_back(*engine.start("order", block({{"amount", Value(i)}})));
  return started;
}

void expect_all_done(const Engine& engine, std::uint64_t n) {
  const EngineMetrics m = engine.metrics();
  EXPECT_EQ(m.instances_started, n);
  EXPECT_EQ(m.instances_completed, n);
  EXPECT_EQ(m.instances_active, 0U);
  ASSERT_EQ(m.queue.topics.size(), 1U);
  EXPECT_EQ(m.queue.topics[0].enqueued, n);
  EXPECT_EQ(m.queue.topics[0].fetched, n);
  EXPECT_EQ(m.queue.topics[0].completed, n);
  EXPECT_EQ(m.queue.topics[0].reports, n);
}

TEST_P(EngineThreads, AJobThatIsCompletedInTheMomentOfItsStartIsCompletedOnce) {
  // given
  const std::unique_ptr<Engine> engine = real_time(on(GetParam()), 0);
  ASSERT_TRUE(engine->deploy(built(pay_model())).ok());
  const int n = scaled(10'000);
  std::atomic<int> open{n};
  std::vector<Error> told;
  std::vector<InstanceRef> started;
  // when
  at_once([&] { told = work(*engine, "w1", open); }, [&] { started = start_many(*engine, n); });
  // then
  EXPECT_TRUE(told.empty()) << told[0].message;
  for (const InstanceRef& i : started) ASSERT_EQ(engine->state_of(i), core::InstanceState::Completed) << Engine::root_of(i);
  expect_all_done(*engine, static_cast<std::uint64_t>(n));
}

// seed: SRD-036 TestThresherReportJobCompletionRoutes
// seed: SRD-036 TestReportJobCompletionRoutesToParkedTrack
TEST_P(EngineThreads, StartersAndWorkersOnManyShardsEndEveryInstanceOnce) {
  // given
  const std::unique_ptr<Engine> engine = real_time(on(GetParam()), 16);
  ASSERT_TRUE(engine->deploy(built(pay_model())).ok());
  const int n = scaled(2'000);
  std::atomic<int> open{2 * n};
  std::vector<Error> told1, told2;
  std::vector<InstanceRef> a, b;
  // when
  at_once([&] { a = start_many(*engine, n); }, [&] { told1 = work(*engine, "w1", open); }, [&] { b = start_many(*engine, n); },
          [&] { told2 = work(*engine, "w2", open); });
  // then
  EXPECT_TRUE(told1.empty() && told2.empty());
  for (const InstanceRef& i : a) ASSERT_EQ(engine->state_of(i), core::InstanceState::Completed);
  for (const InstanceRef& i : b) ASSERT_EQ(engine->state_of(i), core::InstanceState::Completed);
  EXPECT_EQ(read(engine->snapshot(a[0])->variables, "amount"), Value(0));
  expect_all_done(*engine, 2 * static_cast<std::uint64_t>(n));
}

TEST_P(EngineThreads, OfCancelAndReportExactlyOneWinsAndTheOtherIsTold) {
  // given
  Threaded t(on(GetParam()));
  t.deploy(Model().start().task("pay", worker_task("charge-card")).end().path({"start", "pay", "end"}));
  const int rounds = scaled(2'000);
  int reported = 0;
  for (int round = 0; round < rounds; ++round) {
    const InstanceRef instance = t.start();
    const jobs::LockedJob job = t.fetch_one("charge-card");
    Status cancel = Ok{}, report = Ok{};
    // when
    at_once([&] { cancel = t.engine->cancel(instance, "too late"); }, [&] { report = t.complete(job); });
    // then
    ASSERT_NE(cancel.ok(), report.ok()) << "round " << round;
    if (report.ok()) {
      ++reported;
      ASSERT_EQ(cancel.error().code, ErrorCode::Conflict);
      ASSERT_EQ(t.engine->state_of(instance), core::InstanceState::Completed);
    } else {
      ASSERT_EQ(report.error().code, ErrorCode::JobNotFound);
      ASSERT_EQ(t.engine->state_of(instance), core::InstanceState::Cancelled);
    }
    ASSERT_EQ(t.fetchable("charge-card"), 0U);
  }
  EXPECT_EQ(t.engine->metrics().instances_completed, static_cast<std::uint64_t>(reported));
  EXPECT_EQ(t.engine->metrics().instances_cancelled, static_cast<std::uint64_t>(rounds - reported));
}

TEST_P(EngineThreads, OfABoundaryTimerAndAReportExactlyOneWinsAndTheReporterIsTold) {
  // given
  Threaded t(on(GetParam()));
  t.deploy(timed_pay("PT10S"));
  for (int round = 0; round < scaled(1'000); ++round) {
    const InstanceRef instance = t.start();
    const jobs::LockedJob job = t.fetch_one("charge-card");
    Status report = Ok{};
    // when
    at_once([&] { ASSERT_TRUE(t.engine->advance(Duration::seconds(10)).ok()); }, [&] { report = t.complete(job); });
    // then
    ASSERT_TRUE(t.ends(instance));
    const InstanceSnapshot s = t.look(instance);
    ASSERT_EQ(count_of(s, "pay"), report.ok() ? "1/0" : "0/1") << "round " << round;
    ASSERT_EQ(count_of(s, "gave_up"), report.ok() ? "0/0" : "1/0");
    if (!report.ok()) {
      ASSERT_EQ(report.error().code, ErrorCode::JobNotFound);
    }
    ASSERT_EQ(t.fetchable("charge-card"), 0U);
  }
}

TEST_P(EngineThreads, TheSameReportFromAHundredThreadsTakesEffectOnce) {
  // given
  Threaded t(on(GetParam()));
  t.deploy(Model().start().task("pay", worker_task("charge-card")).user("after").end().path({"start", "pay", "after", "end"}));
  const InstanceRef instance = t.start();
  const jobs::LockedJob job = t.fetch_one("charge-card");
  std::barrier start(100);
  std::atomic<int> taken{0};
  std::vector<std::thread> reporters;
  // when
  for (int i = 0; i < 100; ++i) {
    reporters.emplace_back([&, i] {
      start.arrive_and_wait();
      if (t.complete(job, block({{"by", Value(i)}})).ok()) ++taken;
    });
  }
  for (std::thread& r : reporters) r.join();
  // then
  EXPECT_EQ(taken, 1);
  const InstanceSnapshot s = t.look(instance);
  EXPECT_EQ(where(s), "after:user");
  EXPECT_EQ(count_of(s, "pay"), "1/0");
  EXPECT_EQ(t.engine->metrics().queue.topics[0].completed, 1U);
}

TEST_P(EngineThreads, AWaitWakesWhenItsInstanceEndsOrRests) {
  // given
  const std::unique_ptr<Engine> engine = real_time(on(GetParam()), 4);
  const auto gate = std::make_shared<Gate>();
  const auto stands = functor(
      [gate](const model::OperationCall&) -> model::OperationResult {
        gate->stand();
        return model::OperationOutput{};
      },
      false);
  ASSERT_TRUE(engine
                  ->deploy(built(
                      Model().start().task("look", in_process(stands)).user("sign").end().path({"start", "look", "sign", "end"})))
                  .ok());
  const InstanceRef instance = *engine->start("order", {});
  const auto rests = engine->start_wait(instance, Until::Idle);
  const auto ends = engine->start_wait(instance, Until::Ended);
  EXPECT_FALSE(rests->wait(Duration{}));
  // when
  gate->open();
  // then
  EXPECT_TRUE(rests->wait(kLong));
  EXPECT_FALSE(ends->wait(Duration{}));
  at_once([&] { EXPECT_TRUE(ends->wait(kLong)); }, [&] { EXPECT_TRUE(engine->complete_user_task(instance, "sign", {}).ok()); });
  EXPECT_TRUE(engine->start_wait(instance, Until::Ended)->wait(kLong));
}

TEST_P(EngineThreads, CloseWakesAllWaitsAndRefusesCalls) {
  // given
  std::unique_ptr<Engine> engine = real_time(on(GetParam()), 4);
  ASSERT_TRUE(engine->deploy(built(pay_model())).ok());
  const InstanceRef instance = *engine->start("order", {});
  const auto registered = engine->start_wait(instance, Until::Ended);
  jobs::FetchRequest other;
  other.worker = WorkerId("w1");
  other.topics = {Topic("nothing-there")};
  Result<std::vector<jobs::LockedJob>> fetched = std::vector<jobs::LockedJob>();
  bool woken = false;
  // when
  at_once([&] { woken = registered->wait(kLong); }, [&] { fetched = engine->dispatcher().fetch_and_lock(other, kLong); },
          [&] { engine->close(); });
  // then
  EXPECT_TRUE(woken);
  ASSERT_FALSE(fetched.ok());
  EXPECT_EQ(fetched.error().code, ErrorCode::Closed);
  EXPECT_EQ(engine->start("order", {}).error().code, ErrorCode::Closed);
  EXPECT_EQ(engine->cancel(instance, "").error().code, ErrorCode::Closed);
  EXPECT_EQ(engine->deploy(built(pay_model())).error().code, ErrorCode::Closed);
  EXPECT_EQ(engine->dispatcher().report({{1, 1, 1, 1}, WorkerId("w1"), {}}, jobs::ReportComplete{}).ok(), false);
  EXPECT_TRUE(engine->closed());
  // and a wait may outlive the engine
  const auto late = engine->start_wait(instance, Until::Ended);
  engine.reset();
  EXPECT_TRUE(registered->wait(kLong));
  EXPECT_TRUE(late->wait(kLong));
}

TEST_P(EngineThreads, ALongDrainIsHandedToTheTaskThreadsAndItsCallerGoesOn) {
  // given: 5,000 reports wait behind a step that stands still, another one comes while the last of them is answered
  const auto holder = std::make_shared<IdleDispatcher>();
  EngineOptions o = on(GetParam());
  o.dispatcher = holder;
  o.shards = 1;
  Threaded t(std::move(o), 1);
  Gate in_step, in_answer;
  const auto stands = functor([&](const model::OperationCall&) -> model::OperationResult {
    in_step.stand();
    return model::OperationOutput{};
  });
  t.deploy(Model().start().task("s", in_process(stands)).end().path({"start", "s", "end"}));
  const jobs::WorkerOutcome unknown{{999'999, 999'999, 1, 1}, jobs::OutcomeCompleted{}};
  std::thread::id drained_by, handed_to;
  std::latch answered(1);
  std::thread starter([&] { (void)t.start(); });
  in_step.wait_for(1);
  for (int i = 1; i < 5'000; ++i) holder->sink->report_job_completion(unknown, [](Status) {});
  holder->sink->report_job_completion(unknown, [&](Status s) {
    EXPECT_EQ(s.error().code, ErrorCode::JobNotFound);
    drained_by = std::this_thread::get_id();
    in_answer.stand();
  });
  // when
  in_step.open();
  in_answer.wait_for(1);
  holder->sink->report_job_completion(unknown, [&](Status) {
    handed_to = std::this_thread::get_id();
    answered.count_down();
  });
  in_answer.open();
  answered.wait();
  // then
  EXPECT_NE(handed_to, drained_by);
  starter.join();
}

TEST_P(EngineThreads, NoMoreThanMaxInstancesAreStartedAtOnce) {
  // given
  EngineOptions o = on(GetParam());
  o.max_instances = 10;
  Threaded t(std::move(o));
  t.deploy(Model().start().task("pay", worker_task("charge-card")).end().path({"start", "pay", "end"}));
  std::atomic<int> started{0};
  const auto starter = [&] {
    for (int i = 0; i < 20; ++i) started += t.engine->start("order", {}).ok() ? 1 : 0;
  };
  // when
  at_once(starter, starter, starter, starter);
  // then
  EXPECT_EQ(started, 10);
  EXPECT_EQ(t.engine->metrics().instances_active, 10U);
}

INSTANTIATE_TEST_SUITE_P(Stores, EngineThreads, ::testing::ValuesIn(every_threaded_store()), store_name);

}  // namespace
}  // namespace headrace::engine::testing
