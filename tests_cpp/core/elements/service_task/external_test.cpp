// Service task by an external worker (ADR-021 2.1; design 4.1, 4.5, 4.10, 4.11).

#include <gtest/gtest.h>

#include "support/driver.hpp"

namespace headrace::testing {
namespace {

using policy::FieldType;

TEST(ExternalTask, ParksUntilItsJobCompletes) {
  // given
  Driver d(straight(external()), vars({{"amount", 30}}));
  ASSERT_EQ(d.where(), "pay: job");
  // when
  const Status done = d.complete("pay", vars({{"receipt", "r-1"}}));
  // then
  EXPECT_TRUE(done.ok());
  EXPECT_EQ(d.where(), "completed");
  EXPECT_EQ(d.variable("receipt"), "\"r-1\"");
  EXPECT_EQ(d.count("pay"), "1");
}

TEST(ExternalTask, EnqueuesOneJobUnderRootInstanceTokenAndVisit) {
  // given / when
  Driver d(straight(external()));
  // then
  ASSERT_EQ(d.outside().jobs.size(), 1U);
  EXPECT_EQ(d.outside().jobs.begin()->first, (JobKey{7, 7, 1, 1}));
}

TEST(ExternalTask, ALoopsSecondPassIsANewKeyWithTheNextVisit) {
  // given
  Driver d(Model()
               .start()
               .task("pay", external())
               .exclusive("again")
               .end()
               .path({"start", "pay", "again"})
               .flow("again", "pay", "${more}")
               .otherwise("again", "end")
               .build(),
           vars({{"more", true}}));
  const JobKey first = d.job("pay");
  // when
  ASSERT_TRUE(d.complete("pay").ok());
  // then
  EXPECT_EQ(d.job("pay").token, first.token);
  EXPECT_EQ(d.job("pay").visit, first.visit + 1);
}

TEST(ExternalTask, AnOpenContractSeesTheVisibleVariables) {
  // given / when
  Driver d(straight(external()), vars({{"amount", 30}, {"item", "book"}}));
  // then
  EXPECT_EQ(d.effects_text(), "enqueue job 1:1 of pay {amount: 30, item: \"book\"}\n");
}

TEST(ExternalTask, AnOpenContractIsPublishedAnewWhenItsVariablesChange) {
  // given
  Driver d(straight(external()), vars({{"amount", 30}}));
  // when
  ASSERT_TRUE(d.run(core::SetVariables{vars({{"amount", 40}})}).ok());
  // then
  EXPECT_EQ(d.effects_text(), "publish to job 1:1 {amount: 40}\n");
}

TEST(ExternalTask, AMessageIsBoundFieldByFieldFromWhatIsVisible) {
  // given
  const auto op = contract({{"orderId", FieldType::String}, {"amount", FieldType::Float}});
  // when
  Driver d(straight(external(op)), vars({{"amount", 42.0}, {"other", true}, {"orderId", "o-1"}}));
  // then
  EXPECT_EQ(d.effects_text(), "enqueue job 1:1 of pay {orderId: \"o-1\", amount: 42.0}\n");
}

TEST(ExternalTask, ABoundMessageStaysAsItWasWhenVariablesChange) {
  // given
  Driver d(straight(external(contract({{"amount", FieldType::Int}}))), vars({{"amount", 30}}));
  // when
  ASSERT_TRUE(d.run(core::SetVariables{vars({{"amount", 40}})}).ok());
  // then
  EXPECT_EQ(d.effects_text(), "");
}

TEST(ExternalTask, AnIntWidensToAFloatField) {
  // given / when
  Driver d(straight(external(contract({{"amount", FieldType::Float}}))), vars({{"amount", 42}}));
  // then
  EXPECT_EQ(d.effects_text(), "enqueue job 1:1 of pay {amount: 42.0}\n");
  EXPECT_EQ(d.variable("amount"), "42");  // the variable itself is as it was
}

TEST(ExternalTask, AnOptionalFieldMayBeAbsentOrNull) {
  // given
  const auto op = contract({{"amount", FieldType::Int}, {"note", FieldType::String, true}});
  // when
  Driver absent(straight(external(op)), vars({{"amount", 1}}));
  Driver null(straight(external(op)), vars({{"amount", 1}, {"note", nullptr}}));
  // then
  EXPECT_EQ(absent.effects_text(), "enqueue job 1:1 of pay {amount: 1}\n");
  EXPECT_EQ(null.effects_text(), "enqueue job 1:1 of pay {amount: 1, note: null}\n");
}

TEST(ExternalTask, AMessageThatIsTheWholeScopeIsSharedNotCopied) {
  // given
  const VariableBlock start = vars({{"amount", 30}});
  // when
  Driver d(straight(external(contract({{"amount", FieldType::Int}}))), start);
  // then
  EXPECT_TRUE(d.outside().jobs.begin()->second.view.own().same_as(d.state().scopes[0].variables));
}

TEST(ExternalTask, AnAbsentFieldIsAFaultExhaustedAtOnceThatNamesIt) {
  // given / when
  Driver d(straight(external(contract({{"amount", FieldType::Int}, {"item", FieldType::String}}))), vars({{"item", 5}}));
  // then
  ASSERT_EQ(d.where(), "pay: failed step");
  EXPECT_TRUE(d.outside().jobs.empty());
  const core::Incident& i = *d.incident();
  EXPECT_EQ(i.kind, core::IncidentKind::FailedExternalTask);
  EXPECT_NE(i.failure.message.find("field 'amount' is absent"), std::string::npos) << i.failure.message;
  EXPECT_NE(i.failure.message.find("field 'item' is no "), std::string::npos) << i.failure.message;
  EXPECT_EQ(d.token_at("pay")->activity, core::ActivityState::Failing);
}

TEST(ExternalTask, AnOperatorsRetryBindsAgainUnderTheSameKey) {
  // given
  Driver d(straight(external(contract({{"amount", FieldType::Int}}))));
  const JobKey key = d.job("pay");
  // when
  ASSERT_TRUE(d.run(core::SetVariables{vars({{"amount", 30}})}).ok());
  ASSERT_TRUE(d.run(core::RetryIncident{1, 1}).ok());
  // then
  EXPECT_EQ(d.where(), "pay: job");
  EXPECT_EQ(d.job("pay"), key);
  EXPECT_EQ(d.outside().jobs.count(key), 1U);
  EXPECT_EQ(d.incident(), nullptr);
}

TEST(ExternalTask, ARetryThatCannotBindEitherRaisesTheNextIncident) {
  // given
  Driver d(straight(external(contract({{"amount", FieldType::Int}}))));
  // when
  ASSERT_TRUE(d.run(core::RetryIncident{1, 1}).ok());
  // then
  EXPECT_EQ(d.where(), "pay: failed step");
  EXPECT_EQ(d.incident()->number, 2U);
}

TEST(ExternalTask, ExhaustedRetriesRaiseAnIncidentAndTheActivityIsFailing) {
  // given
  Driver d(straight(external()));
  // when
  ASSERT_TRUE(d.exhaust("pay", "card reader is broken", 3).ok());
  // then
  EXPECT_EQ(d.where(), "pay: job");
  EXPECT_EQ(d.token_at("pay")->activity, core::ActivityState::Failing);
  EXPECT_EQ(d.state().state, core::InstanceState::Active);
  const core::Incident& i = *d.incident();
  EXPECT_EQ(i.kind, core::IncidentKind::FailedExternalTask);
  EXPECT_EQ(i.job, d.job("pay"));
  EXPECT_EQ(i.attempts, 3);
  EXPECT_EQ(i.failure.message, "card reader is broken");
  EXPECT_EQ(i.raised, d.now);
}

TEST(ExternalTask, NoErrorEventCatchesExhaustion) {
  // given
  Driver d(Model()
               .start()
               .task("pay", external())
               .end()
               .catches("any", "pay", std::nullopt)
               .end("handled")
               .path({"start", "pay", "end"})
               .path({"any", "handled"})
               .build());
  // when
  ASSERT_TRUE(d.exhaust("pay").ok());
  // then
  EXPECT_EQ(d.where(), "pay: job");
  EXPECT_EQ(d.count("any"), "0");
}

TEST(ExternalTask, OnExhaustedFailEndsTheInstanceWithTheDiagnostic) {
  // given
  model::ServiceTaskConfig pay = external();
  pay.options.on_exhausted = policy::OnExhausted::Fail;
  Driver d(straight(pay));
  // when
  ASSERT_TRUE(d.exhaust("pay", "card reader is broken", 1).ok());
  // then
  EXPECT_EQ(d.where(), "failed");
  const core::Ending& e = d.state().cold->ending;
  EXPECT_EQ(e.node, d.node("pay"));
  EXPECT_NE(e.reason.find("card reader is broken"), std::string::npos);
  EXPECT_NE(e.reason.find("topic 'charge-card'"), std::string::npos);
}

TEST(ExternalTask, ABindFaultUnderOnExhaustedFailLeavesNoTimerBehind) {
  // given
  model::ServiceTaskConfig pay = external(contract({{"amount", FieldType::Int}}));
  pay.options.on_exhausted = policy::OnExhausted::Fail;
  const auto order = Model()
                         .start()
                         .task("pay", pay)
                         .end()
                         .timer("late", "pay", "PT1H")
                         .end("stop")
                         .path({"start", "pay", "end"})
                         .path({"late", "stop"})
                         .build();
  // when
  Driver d(order);
  // then
  EXPECT_EQ(d.where(), "failed");
  EXPECT_TRUE(d.outside().timers.empty());
}

TEST(ExternalTask, ALateCompleteClosesTheIncident) {
  // given
  Driver d(straight(external()));
  ASSERT_TRUE(d.exhaust("pay").ok());
  // when
  ASSERT_TRUE(d.complete("pay").ok());
  // then
  EXPECT_EQ(d.where(), "completed");
  EXPECT_TRUE(d.outside().incidents.empty());
}

TEST(ExternalTask, AFurtherExhaustionReplacesTheIncident) {
  // given
  Driver d(straight(external()));
  ASSERT_TRUE(d.exhaust("pay", "first").ok());
  // when
  ASSERT_TRUE(d.exhaust("pay", "second").ok());
  // then
  EXPECT_EQ(d.state().cold->incidents.size(), 1U);
  EXPECT_EQ(d.incident()->failure.message, "second");
}

TEST(ExternalTask, AFailureWithVariablesWritesThemAndStaysParked) {
  // given
  Driver d(straight(external()));
  // when
  ASSERT_TRUE(d.report("pay", jobs::OutcomeVariables{vars({{"tries", 1}}), {}}).ok());
  // then
  EXPECT_EQ(d.where(), "pay: job");
  EXPECT_EQ(d.variable("tries"), "1");
  EXPECT_EQ(d.effects_text(), "publish to job 1:1 {tries: 1}\n");
}

TEST(ExternalTask, RetriesGivenByALateFailureCloseTheIncident) {
  // given
  Driver d(straight(external()));
  ASSERT_TRUE(d.exhaust("pay").ok());
  // when
  ASSERT_TRUE(d.report("pay", jobs::OutcomeVariables{{}, {}}).ok());
  // then
  EXPECT_EQ(d.incident(), nullptr);
  EXPECT_EQ(d.token_at("pay")->activity, core::ActivityState::Active);
}

TEST(ExternalTask, AReportForAnotherVisitFindsNoJob) {
  // given
  Driver d(straight(external()));
  JobKey old = d.job("pay");
  old.visit = 0;
  // when
  const Status refused = d.run(core::ReportOutcome{old, jobs::OutcomeCompleted{}});
  // then
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::JobNotFound);
}

TEST(ExternalTask, ASecondReportFindsNoJob) {
  // given
  Driver d(straight(external()));
  const JobKey key = d.job("pay");
  ASSERT_TRUE(d.complete("pay").ok());
  // when
  const Status refused = d.run(core::ReportOutcome{key, jobs::OutcomeCompleted{}});
  // then
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::JobNotFound);
}

TEST(ExternalTask, AJobThatCannotBeEnqueuedIsAFaultWithAnIncidentAndCanBeRetried) {
  // given
  Driver d(straight(external()));
  const JobKey key = d.job("pay");
  // when
  ASSERT_TRUE(d.run(core::EnqueueRefused{key, "the dispatcher refused the job"}).ok());
  // then
  EXPECT_EQ(d.where(), "pay: failed step");
  EXPECT_EQ(d.incident()->failure.message, "the dispatcher refused the job");
  // and when
  ASSERT_TRUE(d.run(core::RetryIncident{1, 1}).ok());
  // then
  EXPECT_EQ(d.effects_text(), "notice that incident 1 is closed\nenqueue job 1:1 of pay {}\n");
}

TEST(ExternalTask, ARefusalThatComesAfterTheReportIsNoJob) {
  // given
  Driver d(straight(external()));
  const JobKey key = d.job("pay");
  ASSERT_TRUE(d.exhaust("pay").ok());
  ASSERT_TRUE(d.complete("pay").ok());
  // when
  const Status late = d.run(core::EnqueueRefused{key, "no"});
  // then
  EXPECT_FALSE(late.ok());
}

}  // namespace
}  // namespace headrace::testing
