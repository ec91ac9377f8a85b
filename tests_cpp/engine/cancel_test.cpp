// Cancelling: everything of the instance ends in one commit, whatever it waits for.

#include "engine/fixture.hpp"

namespace headrace::engine::testing {
namespace {

class Cancelling : public OnEveryStore {};

TEST_P(Cancelling, EndsJobsTimersAndIncidentsInOneCommit) {
  // given: two branches, one with a locked job and a timer, one in an incident
  HandDriven h(on(GetParam()));
  h.deploy(Model()
               .start()
               .parallel("fork")
               .task("pay", worker_task("charge-card"))
               .task("ship", worker_task("ship"))
               .end()
               .end("shipped")
               .timer("late", "pay", "PT10S")
               .end("gave_up")
               .path({"start", "fork", "pay", "end"})
               .path({"fork", "ship", "shipped"})
               .path({"late", "gave_up"}));
  const InstanceRef instance = h.start();
  const jobs::LockedJob job = h.fetch_one("charge-card");
  ASSERT_TRUE(h.fail(h.fetch_one("ship"), "no lorry", 0).ok());
  const std::uint64_t before = h.look(instance).sequence;
  // when
  ASSERT_TRUE(h.engine->cancel(instance, "sold out").ok());
  // then
  const InstanceSnapshot s = h.look(instance);
  EXPECT_EQ(s.state, core::InstanceState::Cancelled);
  EXPECT_EQ(s.sequence, before + 1);
  EXPECT_EQ(s.reason, "sold out");
  EXPECT_TRUE(s.activities.empty() && s.timers.empty() && s.incidents.empty());
  EXPECT_TRUE(h.engine->incidents().empty());
  EXPECT_EQ(h.complete(job).error().code, ErrorCode::JobNotFound);
  EXPECT_TRUE(h.engine->local_dispatcher()->list().empty());
  h.advance(Duration::hours(1));
  EXPECT_EQ(h.engine->metrics().timers_fired, 0U);
}

TEST_P(Cancelling, NoFetchReturnsTheJobAfterwards) {
  // given
  HandDriven h(on(GetParam()));
  ASSERT_TRUE(h.engine->deploy(built(pay_model())).ok());
  const InstanceRef instance = h.start();
  // when
  ASSERT_TRUE(h.engine->cancel(instance, "").ok());
  // then
  EXPECT_EQ(h.fetchable("charge-card"), 0U);
}

TEST_P(Cancelling, AnEndedInstanceIsAConflictForEveryCommand) {
  // given
  HandDriven h(on(GetParam()));
  ASSERT_TRUE(h.engine->deploy(built(pay_model())).ok());
  const InstanceRef instance = h.start();
  ASSERT_TRUE(h.engine->cancel(instance, "").ok());
  // when / then
  EXPECT_EQ(h.engine->cancel(instance, "").error().code, ErrorCode::Conflict);
  EXPECT_EQ(h.engine->suspend(instance).error().code, ErrorCode::Conflict);
  EXPECT_EQ(h.engine->resume(instance).error().code, ErrorCode::Conflict);
  EXPECT_EQ(h.engine->set_variables(instance, {}).error().code, ErrorCode::Conflict);
  EXPECT_EQ(h.engine->metrics().instances_cancelled, 1U);
}

TEST_P(Cancelling, ASuspendedInstanceCanBeCancelled) {
  // given
  HandDriven h(on(GetParam()));
  ASSERT_TRUE(h.engine->deploy(built(pay_model())).ok());
  const InstanceRef instance = h.start();
  ASSERT_TRUE(h.engine->suspend(instance).ok());
  // when
  ASSERT_TRUE(h.engine->cancel(instance, "").ok());
  // then
  EXPECT_EQ(h.engine->state_of(instance), core::InstanceState::Cancelled);
  EXPECT_TRUE(h.engine->local_dispatcher()->list().empty());
}

INSTANTIATE_TEST_SUITE_P(Stores, Cancelling, ::testing::ValuesIn(every_store()), store_name);

}  // namespace
}  // namespace headrace::engine::testing
