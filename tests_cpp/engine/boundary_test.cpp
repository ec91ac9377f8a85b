// Boundary events at the engine: timers fire by advance() at their due time with the clock there; what they interrupt is
// withdrawn in the same commit.

#include "engine/fixture.hpp"

namespace headrace::engine::testing {
namespace {

using policy::Profile;

class Boundary : public OnEveryStore {};

TEST_P(Boundary, ATimerFiresAtItsDueTimeWithTheClockThere) {
  // given: what follows the timer writes down the time
  HandDriven h(on(GetParam()));
  Instant fired;
  const auto clock = h.clock;
  const auto note = functor([&fired, clock](const model::OperationCall&) -> model::OperationResult {
    fired = clock->now();
    return model::OperationOutput{};
  });
  h.deploy(Model()
               .start()
               .task("pay", worker_task("charge-card"))
               .end()
               .timer("late", "pay", "PT10S")
               .task("note", in_process(note))
               .path({"start", "pay", "end"})
               .path({"late", "note"}));
  const InstanceRef instance = h.start();
  ASSERT_EQ(h.look(instance).timers.size(), 1U);
  EXPECT_EQ(h.look(instance).timers[0].due, kStart + Duration::seconds(10));
  // when
  h.advance(Duration::hours(1));
  // then
  EXPECT_EQ(fired, kStart + Duration::seconds(10));
  EXPECT_EQ(h.engine->now(), kStart + Duration::hours(1));
  EXPECT_EQ(h.engine->metrics().timers_fired, 1U);
}

TEST_P(Boundary, ATimerDoesNotFireAMicrosecondEarly) {
  // given
  HandDriven h(on(GetParam()));
  h.deploy(timed_pay("PT10S"));
  const InstanceRef instance = h.start();
  // when
  h.advance(Duration::micros(9'999'999));
  // then
  EXPECT_EQ(h.engine->state_of(instance), core::InstanceState::Active);
  h.advance(Duration::micros(1));
  EXPECT_EQ(count_of(h.look(instance), "gave_up"), "1/0");
}

TEST_P(Boundary, TimersOfManyInstancesFireInTheOrderOfTheirTime) {
  // given
  HandDriven h(on(GetParam()));
  h.deploy(timed_pay("${wait}"));
  const InstanceRef slow = h.start(block({{"wait", Value("PT3S")}}));
  const InstanceRef quick = h.start(block({{"wait", Value("PT1S")}}));
  // when
  h.advance(Duration::seconds(2));
  // then
  EXPECT_EQ(h.engine->state_of(quick), core::InstanceState::Completed);
  EXPECT_EQ(h.engine->state_of(slow), core::InstanceState::Active);
  h.advance(Duration::seconds(1));
  EXPECT_EQ(h.engine->state_of(slow), core::InstanceState::Completed);
}

// seed: SRD-036 TestServiceTaskWorkerBoundaryInterruptDropsJob
TEST_P(Boundary, FiringWithdrawsTheJobInTheSameCommit) {
  for (const bool locked : {false, true}) {
    // given
    HandDriven h(on(GetParam()));
    h.deploy(timed_pay("PT10S"));
    const InstanceRef instance = h.start();
    const jobs::LockedJob job = locked ? h.fetch_one("charge-card") : jobs::LockedJob{};
    // when
    h.advance(Duration::seconds(10));
    // then
    EXPECT_EQ(h.engine->state_of(instance), core::InstanceState::Completed);
    EXPECT_EQ(h.fetchable("charge-card"), 0U);
    EXPECT_EQ(h.engine->dispatcher().pending(Topic("")), 0U);
    if (locked) {
      EXPECT_EQ(h.complete(job).error().code, ErrorCode::JobNotFound);
    }
    EXPECT_EQ(count_of(h.look(instance), "pay"), "0/1");
  }
}

TEST_P(Boundary, AReportInTimeDisarmsTheTimer) {
  // given
  HandDriven h(on(GetParam()));
  h.deploy(timed_pay("PT10S"));
  const InstanceRef instance = h.start();
  // when
  ASSERT_TRUE(h.complete(h.fetch_one("charge-card")).ok());
  h.advance(Duration::seconds(60));
  // then
  EXPECT_EQ(count_of(h.look(instance), "end"), "1/0");
  EXPECT_EQ(h.engine->metrics().timers_fired, 0U);
}

TEST_P(Boundary, ABpmnErrorIsCaughtByItsCode) {
  // given
  HandDriven h(on(GetParam()));
  h.deploy(Model()
               .start()
               .task("pay", worker_task("charge-card"))
               .end()
               .catches("declined", "pay", "DECLINED")
               .end("no_money")
               .catches("other", "pay", std::nullopt)
               .end("trouble")
               .path({"start", "pay", "end"})
               .path({"declined", "no_money"})
               .path({"other", "trouble"}));
  for (const auto& [code, node] : {std::pair{"DECLINED", "no_money"}, std::pair{"BROKEN", "trouble"}}) {
    const InstanceRef instance = h.start();
    const jobs::LockedJob job = h.fetch_one("charge-card");
    // when
    ASSERT_TRUE(h.engine->dispatcher()
                    .report(HandDriven::target(job), jobs::ReportBpmnError{code, "", block({{"why", Value(code)}})})
                    .ok());
    // then
    EXPECT_EQ(count_of(h.look(instance), node), "1/0");
    EXPECT_EQ(read(h.look(instance).variables, "why"), Value(code));
  }
}

TEST_P(Boundary, AFailingActivityKeepsItsTimerArmed) {
  // given: exhausted, an incident
  HandDriven h(on(GetParam()));
  h.deploy(timed_pay("PT10S"));
  const InstanceRef instance = h.start();
  ASSERT_TRUE(h.fail(h.fetch_one("charge-card"), "no route", 0).ok());
  ASSERT_EQ(h.look(instance).incidents.size(), 1U);
  // when
  h.advance(Duration::seconds(10));
  // then
  EXPECT_EQ(h.engine->state_of(instance), core::InstanceState::Completed);
  EXPECT_EQ(count_of(h.look(instance), "gave_up"), "1/0");
  EXPECT_TRUE(h.engine->incidents().empty());
}

// Design 1.2: a step begun by a timer that fails uses up its 3 retries, then an operator decides.
Model failing_behind_the_timer(Profile profile) {
  return Model(profile)
      .start()
      .task("pay", worker_task("charge-card"))
      .end()
      .timer("late", "pay", "PT10S")
      .exclusive("big")
      .end("gave_up")
      .path({"start", "pay", "end"})
      .path({"late", "big"})
      .flow("big", "gave_up", "${amount > 10}");
}

TEST_P(Boundary, Camunda7TriesAFailingTimerStepThreeTimesAndAnOperatorsRetryRunsIt) {
  // given
  HandDriven h(on(GetParam()));
  h.deploy(failing_behind_the_timer(Profile::Camunda7));
  const InstanceRef instance = h.start();
  // when
  h.advance(Duration::seconds(10));
  // then: as before the timer, with an incident; the job is still there
  InstanceSnapshot s = h.look(instance);
  EXPECT_EQ(where(s), "pay:job");
  ASSERT_EQ(s.incidents.size(), 1U);
  EXPECT_EQ(s.incidents[0].kind, "failedJob");
  EXPECT_EQ(s.incidents[0].node, "late");
  EXPECT_NE(s.incidents[0].message.find("amount"), std::string::npos);
  EXPECT_EQ(h.engine->metrics().timers_fired, 3U);
  EXPECT_EQ(h.engine->dispatcher().pending(Topic("charge-card")), 1U);
  ASSERT_TRUE(h.engine->set_variables(instance, block({{"amount", Value(11)}})).ok());
  ASSERT_TRUE(h.engine->retry_incident(s.incidents[0].id, 0).ok());
  h.run();
  s = h.look(instance);
  EXPECT_EQ(count_of(s, "gave_up"), "1/0");
  EXPECT_EQ(s.state, core::InstanceState::Completed);
  EXPECT_EQ(h.fetchable("charge-card"), 0U);
}

TEST_P(Boundary, HeadraceLetsTheTimerFireAndRaisesFailedStepBehindIt) {
  // given
  HandDriven h(on(GetParam()));
  h.deploy(failing_behind_the_timer(Profile::Headrace));
  const InstanceRef instance = h.start();
  // when
  h.advance(Duration::seconds(10));
  // then
  EXPECT_EQ(where(h.look(instance)), "big:failedStep");
  EXPECT_EQ(h.engine->metrics().timers_fired, 1U);
  EXPECT_EQ(h.fetchable("charge-card"), 0U);
}

INSTANTIATE_TEST_SUITE_P(Stores, Boundary, ::testing::ValuesIn(every_store()), store_name);

}  // namespace
}  // namespace headrace::engine::testing
