#include "engine/fixture.hpp"
#include "headrace/policy/schema.hpp"

namespace headrace::engine::testing {
namespace {

class EngineOnStores : public OnEveryStore {};

TEST_P(EngineOnStores, RunsAnInstanceThroughAWorkerToItsEnd) {
  HandDriven h(on(GetParam()));
  ASSERT_TRUE(h.engine->deploy(built(pay_model())).ok());
  const InstanceRef instance = *h.engine->start("order", block({{"amount", Value(30)}}));

  const jobs::LockedJob job = h.fetch_one("charge-card");
  EXPECT_EQ(jobs::to_text(job.job.key, "pay"), "1:1:1:1:pay");
  EXPECT_EQ(read(job.job.view.flatten(), "amount"), Value(30));
  ASSERT_TRUE(h.complete(job, block({{"receiptId", Value("r-1")}})).ok());

  const InstanceSnapshot after = *h.engine->snapshot(instance);
  EXPECT_EQ(after.state, core::InstanceState::Completed);
  EXPECT_EQ(read(after.variables, "receiptId"), Value("r-1"));
  EXPECT_TRUE(after.activities.empty());
}

TEST_P(EngineOnStores, AParkedInstanceShowsItsTaskAndItsJob) {
  HandDriven h(on(GetParam()));
  ASSERT_TRUE(h.engine->deploy(built(pay_model())).ok());
  const InstanceRef instance = *h.engine->start("order", {});

  const InstanceSnapshot parked = *h.engine->snapshot(instance);

  ASSERT_EQ(parked.activities.size(), 1U);
  EXPECT_EQ(parked.activities[0].node, "pay");
  EXPECT_EQ(parked.activities[0].state, "Active");
  EXPECT_EQ(parked.activities[0].job, "1:1:1:1:pay");
}

TEST_P(EngineOnStores, ExhaustedRetriesRaiseAnIncidentThatRetryCloses) {
  HandDriven h(on(GetParam()));
  ASSERT_TRUE(h.engine->deploy(built(pay_model())).ok());
  const InstanceRef instance = *h.engine->start("order", {});
  for (int attempt = 1; attempt <= 3; ++attempt) {
    const jobs::LockedJob job = h.fetch_one("charge-card");
    jobs::ReportFail fail;
    fail.failure.message = "no route";
    ASSERT_TRUE(h.engine->dispatcher().report(HandDriven::target(job), fail).ok());
    ASSERT_TRUE(h.engine->advance(Duration::seconds(60)).ok());
  }

  const std::vector<IncidentSnapshot> open = h.engine->incidents();
  ASSERT_EQ(open.size(), 1U);
  EXPECT_EQ(open[0].kind, "failedExternalTask");
  EXPECT_EQ(open[0].attempts, 3);
  EXPECT_EQ(open[0].message, "no route");
  EXPECT_EQ(h.engine->snapshot(instance)->activities[0].state, "Failing");

  ASSERT_TRUE(h.engine->retry_incident(open[0].id, 1).ok());
  const jobs::LockedJob again = h.fetch_one("charge-card");
  EXPECT_EQ(again.generation, 2U);
  ASSERT_TRUE(h.complete(again).ok());
  EXPECT_EQ(h.engine->snapshot(instance)->state, core::InstanceState::Completed);
  EXPECT_TRUE(h.engine->incidents().empty());
}

TEST_P(EngineOnStores, ALockThatRunsOutMakesTheJobFetchableAgain) {
  HandDriven h(on(GetParam()));
  ASSERT_TRUE(h.engine->deploy(built(pay_model())).ok());
  (void)*h.engine->start("order", {});
  const jobs::LockedJob first = h.fetch_one("charge-card", Duration::seconds(10));

  ASSERT_TRUE(h.engine->advance(Duration::seconds(10)).ok());

  const jobs::LockedJob second = h.fetch_one("charge-card");
  EXPECT_EQ(second.job.key, first.job.key);
  EXPECT_EQ(second.epoch, first.epoch + 1);
  EXPECT_EQ(h.complete(first).error().code, ErrorCode::NotLockHolder);
}

TEST_P(EngineOnStores, CancelWithdrawsTheJobInTheSameCommit) {
  HandDriven h(on(GetParam()));
  ASSERT_TRUE(h.engine->deploy(built(pay_model())).ok());
  const InstanceRef instance = *h.engine->start("order", {});
  const jobs::LockedJob job = h.fetch_one("charge-card");

  ASSERT_TRUE(h.engine->cancel(instance, "changed their mind").ok());

  EXPECT_EQ(h.complete(job).error().code, ErrorCode::JobNotFound);
  const InstanceSnapshot after = *h.engine->snapshot(instance);
  EXPECT_EQ(after.state, core::InstanceState::Cancelled);
  EXPECT_EQ(after.reason, "changed their mind");
}

TEST_P(EngineOnStores, SuspendedJobsAreNotFetchedAndReportsAreRefusedUntilResume) {
  HandDriven h(on(GetParam()));
  ASSERT_TRUE(h.engine->deploy(built(pay_model())).ok());
  const InstanceRef instance = *h.engine->start("order", {});
  const jobs::LockedJob job = h.fetch_one("charge-card");
  ASSERT_TRUE(h.engine->suspend(instance).ok());

  EXPECT_EQ(h.complete(job).error().code, ErrorCode::InstanceSuspended);
  ASSERT_TRUE(h.engine->resume(instance).ok());
  EXPECT_TRUE(h.complete(job).ok());
  EXPECT_EQ(h.engine->state_of(instance), core::InstanceState::Completed);
}

TEST_P(EngineOnStores, TheClockIsNotMovedBeyondTheYear9999) {
  // given a clock that stands an hour before the end of the last year
  HandDriven h(on(GetParam()));
  const Instant end{253'402'300'800'000'000};
  h.clock->set(end + Duration{-Duration::hours(1).us});
  const Instant before = h.clock->now();
  // when it is moved too far
  const auto moved = h.engine->advance(Duration::hours(1));
  // then nothing has changed, and the last moment of that year is reached
  EXPECT_EQ(moved.error().code, ErrorCode::Validation);
  EXPECT_EQ(h.clock->now(), before);
  h.advance(Duration::micros(Duration::hours(1).us - 1));
  EXPECT_EQ(to_text(h.clock->now()), "9999-12-31T23:59:59.999999Z");
}

TEST_P(EngineOnStores, AnUnknownProcessIsNotFoundByName) {
  HandDriven h(on(GetParam()));
  const auto started = h.engine->start("nothing", {});
  ASSERT_FALSE(started.ok());
  EXPECT_EQ(started.error().code, ErrorCode::NotFound);
  EXPECT_NE(started.error().message.find("'nothing'"), std::string::npos);
}

TEST_P(EngineOnStores, AStartAboveMaxInstancesIsOverloaded) {
  EngineOptions o = on(GetParam());
  o.max_instances = 1;
  HandDriven h(std::move(o));
  ASSERT_TRUE(h.engine->deploy(built(pay_model())).ok());
  ASSERT_TRUE(h.engine->start("order", {}).ok());
  EXPECT_EQ(h.engine->start("order", {}).error().code, ErrorCode::Overloaded);
}

class AnyOutput final : public policy::OutputSchema {
 public:
  Status check(const Value&) const override { return Ok{}; }
};

TEST_P(EngineOnStores, AnOutputSchemaThatNobodyCompiledIsRefusedAtDeploy) {
  // given
  HandDriven h(on(GetParam()));
  model::ServiceTaskConfig pay = worker_task("charge-card");
  pay.options.schema = std::make_shared<policy::SchemaText>("{}");
  // when
  const auto refused = h.engine->deploy(built(pay_model(policy::Profile::Headrace, pay)));
  // then
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::Model);
  EXPECT_NE(refused.error().message.find("headrace[schema]"), std::string::npos) << refused.error().message;
  EXPECT_TRUE(h.engine->definitions().empty());
  // and one with a check in its place is deployed
  pay.options.schema = std::make_shared<AnyOutput>();
  EXPECT_TRUE(h.engine->deploy(built(pay_model(policy::Profile::Headrace, pay))).ok());
}

INSTANTIATE_TEST_SUITE_P(Stores, EngineOnStores, ::testing::ValuesIn(every_store()), store_name);

}  // namespace
}  // namespace headrace::engine::testing
