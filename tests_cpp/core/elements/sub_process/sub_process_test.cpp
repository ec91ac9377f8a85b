// Embedded sub-process (BPMN 2.0, 13.3.4): opens a scope, completes when no token is left in it; what interrupts it ends
// everything inside in the same step.

#include <gtest/gtest.h>

#include "support/driver.hpp"

namespace headrace::testing {
namespace {

// pack { s -> fork -> pay | inner { s2 -> ship -> e2 } -> e }, with whatever the test attaches to "pack".
Model packing() {
  Model m;
  m.start().sub("pack").in("pack").start("s").parallel("f").task("pay", external()).sub("inner").end("e");
  m.path({"s", "f", "pay", "e"}).path({"f", "inner", "e"});
  m.in("inner").start("s2").task("ship", external("ship")).end("e2").path({"s2", "ship", "e2"});
  m.timer("slow", "ship", "PT30M").end("e3").path({"slow", "e3"});
  m.in("").end().path({"start", "pack", "end"});
  return m;
}

TEST(SubProcess, OpensAScopeAndStartsInside) {
  // given / when
  Driver d(packing().build());
  // then
  EXPECT_EQ(d.where(), "pack: scope, pay: job, inner: scope, ship: job");
  EXPECT_EQ(d.state().scopes.size(), 3U);
  EXPECT_EQ(d.state().scope(2)->parent, 1U);
}

TEST(SubProcess, CompletesWhenNoTokenIsLeftInside) {
  // given
  Driver d(packing().build());
  ASSERT_TRUE(d.complete("ship").ok());
  ASSERT_EQ(d.where(), "pack: scope, pay: job");
  // when
  ASSERT_TRUE(d.complete("pay").ok());
  // then
  EXPECT_EQ(d.where(), "completed");
  EXPECT_EQ(d.count("pack"), "1");
  EXPECT_EQ(d.count("inner"), "1");
  EXPECT_EQ(d.state().scopes.size(), 1U);
}

TEST(SubProcess, ThatEndsAtOnceCompletesInTheSameStep) {
  // given / when
  Driver d(Model()
               .start()
               .sub("pack")
               .in("pack")
               .start("s")
               .end("e")
               .path({"s", "e"})
               .in("")
               .user("after")
               .end()
               .path({"start", "pack", "after", "end"})
               .build(),
           {});
  // then
  EXPECT_EQ(d.where(), "after: user");
}

TEST(SubProcess, ABoundaryTimerWithdrawsItsJobsAndClosesInnerScopesInTheSameStep) {
  // given
  Driver d(packing().timer("late", "pack", "PT1H").user("call").path({"late", "call", "end"}).build());
  // when
  ASSERT_TRUE(d.fire("late").ok());
  // then
  EXPECT_EQ(d.where(), "call: user");
  EXPECT_EQ(d.effects_text(), "withdraw job 4:1\ndisarm timer 2\nwithdraw job 2:1\ndisarm timer 1\n");
  EXPECT_EQ(d.state().scopes.size(), 1U);
  EXPECT_EQ(d.count("ship"), "0 (1 cancelled)");
  EXPECT_EQ(d.count("inner"), "0 (1 cancelled)");
  EXPECT_EQ(d.count("pack"), "0 (1 cancelled)");
}

TEST(SubProcess, AnErrorFromInsideInterruptsItAndTheReportedJobIsNotWithdrawn) {
  // given
  Driver d(packing().catches("caught", "pack", "E1").user("mend").path({"caught", "mend", "end"}).build());
  // when
  ASSERT_TRUE(d.bpmn_error("ship", "E1").ok());
  // then
  EXPECT_EQ(d.where(), "mend: user");
  EXPECT_EQ(d.effects_text(), "disarm timer 1\nwithdraw job 2:1\n");
}

TEST(SubProcess, ItsVariablesEndWithIt) {
  // given
  model::ServiceTaskConfig pay = external();
  pay.options.status = policy::StatusTarget{"local", false};
  Driver d(Model()
               .start()
               .sub("pack")
               .in("pack")
               .start("s")
               .task("pay", pay)
               .user("look")
               .end("e")
               .path({"s", "pay", "look", "e"})
               .in("")
               .user("after")
               .end()
               .path({"start", "pack", "after", "end"})
               .build());
  ASSERT_TRUE(d.status("pay", 1).ok());
  ASSERT_EQ(d.variable("local", 1), "1");
  // when
  ASSERT_TRUE(d.finish_user("look").ok());
  // then
  EXPECT_EQ(d.where(), "after: user");
  EXPECT_EQ(d.variable("local"), "absent");
}

TEST(SubProcess, ALoopOpensANewScopeEachTime) {
  // given
  Driver d(Model()
               .start()
               .sub("pack")
               .in("pack")
               .start("s")
               .user("look")
               .end("e")
               .path({"s", "look", "e"})
               .in("")
               .exclusive("again")
               .end()
               .path({"start", "pack", "again"})
               .flow("again", "pack", "${more}")
               .otherwise("again", "end")
               .build(),
           vars({{"more", true}}));
  // when
  ASSERT_TRUE(d.finish_user("look").ok());
  // then
  EXPECT_EQ(d.state().scopes[1].id, 2U);
}

TEST(SubProcess, AFaultInsideStaysInside) {
  // given
  Driver d(Model()
               .start()
               .sub("pack")
               .in("pack")
               .start("s")
               .exclusive("big")
               .end("e")
               .path({"s", "big"})
               .flow("big", "e", "${amount > 1}")
               .in("")
               .timer("late", "pack", "PT1H")
               .end()
               .path({"start", "pack", "end"})
               .path({"late", "end"})
               .build());
  ASSERT_EQ(d.where(), "pack: scope, big: failed step");
  // when: its boundary event is still armed
  ASSERT_TRUE(d.fire("late").ok());
  // then
  EXPECT_EQ(d.where(), "completed");
  EXPECT_TRUE(d.outside().incidents.empty());
}

TEST(SubProcess, AFaultBehindItStandsBehindIt) {
  // given
  Driver d(Model()
               .start()
               .sub("pack")
               .in("pack")
               .start("s")
               .user("look")
               .end("e")
               .path({"s", "look", "e"})
               .in("")
               .end()
               .path({"start", "pack"})
               .flow("pack", "end", "${ok}")
               .build());
  ASSERT_TRUE(d.finish_user("look").ok());
  ASSERT_EQ(d.where(), "pack: failed step");
  EXPECT_EQ(d.state().scopes.size(), 1U);
  // when
  ASSERT_TRUE(d.run(core::SetVariables{vars({{"ok", true}})}).ok());
  ASSERT_TRUE(d.run(core::RetryIncident{1, 1}).ok());
  // then
  EXPECT_EQ(d.where(), "completed");
  EXPECT_EQ(d.count("pack"), "1");
}

}  // namespace
}  // namespace headrace::testing
