// Whole stories as text: commands in, events and effects ("!") out. A change of what a step does shows here first.

#include <gtest/gtest.h>

#include "support/driver.hpp"

namespace headrace::testing {
namespace {

TEST(Scenario, AWorkerChargesACardInTime) {
  // given
  Driver d(Model()
               .start()
               .task("pay", external())
               .end()
               .timer("late", "pay", "PT1H")
               .end("stop")
               .path({"start", "pay", "end"})
               .path({"late", "stop"})
               .build(),
           vars({{"amount", 30}}));
  // when
  ASSERT_TRUE(d.complete("pay", vars({{"receipt", "r-1"}})).ok());
  // then
  EXPECT_EQ(d.transcript(), R"(> start {amount: 30}
  instance 7 of 'order' started {amount: 30}
  token 1 created at start
  start completed
  token 1 moved to pay via start_pay
  token 1 entered the activity
  timer 1 of late due 2027-01-15T09:00:00Z
  token 1 waits: job, Active
  ! arm timer 1 for 2027-01-15T09:00:00Z
  ! enqueue job 1:1 of pay {amount: 30}
> report job 1:1 completed {receipt: "r-1"}
  receipt = "r-1"
  timer 1 removed
  pay completed
  token 1 moved to end via pay_end
  end completed
  token 1 consumed
  instance completed
  ! disarm timer 1
  ! finish the instance
)");
}

TEST(Scenario, AConditionFailsBehindAReportAndAnOperatorMendsIt) {
  // given
  Driver d(Model()
               .start()
               .task("pay", external())
               .exclusive("big")
               .user("approve")
               .end()
               .path({"start", "pay", "big"})
               .flow("big", "approve", "${amount > limit}")
               .otherwise("big", "end")
               .path({"approve", "end"})
               .build(),
           vars({{"amount", 1500}}));
  // when
  ASSERT_TRUE(d.complete("pay").ok());
  const std::size_t story = d.transcript().size();
  ASSERT_TRUE(d.run(core::SetVariables{vars({{"limit", 1000}})}).ok());
  ASSERT_TRUE(d.run(core::RetryIncident{1, 1}).ok());
  // then
  EXPECT_EQ(d.transcript().substr(story), R"(> set variables {limit: 1000}
  limit = 1000
> retry incident 1, 1 times
  incident 1 closed
  token 1 waits: enter
  big completed
  token 1 moved to approve via big_approve
  token 1 entered the activity
  token 1 waits: user, Active
  ! notice that incident 1 is closed
)");
}

TEST(Scenario, ATimerInterruptsASubProcessWithAJobInside) {
  // given
  Driver d(Model()
               .start()
               .sub("pack")
               .in("pack")
               .start("s")
               .task("ship", external("ship"))
               .end("e")
               .path({"s", "ship", "e"})
               .in("")
               .end()
               .timer("late", "pack", "PT1H")
               .user("call")
               .path({"start", "pack", "end"})
               .path({"late", "call", "end"})
               .build());
  const std::size_t story = d.transcript().size();
  // when
  ASSERT_TRUE(d.fire("late").ok());
  // then
  EXPECT_EQ(d.transcript().substr(story), R"(> timer 1 fires
  ship cancelled
  token 2 consumed
  scope 1 closed
  timer 1 removed
  pack cancelled
  token 1 moved to late
  late completed
  token 1 moved to call via late_call
  token 1 entered the activity
  token 1 waits: user, Active
  ! withdraw job 2:1
  ! disarm timer 1
)");
}

}  // namespace
}  // namespace headrace::testing
