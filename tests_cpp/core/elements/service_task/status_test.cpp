// WithStatus (ADR-021 2.6, design 4.10): a business status is a variable of its own, with a rule against clobbering.

#include <gtest/gtest.h>

#include "support/driver.hpp"

namespace headrace::testing {
namespace {

model::ServiceTaskConfig with_status(bool overwrite) {
  model::ServiceTaskConfig pay = external();
  pay.options.status = policy::StatusTarget{"payStatus", overwrite};
  return pay;
}

TEST(Status, IsWrittenToItsVariableAndTheTaskCompletes) {
  // given
  Driver d(straight(with_status(false)));
  // when
  ASSERT_TRUE(d.status("pay", "NOT_FOUND").ok());
  // then
  EXPECT_EQ(d.where(), "completed");
  EXPECT_EQ(d.variable("payStatus"), "\"NOT_FOUND\"");
}

// seed: ADR-021 2.6/28
TEST(Status, OverwritesAVariableWhenItMay) {
  // given
  Driver d(straight(with_status(true)), vars({{"payStatus", "old"}}));
  // when
  ASSERT_TRUE(d.status("pay", "new").ok());
  // then
  EXPECT_EQ(d.where(), "completed");
  EXPECT_EQ(d.variable("payStatus"), "\"new\"");
}

// seed: ADR-021 2.6/27
TEST(Status, ACollisionIsAnIncidentAtOnceThatNamesBothAndKeepsTheVariable) {
  // given
  Driver d(straight(with_status(false)), vars({{"payStatus", "old"}}));
  // when
  ASSERT_TRUE(d.status("pay", "new").ok());
  // then
  EXPECT_EQ(d.where(), "pay: job");
  EXPECT_EQ(d.incident()->job, d.state().job_key(d.state().tokens[0]));
  EXPECT_EQ(d.variable("payStatus"), "\"old\"");
  EXPECT_NE(d.incident()->failure.message.find("'pay'"), std::string::npos);
  EXPECT_NE(d.incident()->failure.message.find("variable 'payStatus' was written by the start or the API"), std::string::npos);
}

TEST(Status, ACollisionWithAnotherTasksOutputNamesThatTask) {
  // given
  Driver d(Model()
               .start()
               .task("look", external("look"))
               .task("pay", with_status(false))
               .end()
               .path({"start", "look", "pay", "end"})
               .build());
  ASSERT_TRUE(d.complete("look", vars({{"payStatus", "seen"}})).ok());
  // when
  ASSERT_TRUE(d.status("pay", "new").ok());
  // then
  EXPECT_NE(d.incident()->failure.message.find("was written by 'look'"), std::string::npos) << d.incident()->failure.message;
}

TEST(Status, WhatTheSameNodeWroteBeforeIsNoCollision) {
  // given
  Driver d(Model()
               .start()
               .task("pay", with_status(false))
               .exclusive("again")
               .end()
               .path({"start", "pay", "again"})
               .flow("again", "pay", "${payStatus == 'BUSY'}")
               .otherwise("again", "end")
               .build());
  ASSERT_TRUE(d.status("pay", "BUSY").ok());
  // when
  ASSERT_TRUE(d.status("pay", "DONE").ok());
  // then
  EXPECT_EQ(d.where(), "completed");
  EXPECT_EQ(d.variable("payStatus"), "\"DONE\"");
}

TEST(Status, ACollisionUnderOnExhaustedFailEndsTheInstance) {
  // given
  model::ServiceTaskConfig pay = with_status(false);
  pay.options.on_exhausted = policy::OnExhausted::Fail;
  Driver d(straight(pay), vars({{"payStatus", "old"}}));
  // when
  ASSERT_TRUE(d.status("pay", "new").ok());
  // then
  EXPECT_EQ(d.where(), "failed");
  EXPECT_NE(d.state().cold->ending.reason.find("payStatus"), std::string::npos);
}

TEST(Status, AnOperatorsRetryAfterACollisionEnqueuesTheWorkAgain) {
  // given
  Driver d(straight(with_status(false)), vars({{"payStatus", "old"}}));
  ASSERT_TRUE(d.status("pay", "new").ok());
  // when
  ASSERT_TRUE(d.run(core::RetryIncident{1, 1}).ok());
  // then
  EXPECT_EQ(d.where(), "pay: job");
}

// A sub-process whose task writes a status and then another one writes output of that name.
Driver inside_a_sub_process() {
  return Driver(Model()
                    .start()
                    .sub("pack")
                    .in("pack")
                    .start("s")
                    .task("pay", with_status(false))
                    .task("then", external("then"))
                    .end("e")
                    .path({"s", "pay", "then", "e"})
                    .in("")
                    .end()
                    .path({"start", "pack", "end"})
                    .build());
}

// seed: ADR-021 2.6/26
TEST(Status, GoesToTheScopeThatHoldsTheTaskWhenTheNameIsNotVisible) {
  // given
  Driver d = inside_a_sub_process();
  // when
  ASSERT_TRUE(d.status("pay", "OK").ok());
  // then
  EXPECT_EQ(d.variable("payStatus", 1), "\"OK\"");
  EXPECT_EQ(d.variable("payStatus"), "absent");
}

TEST(Output, GoesToTheNearestScopeThatHasTheName) {
  // given
  Driver d = inside_a_sub_process();
  ASSERT_TRUE(d.status("pay", "OK").ok());
  // when: stays parked, so that the inner scope can be looked at
  ASSERT_TRUE(d.report("then", jobs::OutcomeVariables{vars({{"payStatus", "seen"}, {"other", 1}}), {}}).ok());
  // then
  EXPECT_EQ(d.variable("payStatus", 1), "\"seen\"");
  EXPECT_EQ(d.variable("payStatus"), "absent");
  EXPECT_EQ(d.variable("other", 1), "absent");
  EXPECT_EQ(d.variable("other"), "1");
}

TEST(Output, AJobInASubProcessSeesInnerAndOuterVariables) {
  // given
  Driver d = inside_a_sub_process();
  ASSERT_TRUE(d.run(core::SetVariables{vars({{"amount", 30}})}).ok());
  // when
  ASSERT_TRUE(d.status("pay", "OK").ok());
  // then
  const VariableView& view = d.outside().jobs.begin()->second.view;
  EXPECT_NE(view.find("amount"), nullptr);
  EXPECT_NE(view.find("payStatus"), nullptr);
}

}  // namespace
}  // namespace headrace::testing
