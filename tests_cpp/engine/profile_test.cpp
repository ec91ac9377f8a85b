// A condition that fails behind a report (design 1.2), under both profiles, to the last field of state, job and lock.

#include "engine/fixture.hpp"
#include "headrace/core/state_codec.hpp"

namespace headrace::engine::testing {
namespace {

class ProfileOnStores : public OnEveryStore {};

// start -> pay (external) -> big? -(${unknown > 1})-> end
std::shared_ptr<model::Definition> failing_behind_a_report(policy::Profile profile) {
  model::Builder b("order");
  b.set_profile(profile);
  b.add_node(model::ElementKind::StartEvent, "start", "", "", {});
  b.add_node(model::ElementKind::ServiceTask, "pay", "", "", worker_task("charge-card"));
  b.add_node(model::ElementKind::ExclusiveGateway, "big", "", "", {});
  b.add_node(model::ElementKind::EndEvent, "end", "", "", {});
  b.add_flow("f1", "start", "pay", std::nullopt);
  b.add_flow("f2", "pay", "big", std::nullopt);
  b.add_flow("f3", "big", "end", model::Condition{*expr::Expression::parse("${unknown > 1}"), nullptr});
  return built(b);
}

TEST_P(ProfileOnStores, HeadraceKeepsTheReportAndRaisesFailedStepInFrontOfTheGateway) {
  HandDriven h(on(GetParam()));
  ASSERT_TRUE(h.engine->deploy(failing_behind_a_report(policy::Profile::Headrace)).ok());
  const InstanceRef instance = *h.engine->start("order", block({{"amount", Value(3)}}));
  const jobs::LockedJob job = h.fetch_one("charge-card");

  ASSERT_TRUE(h.complete(job, block({{"receiptId", Value("r-1")}})).ok());

  const InstanceSnapshot s = *h.engine->snapshot(instance);
  EXPECT_EQ(s.state, core::InstanceState::Active);
  EXPECT_EQ(read(s.variables, "receiptId"), Value("r-1"));
  ASSERT_EQ(s.activities.size(), 1U);
  EXPECT_EQ(s.activities[0].node, "big");
  EXPECT_EQ(s.activities[0].waits_for, "failedStep");
  ASSERT_EQ(s.incidents.size(), 1U);
  EXPECT_EQ(s.incidents[0].kind, "failedStep");
  EXPECT_EQ(s.incidents[0].node, "big");
  EXPECT_NE(s.incidents[0].message.find("unknown"), std::string::npos) << s.incidents[0].message;
  EXPECT_NE(s.incidents[0].message.find("'f3'"), std::string::npos) << s.incidents[0].message;
  EXPECT_FALSE(h.engine->local_dispatcher()->find(job.job.key).has_value());
  EXPECT_EQ(h.complete(job).error().code, ErrorCode::JobNotFound);

  ASSERT_TRUE(h.engine->set_variables(instance, block({{"unknown", Value(2)}})).ok());
  const Status retried = h.engine->retry_incident(s.incidents[0].id, 0);
  ASSERT_TRUE(retried.ok()) << retried.error().message;
  EXPECT_EQ(h.engine->state_of(instance), core::InstanceState::Completed);
}

TEST_P(ProfileOnStores, Camunda7UndoesTheStepAndGivesTheErrorWithJobAndLockAsBefore) {
  HandDriven h(on(GetParam()));
  ASSERT_TRUE(h.engine->deploy(failing_behind_a_report(policy::Profile::Camunda7)).ok());
  const InstanceRef instance = *h.engine->start("order", block({{"amount", Value(3)}}));
  const jobs::LockedJob job = h.fetch_one("charge-card");
  const InstanceSnapshot before = *h.engine->snapshot(instance);
  const jobs::JobInfo job_before = *h.engine->local_dispatcher()->find(job.job.key);

  const Status report = h.complete(job, block({{"receiptId", Value("r-1")}}));

  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().code, ErrorCode::Expression);
  EXPECT_NE(report.error().message.find("unknown"), std::string::npos);
  const InstanceSnapshot after = *h.engine->snapshot(instance);
  EXPECT_EQ(after.sequence, before.sequence);
  EXPECT_EQ(after.variables.to_payload(), before.variables.to_payload());
  ASSERT_EQ(after.activities.size(), 1U);
  EXPECT_EQ(after.activities[0].node, "pay");
  EXPECT_EQ(after.activities[0].job, before.activities[0].job);
  EXPECT_TRUE(after.incidents.empty());
  const jobs::JobInfo job_after = *h.engine->local_dispatcher()->find(job.job.key);
  EXPECT_EQ(job_after.state, jobs::JobState::Locked);
  EXPECT_EQ(job_after.worker, job_before.worker);
  EXPECT_EQ(job_after.epoch, job_before.epoch);
  EXPECT_EQ(job_after.deadline, job_before.deadline);
  EXPECT_EQ(job_after.first_lock, job_before.first_lock);
  EXPECT_EQ(job_after.failures, job_before.failures);
  EXPECT_EQ(job_after.retries, job_before.retries);

  ASSERT_TRUE(h.engine->set_variables(instance, block({{"unknown", Value(2)}})).ok());
  EXPECT_TRUE(h.complete(job).ok());
  EXPECT_EQ(h.engine->state_of(instance), core::InstanceState::Completed);
}

TEST_P(ProfileOnStores, Camunda7RefusesAStartWhoseFirstStepFailsAndKeepsNothing) {
  HandDriven h(on(GetParam()));
  model::Builder b("bad");
  b.set_profile(policy::Profile::Camunda7);
  b.add_node(model::ElementKind::StartEvent, "start", "", "", {});
  b.add_node(model::ElementKind::ExclusiveGateway, "big", "", "", {});
  b.add_node(model::ElementKind::EndEvent, "end", "", "", {});
  b.add_flow("f1", "start", "big", std::nullopt);
  b.add_flow("f2", "big", "end", model::Condition{*expr::Expression::parse("${unknown > 1}"), nullptr});
  ASSERT_TRUE(h.engine->deploy(built(b)).ok());

  const auto started = h.engine->start("bad", {});

  ASSERT_FALSE(started.ok());
  EXPECT_EQ(started.error().code, ErrorCode::Expression);
  EXPECT_TRUE(h.engine->instances({}).empty());
  EXPECT_EQ(h.engine->metrics().instances_active, 0U);
}

INSTANTIATE_TEST_SUITE_P(Stores, ProfileOnStores, ::testing::ValuesIn(every_store()), store_name);

}  // namespace
}  // namespace headrace::engine::testing
