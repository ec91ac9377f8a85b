// Exclusive gateway (BPMN 2.0, 13.4.2): the first outgoing flow whose condition holds, otherwise the default, otherwise a runtime
// fault.

#include <gtest/gtest.h>

#include "support/driver.hpp"

namespace headrace::testing {
namespace {

using policy::Profile;

// big: over 100 goes to "large", over 10 to "medium", and so on.
Model sizes(Profile profile = Profile::Headrace) {
  Model m(profile);
  m.start().exclusive("big").end("large").end("medium").end("small").path({"start", "big"});
  m.flow("big", "large", "${amount > 100}").flow("big", "medium", "${amount > 10}");
  return m;
}

TEST(ExclusiveGateway, TakesTheFirstFlowWhoseConditionHolds) {
  // given / when
  Driver d(sizes().otherwise("big", "small").build(), vars({{"amount", 500}}));
  // then
  EXPECT_EQ(d.count("large"), "1");
  EXPECT_EQ(d.count("medium"), "0");
  EXPECT_EQ(d.count("big"), "1");
}

TEST(ExclusiveGateway, LooksAtFlowsInTheOrderOfTheModel) {
  // given / when
  Driver d(sizes().otherwise("big", "small").build(), vars({{"amount", 50}}));
  // then
  EXPECT_EQ(d.count("medium"), "1");
}

TEST(ExclusiveGateway, TakesTheDefaultWhenNoConditionHolds) {
  // given / when
  Driver d(sizes().otherwise("big", "small").build(), vars({{"amount", 5}}));
  // then
  EXPECT_EQ(d.count("small"), "1");
}

TEST(ExclusiveGateway, WithoutADefaultNoFlowIsAFault) {
  // given / when
  Driver d(sizes().flow("big", "small", "${false}").build(), vars({{"amount", 5}}));
  // then
  EXPECT_EQ(d.where(), "big: failed step");
  EXPECT_NE(d.incident()->failure.message.find("no condition holds and there is no default flow"), std::string::npos);
}

TEST(ExclusiveGateway, AConditionThatIsNoBooleanIsAFaultThatNamesTheFlow) {
  // given / when
  Driver d(Model().start().exclusive("big").end().path({"start", "big"}).flow("big", "end", "${amount + 1}").build(),
           vars({{"amount", 5}}));
  // then
  EXPECT_EQ(d.where(), "big: failed step");
  EXPECT_NE(d.incident()->failure.message.find("flow 'big_end'"), std::string::npos) << d.incident()->failure.message;
}

TEST(ExclusiveGateway, AnUnknownVariableIsAFaultThatNamesIt) {
  // given / when
  Driver d(sizes().otherwise("big", "small").build());
  // then
  EXPECT_EQ(d.where(), "big: failed step");
  EXPECT_EQ(d.incident()->kind, core::IncidentKind::FailedStep);
  EXPECT_NE(d.incident()->failure.message.find("amount"), std::string::npos);
}

TEST(ExclusiveGateway, ARetryLooksAtItsConditionsAgain) {
  // given
  Driver d(sizes().otherwise("big", "small").build());
  // when
  ASSERT_TRUE(d.run(core::SetVariables{vars({{"amount", 50}})}).ok());
  ASSERT_TRUE(d.run(core::RetryIncident{1, 1}).ok());
  // then
  EXPECT_EQ(d.where(), "completed");
  EXPECT_EQ(d.count("medium"), "1");
  EXPECT_EQ(d.count("big"), "1");
}

TEST(ExclusiveGateway, ARetryThatFailsAgainRaisesTheNextIncident) {
  // given
  Driver d(sizes().otherwise("big", "small").build());
  // when
  ASSERT_TRUE(d.run(core::RetryIncident{1, 1}).ok());
  // then
  EXPECT_EQ(d.where(), "big: failed step");
  EXPECT_EQ(d.incident()->number, 2U);
}

TEST(ExclusiveGateway, AnIncidentOfAGatewayCannotBeCompletedByHandNorRaiseAnError) {
  // given
  Driver d(sizes().otherwise("big", "small").build());
  // when
  const Status resolved = d.run(core::ResolveIncident{1, {}});
  const Status raised = d.run(core::RaiseIncidentError{1, "E", ""});
  // then
  ASSERT_FALSE(resolved.ok());
  EXPECT_EQ(resolved.error().code, ErrorCode::Conflict);
  ASSERT_FALSE(raised.ok());
  EXPECT_EQ(raised.error().code, ErrorCode::Conflict);
}

TEST(ExclusiveGateway, Camunda7RefusesTheStepThatAFaultEnds) {
  // given
  Driver d(Model(Profile::Camunda7)
               .start()
               .user("look")
               .exclusive("big")
               .end()
               .path({"start", "look", "big"})
               .flow("big", "end", "${amount > 10}")
               .build());
  // when
  const Status refused = d.finish_user("look");
  // then
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::Expression);
  EXPECT_EQ(d.where(), "look: user");
}

// --- conditions of the host ---

struct Anything final : model::Predicate {
  Result<bool> holds(const VariableBlock&) const override { return true; }
};

Driver asking(Profile profile = Profile::Headrace) {
  const auto asked = std::make_shared<Anything>();
  return Driver(Model(profile)
                    .start()
                    .user("look")
                    .exclusive("big")
                    .end("large")
                    .end("medium")
                    .end("small")
                    .path({"start", "look", "big"})
                    .flow("big", "large", asked)
                    .flow("big", "medium", asked)
                    .otherwise("big", "small")
                    .build(),
                vars({{"amount", 5}}));
}

TEST(ExclusiveGateway, AsksTheHostForAllItsCallablesAtOnceAndWaits) {
  // given
  Driver d = asking();
  // when
  ASSERT_TRUE(d.finish_user("look").ok());
  // then
  EXPECT_EQ(d.where(), "big: ask");
  EXPECT_EQ(d.effects_text(), "ask 2 conditions for token 1\n");
}

TEST(ExclusiveGateway, GoesByTheAnswers) {
  // given
  Driver d = asking();
  ASSERT_TRUE(d.finish_user("look").ok());
  // when
  ASSERT_TRUE(d.answer("big", {false, true}).ok());
  // then
  EXPECT_EQ(d.count("medium"), "1");
  EXPECT_EQ(d.count("big"), "1");
}

TEST(ExclusiveGateway, AnAnswerThatIsAnErrorIsAFaultAndARetryAsksAgain) {
  // given
  Driver d = asking();
  ASSERT_TRUE(d.finish_user("look").ok());
  // when
  ASSERT_TRUE(d.answer("big", {make_error(ErrorCode::Technical, "KeyError: 'size'"), true}).ok());
  // then
  EXPECT_EQ(d.where(), "big: failed step");
  EXPECT_NE(d.incident()->failure.message.find("KeyError"), std::string::npos);
  // and when
  ASSERT_TRUE(d.run(core::RetryIncident{1, 1}).ok());
  // then
  EXPECT_EQ(d.where(), "big: ask");
}

TEST(ExclusiveGateway, AMissingAnswerIsAFault) {
  // given
  Driver d = asking();
  ASSERT_TRUE(d.finish_user("look").ok());
  // when
  ASSERT_TRUE(d.answer("big", {false}).ok());
  // then
  EXPECT_EQ(d.where(), "big: failed step");
}

TEST(ExclusiveGateway, AnAnswerThatComesTwiceIsDropped) {
  // given
  Driver d = asking();
  ASSERT_TRUE(d.finish_user("look").ok());
  const core::Token t = *d.token_at("big");
  ASSERT_TRUE(d.answer("big", {true, true}).ok());
  // when
  const Status late = d.run(core::Answered{t.id, t.visit, {}, {}});
  // then
  EXPECT_FALSE(late.ok());
}

TEST(ConditionalFlow, ATasksFlowsAreAskedForBehindIt) {
  // given
  const auto asked = std::make_shared<Anything>();
  Driver d(Model()
               .start()
               .user("look")
               .end("yes")
               .end("no")
               .path({"start", "look"})
               .flow("look", "yes", asked)
               .otherwise("look", "no")
               .build());
  ASSERT_TRUE(d.finish_user("look").ok());
  ASSERT_EQ(d.where(), "look: ask");
  // when
  ASSERT_TRUE(d.answer("look", {false}).ok());
  // then
  EXPECT_EQ(d.count("no"), "1");
  EXPECT_EQ(d.count("look"), "1");
}

TEST(ConditionalFlow, AFailedAnswerBehindATaskKeepsWhatTheTaskDidAndARetryAsksAgain) {
  // given
  const auto asked = std::make_shared<Anything>();
  Driver d(Model()
               .start()
               .user("look")
               .end("yes")
               .end("no")
               .path({"start", "look"})
               .flow("look", "yes", asked)
               .otherwise("look", "no")
               .build());
  ASSERT_TRUE(d.finish_user("look", vars({{"seen", true}})).ok());
  // when
  ASSERT_TRUE(d.answer("look", {make_error(ErrorCode::Technical, "no")}).ok());
  // then
  EXPECT_EQ(d.where(), "look: failed step");
  EXPECT_EQ(d.variable("seen"), "true");
  ASSERT_TRUE(d.run(core::RetryIncident{1, 1}).ok());
  EXPECT_EQ(d.where(), "look: ask");
}

TEST(ConditionalFlow, EveryFlowThatHoldsGetsAToken) {
  // given
  Driver d(Model()
               .start()
               .user("look")
               .user("a")
               .user("b")
               .user("c")
               .end()
               .path({"start", "look"})
               .flow("look", "a", "${x > 1}")
               .flow("look", "b", "${x > 2}")
               .otherwise("look", "c")
               .path({"a", "end"})
               .path({"b", "end"})
               .path({"c", "end"})
               .build(),
           vars({{"x", 3}}));
  // when
  ASSERT_TRUE(d.finish_user("look").ok());
  // then
  EXPECT_EQ(d.where(), "a: user, b: user");
}

}  // namespace
}  // namespace headrace::testing
