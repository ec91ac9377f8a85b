// Boundary timer, interrupting (BPMN 2.0, 13.5.3): runs while its activity is active; firing cancels the activity and takes its
// own flow.

#include <gtest/gtest.h>

#include "support/driver.hpp"

namespace headrace::testing {
namespace {

using policy::Profile;
using Type = model::TimerConfig::Type;

model::DefinitionPtr timed(std::string_view value, Type type = Type::Duration, Profile profile = Profile::Headrace) {
  return Model(profile)
      .start()
      .task("pay", external())
      .end()
      .timer("late", "pay", value, type)
      .user("call")
      .path({"start", "pay", "end"})
      .path({"late", "call", "end"})
      .build();
}

TEST(BoundaryTimer, IsArmedWhenItsActivityIsEntered) {
  // given / when
  Driver d(timed("PT1H"));
  // then
  EXPECT_EQ(d.timer_at("late")->due, d.now + Duration::hours(1));
  EXPECT_EQ(d.outside().timers.at(1), d.now + Duration::hours(1));
}

TEST(BoundaryTimer, IsDisarmedWhenItsActivityCompletes) {
  // given
  Driver d(timed("PT1H"));
  // when
  ASSERT_TRUE(d.complete("pay").ok());
  // then
  EXPECT_EQ(d.effects_text(), "disarm timer 1\nfinish the instance\n");
}

TEST(BoundaryTimer, FiringCancelsItsActivityAndTakesItsFlow) {
  // given
  Driver d(timed("PT1H"));
  // when
  ASSERT_TRUE(d.fire("late").ok());
  // then
  EXPECT_EQ(d.where(), "call: user");
  EXPECT_EQ(d.effects_text(), "withdraw job 1:1\ndisarm timer 1\n");
  EXPECT_EQ(d.count("pay"), "0 (1 cancelled)");
  EXPECT_EQ(d.count("late"), "1");
}

TEST(BoundaryTimer, FiresOnce) {
  // given
  Driver d(timed("PT1H"));
  ASSERT_TRUE(d.fire("late").ok());
  // when
  const Status again = d.run(core::TimerFired{1});
  // then
  ASSERT_FALSE(again.ok());
  EXPECT_EQ(again.error().code, ErrorCode::NotFound);
}

TEST(BoundaryTimer, WinsAgainstAReportThatComesLater) {
  // given
  Driver d(timed("PT1H"));
  const JobKey key = d.job("pay");
  ASSERT_TRUE(d.fire("late").ok());
  // when
  const Status late = d.run(core::ReportOutcome{key, jobs::OutcomeCompleted{}});
  // then
  ASSERT_FALSE(late.ok());
  EXPECT_EQ(late.error().code, ErrorCode::JobNotFound);
}

TEST(BoundaryTimer, TakesADate) {
  // given / when
  Driver d(timed("2027-02-01T00:00:00Z", Type::Date));
  // then
  EXPECT_EQ(to_text(d.timer_at("late")->due), "2027-02-01T00:00:00Z");
}

TEST(BoundaryTimer, MonthsFollowTheCalendar) {
  // given / when
  Driver d(timed("P1M"));
  // then
  EXPECT_EQ(to_text(d.timer_at("late")->due), "2027-02-15T08:00:00Z");
}

TEST(BoundaryTimer, TakesAnExpressionOverTheVariables) {
  // given
  Driver d(Model()
               .start()
               .user("look")
               .task("pay", external())
               .end()
               .timer("late", "pay", "${patience}")
               .path({"start", "look", "pay", "end"})
               .path({"late", "end"})
               .build());
  // when
  ASSERT_TRUE(d.finish_user("look", vars({{"patience", "PT5M"}})).ok());
  // then
  EXPECT_EQ(d.timer_at("late")->due, d.now + Duration::minutes(5));
}

TEST(BoundaryTimer, TakesADatetimeVariable) {
  // given
  Driver d(timed("${deadline}", Type::Date), vars({{"deadline", Driver::kStart + Duration::hours(7)}}));
  // when / then
  EXPECT_EQ(d.timer_at("late")->due, d.now + Duration::hours(7));
}

TEST(BoundaryTimer, AValueThatIsNoDurationIsAFaultInFrontOfItsActivity) {
  // given / when
  Driver d(timed("${patience}"), vars({{"patience", "soon"}}));
  // then
  EXPECT_EQ(d.where(), "pay: failed step");
  EXPECT_TRUE(d.outside().jobs.empty());
  EXPECT_NE(d.incident()->failure.message.find("timer 'late'"), std::string::npos) << d.incident()->failure.message;
  EXPECT_EQ(d.incident()->kind, core::IncidentKind::FailedStep);
}

TEST(BoundaryTimer, AValueOfAnotherKindIsAFaultThatNamesTheKind) {
  // given / when
  Driver d(timed("${patience}"), vars({{"patience", 5}}));
  // then
  EXPECT_NE(d.incident()->failure.message.find("found integer"), std::string::npos) << d.incident()->failure.message;
}

TEST(BoundaryTimer, AFaultyValueCanBeCorrectedAndRetried) {
  // given
  Driver d(timed("${patience}"), vars({{"patience", "soon"}}));
  // when
  ASSERT_TRUE(d.run(core::SetVariables{vars({{"patience", "PT5M"}})}).ok());
  ASSERT_TRUE(d.run(core::RetryIncident{1, 1}).ok());
  // then
  EXPECT_EQ(d.where(), "pay: job");
  EXPECT_EQ(d.job("pay").visit, 1U);
  EXPECT_NE(d.timer_at("late"), nullptr);
}

TEST(BoundaryTimer, Camunda7RefusesTheStepWithAFaultyValue) {
  // given
  Driver d(Model(Profile::Camunda7)
               .start()
               .user("look")
               .task("pay", external())
               .end()
               .timer("late", "pay", "${patience}")
               .path({"start", "look", "pay", "end"})
               .path({"late", "end"})
               .build());
  // when
  const Status refused = d.finish_user("look");
  // then
  EXPECT_FALSE(refused.ok());
  EXPECT_EQ(d.where(), "look: user");
}

TEST(BoundaryTimer, AFailingActivityKeepsItsTimer) {
  // given
  Driver d(timed("PT1H"));
  ASSERT_TRUE(d.exhaust("pay").ok());
  // when
  ASSERT_TRUE(d.fire("late").ok());
  // then
  EXPECT_EQ(d.where(), "call: user");
  EXPECT_TRUE(d.outside().incidents.empty());
  EXPECT_TRUE(d.outside().jobs.empty());
}

TEST(BoundaryTimer, OfTwoOnOneActivityTheFirstToFireDisarmsTheOther) {
  // given
  Driver d(Model()
               .start()
               .user("look")
               .end()
               .timer("first", "look", "PT1H")
               .timer("second", "look", "PT2H")
               .user("call")
               .path({"start", "look", "end"})
               .path({"first", "call", "end"})
               .path({"second", "end"})
               .build());
  ASSERT_EQ(d.outside().timers.size(), 2U);
  // when
  ASSERT_TRUE(d.fire("first").ok());
  // then
  EXPECT_TRUE(d.outside().timers.empty());
}

// --- camunda7: a step begun by a timer has three tries ---

Driver with_failing_timer_step() {
  return Driver(Model(Profile::Camunda7)
                    .start()
                    .task("pay", external())
                    .end()
                    .timer("late", "pay", "PT1H")
                    .exclusive("big")
                    .path({"start", "pay", "end"})
                    .path({"late", "big"})
                    .flow("big", "end", "${amount > 1}")
                    .build(),
                {});
}

void fail_once(Driver& d) {
  const Status fired = d.fire("late");
  ASSERT_FALSE(fired.ok());
  ASSERT_TRUE(d.run(core::TimerFailed{1, fired.error().message}).ok());
}

TEST(FailedTimerStep, IsUndoneAndLosesARetryAndIsDueAgain) {
  // given
  Driver d = with_failing_timer_step();
  // when
  fail_once(d);
  // then
  EXPECT_EQ(d.where(), "pay: job");
  EXPECT_EQ(d.timer_at("late")->retries, 2U);
  EXPECT_EQ(d.effects_text(), "arm timer 1 for " + to_text(d.now) + "\n");
}

TEST(FailedTimerStep, TheThirdFailureRaisesFailedJobAndTheJobStays) {
  // given
  Driver d = with_failing_timer_step();
  // when
  for (int i = 0; i < 3; ++i) fail_once(d);
  // then
  EXPECT_EQ(d.where(), "pay: job");
  EXPECT_EQ(d.incident()->kind, core::IncidentKind::FailedJob);
  EXPECT_EQ(d.incident()->node, d.node("late"));
  EXPECT_EQ(d.effects_text(), "notice incident 1\n");
}

TEST(FailedTimerStep, WithoutRetriesItDoesNotFireNorIsArmedByAResume) {
  // given
  Driver d = with_failing_timer_step();
  for (int i = 0; i < 3; ++i) fail_once(d);
  // when
  ASSERT_TRUE(d.run(core::Suspend{}).ok());
  ASSERT_TRUE(d.run(core::Resume{}).ok());
  // then
  EXPECT_TRUE(d.outside().timers.empty());
  const Status fired = d.run(core::TimerFired{1});
  ASSERT_FALSE(fired.ok());
  EXPECT_EQ(fired.error().code, ErrorCode::Conflict);
}

TEST(FailedTimerStep, AnOperatorsRetryArmsItAgain) {
  // given
  Driver d = with_failing_timer_step();
  for (int i = 0; i < 3; ++i) fail_once(d);
  // when
  ASSERT_TRUE(d.run(core::SetVariables{vars({{"amount", 5}})}).ok());
  ASSERT_TRUE(d.run(core::RetryIncident{1, 2}).ok());
  // then
  EXPECT_EQ(d.timer_at("late")->retries, 2U);
  EXPECT_EQ(d.outside().timers.count(1), 1U);
  ASSERT_TRUE(d.fire("late").ok());
  EXPECT_EQ(d.where(), "completed");
}

TEST(FailedTimerStep, ItsIncidentIsNotClosedByAnExhaustedJobOfTheActivity) {
  // given
  Driver d = with_failing_timer_step();
  for (int i = 0; i < 3; ++i) fail_once(d);
  // when
  ASSERT_TRUE(d.exhaust("pay").ok());
  // then
  EXPECT_EQ(d.outside().incidents, (std::set<std::uint32_t>{1, 2}));
}

TEST(FailedTimerStep, ItsIncidentEndsWithTheActivity) {
  // given
  Driver d = with_failing_timer_step();
  for (int i = 0; i < 3; ++i) fail_once(d);
  // when
  ASSERT_TRUE(d.complete("pay").ok());
  // then
  EXPECT_EQ(d.where(), "completed");
  EXPECT_TRUE(d.outside().incidents.empty());
}

TEST(FailedTimerStep, ItsIncidentCannotBeCompletedByHand) {
  // given
  Driver d = with_failing_timer_step();
  for (int i = 0; i < 3; ++i) fail_once(d);
  // when
  const Status refused = d.run(core::ResolveIncident{1, {}});
  // then
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::Conflict);
}

}  // namespace
}  // namespace headrace::testing
