// Start, end, terminate end and error end events (BPMN 2.0, 13.5.1, 13.5.4; 10.5.7).

#include <gtest/gtest.h>

#include "support/driver.hpp"

namespace headrace::testing {
namespace {

using policy::Profile;

TEST(StartEvent, PassesItsTokenOn) {
  // given / when
  Driver d(Model().start().user("look").end().path({"start", "look", "end"}).build(), vars({{"amount", 1}}));
  // then
  EXPECT_EQ(d.where(), "look: user");
  EXPECT_EQ(d.count("start"), "1");
  EXPECT_EQ(d.variable("amount"), "1");
  EXPECT_EQ(d.state().started, d.now);
}

TEST(StartEvent, AnInstanceCannotBeStartedTwice) {
  // given
  Driver d(Model().start().user("look").end().path({"start", "look", "end"}).build());
  // when
  const Status again = d.start();
  // then
  ASSERT_FALSE(again.ok());
  EXPECT_EQ(again.error().code, ErrorCode::Conflict);
}

TEST(StartEvent, BeforeItNothingElseIsTaken) {
  // given
  Driver d = Driver::not_started(Model().start().end().path({"start", "end"}).build());
  // when
  const Status refused = d.run(core::SetVariables{vars({{"x", 1}})});
  // then
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::InstanceNotFound);
}

TEST(EndEvent, ConsumesItsTokenAndTheLastOneCompletesTheInstance) {
  // given
  Driver d(
      Model().start().parallel("f").user("a").user("b").end().path({"start", "f", "a", "end"}).path({"f", "b", "end"}).build());
  // when
  ASSERT_TRUE(d.finish_user("a").ok());
  const std::string between = d.where();
  ASSERT_TRUE(d.finish_user("b").ok());
  // then
  EXPECT_EQ(between, "b: user");
  EXPECT_EQ(d.where(), "completed");
  EXPECT_EQ(d.count("end"), "2");
}

TEST(EndEvent, AnElementWithoutAnOutgoingFlowEndsItsPath) {
  // given
  Driver d(Model().start().user("look").path({"start", "look"}).build());
  // when
  ASSERT_TRUE(d.finish_user("look").ok());
  // then
  EXPECT_EQ(d.where(), "completed");
}

TEST(EndEvent, AnEndedInstanceTakesNoCommand) {
  // given
  Driver d(Model().start().end().path({"start", "end"}).build(), {});
  // when
  const Status set = d.run(core::SetVariables{vars({{"x", 1}})});
  const Status report = d.run(core::ReportOutcome{{7, 7, 1, 1}, jobs::OutcomeCompleted{}});
  // then
  ASSERT_FALSE(set.ok());
  EXPECT_EQ(set.error().code, ErrorCode::Conflict);
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().code, ErrorCode::JobNotFound);
}

TEST(TerminateEndEvent, EndsEverythingInTheInstance) {
  // given
  Driver d(Model()
               .start()
               .parallel("f")
               .user("a")
               .task("pay", external())
               .terminate("stop")
               .end()
               .timer("late", "pay", "PT1H")
               .path({"start", "f", "a", "stop"})
               .path({"f", "pay", "end"})
               .path({"late", "end"})
               .build());
  // when
  ASSERT_TRUE(d.finish_user("a").ok());
  // then
  EXPECT_EQ(d.where(), "completed");
  EXPECT_EQ(d.effects_text(), "withdraw job 2:1\ndisarm timer 1\nfinish the instance\n");
  EXPECT_EQ(d.count("pay"), "0 (1 cancelled)");
  EXPECT_EQ(d.count("stop"), "1");
}

