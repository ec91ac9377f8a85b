// Suspension (design 4.2): no fetch returns the jobs, terminal reports are refused and change nothing, timers wait, expiries are
// not counted.

#include "engine/fixture.hpp"

namespace headrace::engine::testing {
namespace {

class Suspended : public OnEveryStore {};

TEST_P(Suspended, JobsAreNotFetchedAndKeepTheirPlaceInLine) {
  // given
  HandDriven h(on(GetParam()));
  ASSERT_TRUE(h.engine->deploy(built(pay_model())).ok());
  const InstanceRef first = h.start();
  (void)h.start();
  // when
  ASSERT_TRUE(h.engine->suspend(first).ok());
  // then
  EXPECT_EQ(h.fetch_one("charge-card").job.key.root, 2U);
  EXPECT_EQ(h.fetchable("charge-card"), 0U);
  (void)h.start();
  ASSERT_TRUE(h.engine->resume(first).ok());
  EXPECT_EQ(h.fetch_one("charge-card").job.key.root, 1U);
}

TEST_P(Suspended, TimersWaitAndFireAfterTheResume) {
  // given
  HandDriven h(on(GetParam()));
  h.deploy(timed_pay("PT10S"));
  const InstanceRef instance = h.start();
  ASSERT_TRUE(h.engine->suspend(instance).ok());
  // when
  h.advance(Duration::hours(1));
  // then
  EXPECT_EQ(where(h.look(instance)), "pay:job");
  EXPECT_EQ(h.engine->metrics().timers_fired, 0U);
  ASSERT_TRUE(h.engine->resume(instance).ok());
  h.run();
  EXPECT_EQ(count_of(h.look(instance), "gave_up"), "1/0");
}

TEST_P(Suspended, ATimerThatIsNotDueYetKeepsItsTime) {
  // given
  HandDriven h(on(GetParam()));
  h.deploy(timed_pay("PT10S"));
  const InstanceRef instance = h.start();
  ASSERT_TRUE(h.engine->suspend(instance).ok());
  h.advance(Duration::seconds(4));
  // when
  ASSERT_TRUE(h.engine->resume(instance).ok());
  h.advance(Duration::micros(5'999'999));
  // then
  EXPECT_EQ(h.engine->state_of(instance), core::InstanceState::Active);
  h.advance(Duration::micros(1));
  EXPECT_EQ(h.engine->state_of(instance), core::InstanceState::Completed);
}

TEST_P(Suspended, AnExpiryMeanwhileIsNotCounted) {
  // given
  HandDriven h(on(GetParam()));
  ASSERT_TRUE(h.engine->deploy(built(pay_model())).ok());
  const InstanceRef instance = h.start();
  (void)h.fetch_one("charge-card", Duration::seconds(10));
  ASSERT_TRUE(h.engine->suspend(instance).ok());
  // when
  h.advance(Duration::seconds(10));
  ASSERT_TRUE(h.engine->resume(instance).ok());
  // then
  const jobs::LockedJob again = h.fetch_one("charge-card");
  EXPECT_EQ(again.expiries, 0);
  EXPECT_EQ(again.attempt, 1);
}

TEST_P(Suspended, TerminalReportsAreRefusedAndChangeNothingWhileLocksCanBeExtended) {
  // given
  HandDriven h(on(GetParam()));
  ASSERT_TRUE(h.engine->deploy(built(pay_model())).ok());
  const InstanceRef instance = h.start();
  const jobs::LockedJob job = h.fetch_one("charge-card");
  ASSERT_TRUE(h.engine->suspend(instance).ok());
  const InstanceSnapshot before = h.look(instance);
  const auto report = [&](jobs::Report r) { return h.engine->dispatcher().report(HandDriven::target(job), std::move(r)); };
  // when / then
  EXPECT_EQ(h.complete(job, block({{"x", Value(1)}})).error().code, ErrorCode::InstanceSuspended);
  EXPECT_EQ(report(jobs::ReportBpmnError{"E", "", {}}).error().code, ErrorCode::InstanceSuspended);
  EXPECT_EQ(h.fail(job, "no").error().code, ErrorCode::InstanceSuspended);
  EXPECT_TRUE(h.engine->dispatcher().extend_lock(HandDriven::target(job), Duration::minutes(1)).ok());
  EXPECT_EQ(h.look(instance).sequence, before.sequence);
  EXPECT_EQ(h.look(instance).variables.to_payload(), before.variables.to_payload());
  EXPECT_TRUE(h.engine->dispatcher().unlock(HandDriven::target(job)).ok());
}

TEST_P(Suspended, AResultOfAnOperationIsTakenAndWhatItEnqueuesWaits) {
  // given
  HandDriven h(on(GetParam()));
  h.deploy(Model()
               .start()
               .task("look",
                     in_process(functor(
                         [](const model::OperationCall&) -> model::OperationResult { return model::OperationOutput{}; }, false)))
               .task("pay", worker_task("charge-card"))
               .end()
               .path({"start", "look", "pay", "end"}));
  const InstanceRef instance = h.start();
  ASSERT_TRUE(h.engine->suspend(instance).ok());
  // when
  h.run();
  // then
  EXPECT_EQ(where(h.look(instance)), "pay:job");
  EXPECT_EQ(h.fetchable("charge-card"), 0U);
  ASSERT_TRUE(h.engine->resume(instance).ok());
  EXPECT_EQ(h.fetchable("charge-card"), 1U);
}

TEST_P(Suspended, OperatorsWaitForTheResume) {
  // given
  HandDriven h(on(GetParam()));
  ASSERT_TRUE(h.engine->deploy(built(pay_model())).ok());
  const InstanceRef instance = h.start();
  ASSERT_TRUE(h.fail(h.fetch_one("charge-card"), "no route", 0).ok());
  const std::string id = h.engine->incidents().at(0).id;
  ASSERT_TRUE(h.engine->suspend(instance).ok());
  // when / then
  EXPECT_EQ(h.engine->retry_incident(id, 1).error().code, ErrorCode::InstanceSuspended);
  EXPECT_EQ(h.engine->resolve_incident(id, {}).error().code, ErrorCode::InstanceSuspended);
  EXPECT_TRUE(h.engine->annotate_incident(id, "looking").ok());
  EXPECT_TRUE(h.look(instance).suspended);
  EXPECT_EQ(h.engine->suspend(instance).error().code, ErrorCode::InstanceSuspended);
  ASSERT_TRUE(h.engine->resume(instance).ok());
  EXPECT_EQ(h.engine->resume(instance).error().code, ErrorCode::Conflict);
  EXPECT_TRUE(h.engine->retry_incident(id, 1).ok());
}

INSTANTIATE_TEST_SUITE_P(Stores, Suspended, ::testing::ValuesIn(every_store()), store_name);

}  // namespace
}  // namespace headrace::engine::testing
