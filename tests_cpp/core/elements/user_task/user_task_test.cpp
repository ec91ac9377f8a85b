// User task (BPMN 2.0, 13.3.3): waits until somebody completes it.

#include <gtest/gtest.h>

#include "support/driver.hpp"

namespace headrace::testing {
namespace {

model::DefinitionPtr approval() { return Model().start().user("approve").end().path({"start", "approve", "end"}).build(); }

TEST(UserTask, WaitsAndAsksNothingOfTheOutside) {
  // given / when
  Driver d(approval());
  // then
  EXPECT_EQ(d.where(), "approve: user");
  EXPECT_EQ(d.effects_text(), "");
}

TEST(UserTask, CompletingItWritesItsOutputAndGoesOn) {
  // given
  Driver d(approval());
  // when
  ASSERT_TRUE(d.finish_user("approve", vars({{"approved", true}})).ok());
  // then
  EXPECT_EQ(d.where(), "completed");
  EXPECT_EQ(d.variable("approved"), "true");
}

TEST(UserTask, CanBeCompletedOnce) {
  // given
  Driver d(Model().start().user("approve").user("next").end().path({"start", "approve", "next", "end"}).build());
  ASSERT_TRUE(d.finish_user("approve").ok());
  // when
  const Status again = d.run(core::CompleteUserTask{99, {}});
  // then
  ASSERT_FALSE(again.ok());
  EXPECT_EQ(again.error().code, ErrorCode::NotFound);
}

TEST(UserTask, AJobsTokenIsNoUserTask) {
  // given
  Driver d(straight(external()));
  // when
  const Status refused = d.run(core::CompleteUserTask{1, {}});
  // then
  EXPECT_FALSE(refused.ok());
}

TEST(UserTask, AFaultyTimerOfItCanBeResolvedByHand) {
  // given
  Driver d(Model()
               .start()
               .user("approve")
               .end()
               .timer("late", "approve", "${patience}")
               .path({"start", "approve", "end"})
               .path({"late", "end"})
               .build());
  ASSERT_EQ(d.where(), "approve: failed step");
  // when
  ASSERT_TRUE(d.run(core::ResolveIncident{1, vars({{"approved", true}})}).ok());
  // then
  EXPECT_EQ(d.where(), "completed");
  EXPECT_EQ(d.count("approve"), "1");
}

}  // namespace
}  // namespace headrace::testing
