// What operators do with an instance (design 4.2, 4.11): cancel, suspend and resume, incidents.

#include <gtest/gtest.h>

#include "support/driver.hpp"

namespace headrace::testing {
namespace {

using policy::Profile;

// pay (with a timer), approve and a pooled operation, all at once.
model::DefinitionPtr three_at_once() {
  return Model()
      .start()
      .parallel("f")
      .task("pay", external())
      .user("approve")
      .task("print", in_process(functor([](const model::OperationCall&) { return model::OperationOutput{}; }, false)))
      .task("ship", external("ship"))
      .timer("slow", "ship", "P1D")
      .end()
      .timer("late", "pay", "PT1H")
      .path({"start", "f", "pay", "end"})
      .path({"f", "approve", "end"})
      .path({"f", "print", "ship", "end"})
      .path({"late", "end"})
      .path({"slow", "end"})
      .build();
}

TEST(Cancel, WithdrawsAllThatIsOutsideInOneStep) {
  // given
  Driver d(three_at_once());
  // when
  ASSERT_TRUE(d.run(core::Cancel{"customer left"}).ok());
  // then
  EXPECT_EQ(d.where(), "cancelled");
  EXPECT_EQ(d.effects_text(), "cancel operation of token 3\nwithdraw job 1:1\ndisarm timer 1\nfinish the instance\n");
  EXPECT_EQ(d.state().cold->ending.reason, "customer left");
  EXPECT_EQ(d.count("pay"), "0 (1 cancelled)");
  EXPECT_EQ(d.count("approve"), "0 (1 cancelled)");
}

TEST(Cancel, KeepsTheVariablesForReaders) {
  // given
  Driver d(three_at_once(), vars({{"amount", 30}}));
  // when
  ASSERT_TRUE(d.run(core::Cancel{""}).ok());
  // then
  EXPECT_EQ(d.variable("amount"), "30");
}

TEST(Cancel, ClosesIncidents) {
  // given
  Driver d(three_at_once());
  ASSERT_TRUE(d.exhaust("pay").ok());
  // when
  ASSERT_TRUE(d.run(core::Cancel{""}).ok());
  // then
  EXPECT_TRUE(d.outside().incidents.empty());
}

TEST(Cancel, ACancelledJobsReportFindsNoJob) {
  // given
  Driver d(three_at_once());
  const JobKey key = d.job("pay");
  ASSERT_TRUE(d.run(core::Cancel{""}).ok());
  // when
  const Status late = d.run(core::ReportOutcome{key, jobs::OutcomeCompleted{}});
  // then
  ASSERT_FALSE(late.ok());
  EXPECT_EQ(late.error().code, ErrorCode::JobNotFound);
}

TEST(Suspend, HoldsJobsAndTimers) {
  // given
  Driver d(three_at_once());
  // when
  ASSERT_TRUE(d.run(core::Suspend{}).ok());
  // then
  EXPECT_EQ(d.effects_text(), "suspend job 1:1\ndisarm timer 1\n");
  EXPECT_TRUE(d.state().suspended);
}

TEST(Suspend, RefusesReportsTimersAndUserTasksAndChangesNothing) {
  // given
  Driver d(three_at_once());
  ASSERT_TRUE(d.run(core::Suspend{}).ok());
  // when / then: that nothing changed is the driver's check
  for (const Status& refused :
       {d.complete("pay"), d.exhaust("pay"), d.finish_user("approve"), d.run(core::TimerFired{1}), d.run(core::Suspend{})}) {
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, ErrorCode::InstanceSuspended);
  }
}

TEST(Suspend, ResumeGivesJobsAndTimersBackWithTheirOldDueDate) {
  // given
  Driver d(three_at_once());
  const Instant due = d.timer_at("late")->due;
  ASSERT_TRUE(d.run(core::Suspend{}).ok());
  d.now = d.now + Duration::hours(5);
  // when
  ASSERT_TRUE(d.run(core::Resume{}).ok());
  // then
  EXPECT_EQ(d.effects_text(), "resume job 1:1\narm timer 1 for " + to_text(due) + "\n");
}

TEST(Suspend, AResultFromThePoolIsTakenAndWhatItBeginsIsHeld) {
  // given
  Driver d(three_at_once());
  ASSERT_TRUE(d.run(core::Suspend{}).ok());
  // when
  ASSERT_TRUE(d.operation("print", jobs::OutcomeCompleted{}).ok());
  // then
  EXPECT_EQ(d.effects_text(), "enqueue job 3:2 of ship {}\nsuspend job 3:2\n");
  // and when
  ASSERT_TRUE(d.run(core::Resume{}).ok());
  // then
  EXPECT_EQ(d.outside().timers.size(), 2U);
}

TEST(Suspend, ACancelWorksAllTheSame) {
  // given
  Driver d(three_at_once());
  ASSERT_TRUE(d.run(core::Suspend{}).ok());
  // when
  ASSERT_TRUE(d.run(core::Cancel{""}).ok());
  // then
  EXPECT_EQ(d.where(), "cancelled");
  EXPECT_FALSE(d.state().suspended);
}

TEST(Suspend, OnlyASuspendedInstanceResumes) {
  // given
  Driver d(three_at_once());
  // when
  const Status refused = d.run(core::Resume{});
  // then
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::Conflict);
}

