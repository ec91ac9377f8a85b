// A condition that fails behind a worker's report: the two profiles of design 1.2, to the last field of the state.

#include <gtest/gtest.h>

#include "support/driver.hpp"

namespace headrace::testing {
namespace {

using policy::Profile;

Driver behind_a_report(Profile profile) {
  return Driver(Model(profile)
                    .start()
                    .task("pay", external())
                    .exclusive("big")
                    .user("approve")
                    .end()
                    .timer("late", "pay", "PT1H")
                    .path({"start", "pay", "big"})
                    .flow("big", "approve", "${amount > limit}")
                    .otherwise("big", "end")
                    .path({"approve", "end"})
                    .path({"late", "end"})
                    .build(),
                vars({{"amount", 1500}}));
}

TEST(Headrace, TheReportIsTakenAndTheTokenStandsInFrontOfTheFailedGateway) {
  // given
  Driver d = behind_a_report(Profile::Headrace);
  // when
  const Status reported = d.complete("pay", vars({{"receipt", "r-1"}}));
  // then: report, output, task and timer stand
  EXPECT_TRUE(reported.ok());
  EXPECT_EQ(d.variable("receipt"), "\"r-1\"");
  EXPECT_EQ(d.count("pay"), "1");
  EXPECT_EQ(d.effects_text(), "disarm timer 1\nnotice incident 1\n");
  EXPECT_TRUE(d.outside().jobs.empty());
  // the gateway's own part is undone
  EXPECT_EQ(d.count("big"), "0");
  ASSERT_EQ(d.state().tokens.size(), 1U);
  const core::Token& t = d.state().tokens[0];
  EXPECT_EQ(t.id, 1U);
  EXPECT_EQ(t.node, d.node("big"));
  EXPECT_EQ(d.definition().flow(t.via).id, "pay_big");
  EXPECT_EQ(t.scope, 0U);
  EXPECT_EQ(t.visit, 1U);
  EXPECT_EQ(t.wait, core::Wait::FailedStep);
  EXPECT_EQ(t.activity, core::ActivityState::None);
  EXPECT_FALSE(t.failed_leaving);
}

TEST(Headrace, TheIncidentNamesFlowAndVariableAndTheInstanceLives) {
  // given
  Driver d = behind_a_report(Profile::Headrace);
  // when
  ASSERT_TRUE(d.complete("pay").ok());
  // then
  const core::Incident& i = *d.incident();
  EXPECT_EQ(i.kind, core::IncidentKind::FailedStep);
  EXPECT_EQ(i.node, d.node("big"));
  EXPECT_EQ(i.token, 1U);
  EXPECT_EQ(i.raised, d.now);
  EXPECT_EQ(i.job, JobKey{});
  EXPECT_NE(i.failure.message.find("'big_approve'"), std::string::npos) << i.failure.message;
  EXPECT_NE(i.failure.message.find("limit"), std::string::npos) << i.failure.message;
  EXPECT_EQ(d.state().state, core::InstanceState::Active);
  EXPECT_EQ(d.state().sequence, 2U);
}

TEST(Headrace, ARetryReEntersTheGatewayAfterTheVariablesWereCorrected) {
  // given
  Driver d = behind_a_report(Profile::Headrace);
  ASSERT_TRUE(d.complete("pay").ok());
  // when
  ASSERT_TRUE(d.run(core::SetVariables{vars({{"limit", 1000}})}).ok());
  ASSERT_TRUE(d.run(core::RetryIncident{1, 1}).ok());
  // then
  EXPECT_EQ(d.where(), "approve: user");
  EXPECT_EQ(d.count("big"), "1");
  EXPECT_EQ(d.count("pay"), "1");
  EXPECT_EQ(d.incident(), nullptr);
}

TEST(Headrace, TheRestOfTheStepStands) {
  // given: one branch fails, the other one goes on
  Driver d(Model()
               .start()
               .task("pay", external())
               .parallel("f")
               .exclusive("big")
               .user("approve")
               .end()
               .path({"start", "pay", "f", "big"})
               .flow("big", "end", "${missing}")
               .path({"f", "approve", "end"})
               .build());
  // when
  ASSERT_TRUE(d.complete("pay").ok());
  // then
  EXPECT_EQ(d.where(), "big: failed step, approve: user");
}

TEST(Headrace, AConditionOnATasksOwnFlowFailsBehindTheTask) {
  // given
  Driver d(Model().start().task("pay", external()).end().path({"start", "pay"}).flow("pay", "end", "${missing}").build());
  // when
  ASSERT_TRUE(d.complete("pay", vars({{"receipt", 1}})).ok());
  // then
  EXPECT_EQ(d.count("pay"), "1");
  EXPECT_EQ(d.variable("receipt"), "1");
  EXPECT_TRUE(d.token_at("pay")->failed_leaving);
  // and when
  ASSERT_TRUE(d.run(core::SetVariables{vars({{"missing", true}})}).ok());
  ASSERT_TRUE(d.run(core::RetryIncident{1, 1}).ok());
  // then: the task is not done again
  EXPECT_EQ(d.where(), "completed");
  EXPECT_EQ(d.count("pay"), "1");
}

TEST(Camunda7, TheWholeStepIsUndoneByteForByteAndTheReporterGetsTheError) {
  // given
  Driver d = behind_a_report(Profile::Camunda7);
  const std::string before = core::encode_state(d.state());
  // when
  const Status reported = d.complete("pay", vars({{"receipt", "r-1"}}));
  // then
  ASSERT_FALSE(reported.ok());
  EXPECT_EQ(reported.error().code, ErrorCode::Expression);
  EXPECT_NE(reported.error().message.find("'big_approve'"), std::string::npos) << reported.error().message;
  EXPECT_NE(reported.error().message.find("limit"), std::string::npos) << reported.error().message;
  EXPECT_EQ(core::encode_state(d.state()), before);
  EXPECT_TRUE(d.effects().empty());
  EXPECT_TRUE(d.events().empty());
}

TEST(Camunda7, TheJobCanBeReportedAgainWithWhatWasMissing) {
  // given
  Driver d = behind_a_report(Profile::Camunda7);
  const JobKey key = d.job("pay");
  ASSERT_FALSE(d.complete("pay").ok());
  ASSERT_EQ(d.job("pay"), key);
  // when
  ASSERT_TRUE(d.complete("pay", vars({{"limit", 2000}})).ok());
  // then
  EXPECT_EQ(d.where(), "completed");
  EXPECT_EQ(d.state().sequence, 2U);
}

TEST(Camunda7, AStepUndoneInTheMiddleOfACommitLeavesTheStepsBefore) {
  // given: two steps in one buffer, as a shard batches them
  const auto definition = behind_a_report(Profile::Camunda7).state().definition;
  core::Instance inst;
  core::StepBuffer buffer;
  core::Undo undo;
  ASSERT_TRUE(
      core::step(inst, {core::StartInstance{7, definition, vars({{"amount", 1}}), {}, {}}, Driver::kStart, 0, ""}, buffer, undo)
          .ok());
  const std::size_t events = buffer.events.size();
  const std::size_t effects = buffer.effects.size();
  const std::string before = core::encode_state(inst);
  // when
  const Status refused =
      core::step(inst, {core::ReportOutcome{{7, 7, 1, 1}, jobs::OutcomeCompleted{}}, Driver::kStart, 0, ""}, buffer, undo);
  // then
  EXPECT_FALSE(refused.ok());
  EXPECT_EQ(buffer.events.size(), events);
  EXPECT_EQ(buffer.effects.size(), effects);
  EXPECT_EQ(core::encode_state(inst), before);
  // and the next one goes on from there
  ASSERT_TRUE(core::step(inst, {core::Cancel{""}, Driver::kStart, 0, ""}, buffer, undo).ok());
  EXPECT_EQ(inst.state, core::InstanceState::Cancelled);
}

// --- limits (design 1.12) ---

class EndlessLoop : public ::testing::TestWithParam<Profile> {};

TEST_P(EndlessLoop, IsUndoneAndTheErrorNamesANodeOfIt) {
  // given
  Driver d(Model(GetParam())
               .start()
               .user("look")
               .exclusive("round")
               .end()
               .path({"start", "look", "round"})
               .flow("round", "round", "${endless}")
               .otherwise("round", "end")
               .build(),
           vars({{"endless", true}}));
  // when
  const Status refused = d.finish_user("look");
  // then
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::Technical);
  EXPECT_NE(refused.error().message.find("'round'"), std::string::npos) << refused.error().message;
  EXPECT_NE(refused.error().message.find("10000"), std::string::npos) << refused.error().message;
  EXPECT_EQ(d.where(), "look: user");
}

INSTANTIATE_TEST_SUITE_P(Profiles, EndlessLoop, ::testing::Values(Profile::Headrace, Profile::Camunda7),
                         [](const auto& p) { return p.param == Profile::Headrace ? "Headrace" : "Camunda7"; });

TEST(LongLoop, UnderTheLimitIsRun) {
  // given
  const auto count = [](const model::OperationCall& call) {
    return model::OperationOutput{vars({{"n", codec::decode(call.input.find("n")->encoded()).as_int() + 1}})};
  };
  // when
  core::Instance inst;
  core::StepBuffer buffer;
  core::Undo undo;
  const auto definition = Model()
                              .start()
                              .task("count", in_process(functor(count)))
                              .exclusive("more")
                              .end()
                              .path({"start", "count", "more"})
                              .flow("more", "count", "${n < 4900}")
                              .otherwise("more", "end")
                              .build();
  const Status ran =
      core::step(inst, {core::StartInstance{7, definition, vars({{"n", 0}}), {}, {}}, Driver::kStart, 0, ""}, buffer, undo);
  // then
  EXPECT_TRUE(ran.ok());
  EXPECT_EQ(inst.state, core::InstanceState::Completed);
}

}  // namespace
}  // namespace headrace::testing