TEST(TerminateEndEvent, InASubProcessEndsThatScopeAndTheInstanceGoesOn) {
  // given
  Driver d(Model()
               .start()
               .sub("pack")
               .in("pack")
               .start("s")
               .parallel("f")
               .user("a")
               .task("pay", external())
               .terminate("stop")
               .end("e")
               .path({"s", "f", "a", "stop"})
               .path({"f", "pay", "e"})
               .in("")
               .user("after")
               .end()
               .path({"start", "pack", "after", "end"})
               .build());
  // when
  ASSERT_TRUE(d.finish_user("a").ok());
  // then
  EXPECT_EQ(d.where(), "after: user");
  EXPECT_EQ(d.count("pack"), "1");
  EXPECT_EQ(d.count("pay"), "0 (1 cancelled)");
  EXPECT_TRUE(d.outside().jobs.empty());
}

TEST(TerminateEndEvent, EndsInnerScopesToo) {
  // given
  Driver d(Model()
               .start()
               .parallel("f")
               .user("a")
               .terminate("stop")
               .sub("pack")
               .in("pack")
               .start("s")
               .task("pay", external())
               .end("e")
               .path({"s", "pay", "e"})
               .in("")
               .end()
               .path({"start", "f", "a", "stop"})
               .path({"f", "pack", "end"})
               .build());
  // when
  ASSERT_TRUE(d.finish_user("a").ok());
  // then
  EXPECT_EQ(d.where(), "completed");
  EXPECT_EQ(d.count("pack"), "0 (1 cancelled)");
}

TEST(TerminateEndEvent, TakesAwayWhatTheSameStepHasBegun) {
  // given / when: the branch with the job runs first
  Driver d(Model()
               .start()
               .parallel("f")
               .task("pay", external())
               .terminate("stop")
               .end()
               .path({"start", "f", "pay", "end"})
               .path({"f", "stop"})
               .build(),
           {});
  // then
  EXPECT_EQ(d.where(), "completed");
  EXPECT_TRUE(d.outside().jobs.empty());
}

// --- error end ---

Model failing_pack(Profile profile = Profile::Headrace) {
  Model m(profile);
  m.start().sub("pack").in("pack").start("s").user("a").error_end("broken", "E1", "it broke").path({"s", "a", "broken"}).in("");
  m.user("after").end().path({"start", "pack", "after", "end"});
  return m;
}

TEST(ErrorEndEvent, IsCaughtByTheBoundaryOfItsSubProcess) {
  // given
  Driver d(failing_pack().catches("caught", "pack", "E1").user("mend").path({"caught", "mend", "end"}).build());
  // when
  ASSERT_TRUE(d.finish_user("a").ok());
  // then
  EXPECT_EQ(d.where(), "mend: user");
  EXPECT_EQ(d.count("pack"), "0 (1 cancelled)");
}

TEST(ErrorEndEvent, ThatIsCaughtDoesNotEndNormally) {
  // given
  Driver d(failing_pack().catches("caught", "pack", "E1").user("mend").path({"caught", "mend", "end"}).build());
  // when
  ASSERT_TRUE(d.finish_user("a").ok());
  // then
  EXPECT_EQ(d.count("broken"), "0 (1 cancelled)");
  EXPECT_EQ(d.count("caught"), "1");
}

TEST(ErrorEndEvent, UncaughtItFailsTheInstanceWithItsCodeAndNode) {
  // given
  Driver d(failing_pack().build());
  // when
  ASSERT_TRUE(d.finish_user("a").ok());
  // then
  EXPECT_EQ(d.where(), "failed");
  EXPECT_EQ(d.state().cold->ending.code, "E1");
  EXPECT_EQ(d.state().cold->ending.node, d.node("broken"));
  EXPECT_NE(d.state().cold->ending.reason.find("it broke"), std::string::npos);
}

TEST(ErrorEndEvent, UncaughtUnderCamunda7ItEndsItsPath) {
  // given
  Driver d(failing_pack(Profile::Camunda7).build());
  // when
  ASSERT_TRUE(d.finish_user("a").ok());
  // then
  EXPECT_EQ(d.where(), "after: user");
  EXPECT_EQ(d.count("broken"), "1");
}

}  // namespace
}  // namespace headrace::testing