TEST(Incident, ARetryGivesTheJobNewTriesUnderTheSameKey) {
  // given
  Driver d(straight(external()));
  const JobKey key = d.job("pay");
  ASSERT_TRUE(d.exhaust("pay").ok());
  // when
  ASSERT_TRUE(d.run(core::RetryIncident{1, 2}).ok());
  // then
  EXPECT_EQ(d.effects_text(), "notice that incident 1 is closed\nretry job 1:1, 2 times\n");
  EXPECT_EQ(d.job("pay"), key);
  EXPECT_EQ(d.token_at("pay")->activity, core::ActivityState::Active);
}

TEST(Incident, ANegativeNumberOfTriesIsRefused) {
  // given
  Driver d(straight(external()));
  ASSERT_TRUE(d.exhaust("pay").ok());
  // when
  const Status refused = d.run(core::RetryIncident{1, -1});
  // then
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::Validation);
}

TEST(Incident, ResolvingCompletesTheTaskByHand) {
  // given
  Driver d(straight(external()));
  ASSERT_TRUE(d.exhaust("pay").ok());
  // when
  ASSERT_TRUE(d.run(core::ResolveIncident{1, vars({{"receipt", "by hand"}})}).ok());
  // then
  EXPECT_EQ(d.where(), "completed");
  EXPECT_EQ(d.variable("receipt"), "\"by hand\"");
  EXPECT_EQ(d.effects_text(), "finish job 1:1: completed\nnotice that incident 1 is closed\nfinish the instance\n");
}

TEST(Incident, RaisingAnErrorEndsTheJobAndTakesTheHandlersWay) {
  // given
  Driver d(Model()
               .start()
               .task("pay", external())
               .end()
               .catches("declined", "pay", "E1")
               .user("call")
               .path({"start", "pay", "end"})
               .path({"declined", "call", "end"})
               .build());
  ASSERT_TRUE(d.exhaust("pay").ok());
  // when
  ASSERT_TRUE(d.run(core::RaiseIncidentError{1, "E1", "declined by phone"}).ok());
  // then
  EXPECT_EQ(d.where(), "call: user");
  EXPECT_EQ(d.effects_text(), "finish job 1:1: failed\nnotice that incident 1 is closed\n");
}

TEST(Incident, RaisingAnErrorThatNobodyCatchesFailsTheInstance) {
  // given
  Driver d(straight(external()));
  ASSERT_TRUE(d.exhaust("pay").ok());
  // when
  ASSERT_TRUE(d.run(core::RaiseIncidentError{1, "E1", ""}).ok());
  // then
  EXPECT_EQ(d.where(), "failed");
  EXPECT_TRUE(d.outside().jobs.empty());
}

TEST(Incident, RaisingAnErrorNeedsACode) {
  // given
  Driver d(straight(external()));
  ASSERT_TRUE(d.exhaust("pay").ok());
  // when
  const Status refused = d.run(core::RaiseIncidentError{1, "", ""});
  // then
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::Validation);
}

TEST(Incident, BehindATaskThatIsDoneNoErrorCanBeRaisedNorTheTaskResolved) {
  // given
  Driver d(Model().start().task("pay", external()).end().path({"start", "pay"}).flow("pay", "end", "${missing}").build());
  ASSERT_TRUE(d.complete("pay").ok());
  ASSERT_EQ(d.where(), "pay: failed step");
  // when
  const Status raised = d.run(core::RaiseIncidentError{1, "E1", ""});
  const Status resolved = d.run(core::ResolveIncident{1, {}});
  // then
  ASSERT_FALSE(raised.ok());
  EXPECT_EQ(raised.error().code, ErrorCode::Conflict);
  ASSERT_FALSE(resolved.ok());
  EXPECT_EQ(resolved.error().code, ErrorCode::Conflict);
}

TEST(Incident, CanBeAnnotatedAlsoWhileSuspended) {
  // given
  Driver d(straight(external()));
  ASSERT_TRUE(d.exhaust("pay").ok());
  ASSERT_TRUE(d.run(core::AnnotateIncident{1, "called the bank"}).ok());
  ASSERT_TRUE(d.run(core::Suspend{}).ok());
  // when
  ASSERT_TRUE(d.run(core::AnnotateIncident{1, "they call back"}).ok());
  // then
  EXPECT_EQ(d.incident()->notes, (std::vector<std::string>{"called the bank", "they call back"}));
}

TEST(Incident, AnUnknownNumberIsNotFound) {
  // given
  Driver d(straight(external()));
  // when / then
  for (const Status& refused : {d.run(core::RetryIncident{1, 1}), d.run(core::ResolveIncident{1, {}}),
                                d.run(core::RaiseIncidentError{1, "E", ""}), d.run(core::AnnotateIncident{1, ""})}) {
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, ErrorCode::NotFound);
    EXPECT_NE(refused.error().message.find("'7:1'"), std::string::npos) << refused.error().message;
  }
}

TEST(Incident, AnInProcessTaskCanBeResolvedByHand) {
  // given
  Driver d(straight(in_process(functor([](const model::OperationCall&) { return fault(1, "no"); }))));
  // when
  ASSERT_TRUE(d.run(core::ResolveIncident{1, vars({{"receipt", 1}})}).ok());
  // then
  EXPECT_EQ(d.where(), "completed");
}

}  // namespace
}  // namespace headrace::testing
