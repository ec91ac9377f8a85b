// In-process operations on real task threads, time by hand (ADR-021 2.9): time limits, interrupts, stuck threads and their
// replacements, waits.

#include "engine/threads.hpp"

namespace headrace::engine::testing {
namespace {

class OperationThreads : public OnEveryStore {};

// Stands at the gate, whatever it is told. Its parts outlive the test where a thread does.
struct Blocking {
  struct Parts {
    Gate gate;
    std::shared_ptr<const std::atomic<bool>> told;
  };
  std::shared_ptr<Parts> parts = std::make_shared<Parts>();
  model::OperationPtr operation() const {
    return functor(
        [parts = parts](const model::OperationCall& c) -> model::OperationResult {
          parts->told = c.cancelled;
          parts->gate.stand();
          return model::OperationOutput{block({{"late", Value(true)}})};
        },
        false);
  }
  Gate& gate() const { return parts->gate; }
  bool cancelled() const { return *parts->told; }
};

Model stuck_model(const model::OperationPtr& operation, std::optional<Duration> timeout) {
  model::ServiceTaskConfig task = in_process(operation);
  task.options.timeout = timeout;
  return Model().start().task("pay", std::move(task)).end().path({"start", "pay", "end"});
}

// seed: ADR-021 2.1/3
// seed: ADR-021 2.9/1
// seed: ADR-021 2.9/4
// seed: ADR-021 2.9/6
TEST_P(OperationThreads, ATimeLimitEndsTheTaskWhileItsThreadIsStuckAndDropsTheLateResult) {
  // given
  Blocking host;
  Threaded t(on(GetParam()));
  t.deploy(stuck_model(host.operation(), Duration::seconds(5)));
  const InstanceRef instance = t.start();
  host.gate().wait_for(1);
  // when
  t.advance(Duration::seconds(5));
  ASSERT_TRUE(t.rests(instance));
  // then: the engine has moved on
  const InstanceSnapshot s = t.look(instance);
  ASSERT_EQ(s.incidents.size(), 1U);
  EXPECT_EQ(s.incidents[0].kind, "failedOperation");
  EXPECT_EQ(s.incidents[0].code, Value("timeout"));
  EXPECT_TRUE(host.cancelled());
  EXPECT_EQ(t.engine->metrics().operations_timed_out, 1U);
  EXPECT_EQ(t.engine->metrics().threads_stuck, 1U);
  EXPECT_EQ(t.engine->metrics().operations_late, 0U);
  // and when it comes back, its result is dropped and counted, and the replacement ends
  host.gate().open();
  t.engine->close();
  EXPECT_EQ(t.engine->metrics().operations_late, 1U);
  EXPECT_EQ(t.engine->metrics().threads_stuck, 0U);
  EXPECT_EQ(read(t.look(instance).variables, "late"), Value("<absent>"));
}

TEST_P(OperationThreads, TheOnlyThreadMayBeStuckAndItsReplacementRunsTheNext) {
  // given
  Blocking host;
  Threaded t(on(GetParam()), 1);
  t.deploy(stuck_model(host.operation(), Duration::seconds(5)));
  const InstanceRef stuck = t.start();
  host.gate().wait_for(1);
  model::ServiceTaskConfig quick =
      in_process(functor([](const model::OperationCall&) -> model::OperationResult { return model::OperationOutput{}; }, false));
  const auto deployed = t.engine->deploy(
      built(Model(policy::Profile::Headrace, "quick").start().task("q", std::move(quick)).end().path({"start", "q", "end"})));
  ASSERT_TRUE(deployed.ok());
  const InstanceRef next = *t.engine->start("quick", {});
  // when
  t.advance(Duration::seconds(5));
  // then
  EXPECT_TRUE(t.ends(next));
  EXPECT_TRUE(t.rests(stuck));
  EXPECT_EQ(t.look(stuck).incidents.size(), 1U);
  host.gate().open();
}

// seed: ADR-021 2.9/2
// seed: ADR-021 2.9/5
TEST_P(OperationThreads, ABoundaryTimerInterruptsAnOperationThatDoesNotListen) {
  // given
  Blocking host;
  Threaded t(on(GetParam()));
  t.deploy(Model()
               .start()
               .task("pay", in_process(host.operation()))
               .end()
               .timer("late", "pay", "PT10S")
               .end("gave_up")
               .path({"start", "pay", "end"})
               .path({"late", "gave_up"}));
  const InstanceRef instance = t.start();
  host.gate().wait_for(1);
  EXPECT_FALSE(host.cancelled());
  // when
  t.advance(Duration::seconds(10));
  // then: it is told, and only it can make that true
  ASSERT_TRUE(t.ends(instance));
  EXPECT_EQ(count_of(t.look(instance), "gave_up"), "1/0");
  EXPECT_TRUE(host.cancelled());
  host.gate().open();
}

TEST_P(OperationThreads, CancellingTheInstanceTellsTheOperationAndReplacesItsThread) {
  // given
  Blocking host;
  Threaded t(on(GetParam()), 1);
  t.deploy(stuck_model(host.operation(), std::nullopt));
  const InstanceRef instance = t.start();
  host.gate().wait_for(1);
  // when
  ASSERT_TRUE(t.engine->cancel(instance, "enough").ok());
  // then
  EXPECT_TRUE(host.cancelled());
  EXPECT_EQ(t.engine->metrics().threads_stuck, 1U);
  host.gate().open();
  t.engine->close();
  EXPECT_EQ(t.engine->metrics().operations_late, 1U);
  EXPECT_EQ(t.engine->metrics().threads_stuck, 0U);
  EXPECT_EQ(t.engine->state_of(instance), core::InstanceState::Cancelled);
}

TEST_P(OperationThreads, AThreadThatOutlivesTheEngineTouchesNothingOfIt) {
  // given: a latch that falls when the thread has let go of everything
  const auto let_go = std::make_shared<std::latch>(1);
  const auto gate = std::make_shared<Gate>();
  auto t = std::make_unique<Threaded>(on(GetParam()), 1);
  {
    const std::shared_ptr<void> held(nullptr, [let_go](void*) { let_go->count_down(); });
    t->deploy(stuck_model(functor(
                              [gate, held](const model::OperationCall&) -> model::OperationResult {
                                gate->stand();
                                return model::OperationOutput{};
                              },
                              false),
                          Duration::seconds(5)));
  }
  (void)t->start();
  gate->wait_for(1);
  // when: close() leaves the stuck thread behind
  t.reset();
  gate->open();
  // then: it ends, and nothing that is gone is touched (the address sanitizer looks)
  let_go->wait();
}

TEST_P(OperationThreads, AWaitOnATaskThreadGetsAReplacementUntilNoneIsLeft) {
  // given: `first` waits for an instance of `second`, which runs on the replacement and finds none for itself
  EngineOptions o = on(GetParam());
  o.max_stuck_threads = 1;
  Threaded t(std::move(o), 1);
  Engine& engine = *t.engine;
  std::atomic<int> refused{-1};
  std::atomic<bool> waited{false};
  const auto second = functor(
      [&](const model::OperationCall&) -> model::OperationResult {
        const Status s = engine.begin_blocking();
        refused = s.ok() ? 0 : static_cast<int>(s.error().code);
        if (s.ok()) engine.end_blocking();
        return model::OperationOutput{};
      },
      false);
  const auto first = functor(
      [&](const model::OperationCall&) -> model::OperationResult {
        const InstanceRef other = *engine.start("second", {});
        if (!engine.begin_blocking().ok()) return fault(Value(), "no replacement");
        waited = engine.start_wait(other, Until::Ended)->wait(kLong);
        engine.end_blocking();
        return model::OperationOutput{};
      },
      false);
  ASSERT_TRUE(
      engine
          .deploy(built(
              Model(policy::Profile::Headrace, "second").start().task("s", in_process(second)).end().path({"start", "s", "end"})))
          .ok());
  t.deploy(Model().start().task("f", in_process(first)).end().path({"start", "f", "end"}));
  // when
  const InstanceRef instance = t.start();
  // then
  EXPECT_TRUE(t.ends(instance));
  EXPECT_EQ(engine.state_of(instance), core::InstanceState::Completed);
  EXPECT_TRUE(waited);
  EXPECT_EQ(refused, static_cast<int>(ErrorCode::WouldDeadlock));
  EXPECT_EQ(engine.metrics().threads_stuck, 0U);
}

TEST_P(OperationThreads, CloseWakesATaskThreadThatWaitsForAnInstance) {
  // given
  Gate waiting;
  std::atomic<bool> woken{false};
  Threaded t(on(GetParam()));
  Engine& engine = *t.engine;
  ASSERT_TRUE(engine.deploy(built(pay_model())).ok());
  const InstanceRef parked = t.start();
  const auto waits = functor(
      [&](const model::OperationCall&) -> model::OperationResult {
        const std::shared_ptr<InstanceWaiter> waiter = engine.start_wait(parked, Until::Ended);
        waiting.open();
        woken = waiter->wait(kLong);
        return model::OperationOutput{};
      },
      false);
  ASSERT_TRUE(
      engine
          .deploy(built(
              Model(policy::Profile::Headrace, "waits").start().task("w", in_process(waits)).end().path({"start", "w", "end"})))
          .ok());
  ASSERT_TRUE(engine.start("waits", {}).ok());
  waiting.stand();
  // when
  engine.close();
  // then: it was not left behind
  EXPECT_TRUE(woken);
}

TEST_P(OperationThreads, ACallThatWouldWaitInsideAStepIsRefused) {
  // given
  Threaded t(on(GetParam()));
  Engine& engine = *t.engine;
  ASSERT_TRUE(engine.deploy(built(pay_model())).ok());
  const InstanceRef parked = t.start();
  const jobs::LockedJob held = t.fetch_one("charge-card");
  std::vector<ErrorCode> codes;
  std::size_t listed = 99;
  const auto nosy = functor([&](const model::OperationCall&) -> model::OperationResult {
    const auto note = [&codes](const auto& result) { codes.push_back(result.ok() ? ErrorCode::Internal : result.error().code); };
    note(engine.start("order", {}));
    note(engine.snapshot(parked));
    note(engine.instance(Engine::root_of(parked)));
    note(engine.cancel(parked, ""));
    note(engine.set_variables(parked, {}));
    note(engine.complete_user_task(parked, "pay", {}));
    note(engine.incident("1:1"));
    note(engine.remap_incident("1:1"));
    note(engine.run_until_idle());
    note(engine.begin_blocking());
    note(t.complete(held));
    for (const std::optional<Error>& e : engine.dispatcher().complete_many({{Threaded::target(held), {}}}))
      codes.push_back(e ? e->code : ErrorCode::Internal);
    listed = engine.incidents().size() + engine.instances({}).size();
    return model::OperationOutput{};
  });
  ASSERT_TRUE(
      engine
          .deploy(built(
              Model(policy::Profile::Headrace, "nosy").start().task("n", in_process(nosy)).end().path({"start", "n", "end"})))
          .ok());
  // when
  const auto instance = engine.start("nosy", {});
  // then
  ASSERT_TRUE(instance.ok());
  EXPECT_TRUE(t.ends(*instance));
  ASSERT_GE(codes.size(), 12U);  // a step that another instance made into a conflict runs again
  EXPECT_EQ(codes, std::vector<ErrorCode>(codes.size(), ErrorCode::WouldDeadlock));
  EXPECT_EQ(listed, 0U);
  EXPECT_EQ(engine.state_of(parked), core::InstanceState::Active);
  // and the job whose report was refused can still be reported
  EXPECT_TRUE(t.complete(held).ok());
  EXPECT_TRUE(t.ends(parked));
}

INSTANTIATE_TEST_SUITE_P(Stores, OperationThreads, ::testing::ValuesIn(every_threaded_store()), store_name);

}  // namespace
}  // namespace headrace::engine::testing
