// Boundary error (BPMN 2.0, 10.5.7; ADR-021 2.6; design 4.12): the innermost matching handler, a code before a catch-all, never
// retried.

#include <gtest/gtest.h>

#include "support/driver.hpp"

namespace headrace::testing {
namespace {

using policy::Profile;

// outer { inner { pay } }, each level with the handlers that the test names as "host:code" ("host:" is a catch-all).
model::DefinitionPtr nested(std::initializer_list<std::pair<std::string, std::optional<std::string>>> handlers,
                            Profile profile = Profile::Headrace) {
  Model m(profile);
  m.start().sub("outer").end().path({"start", "outer", "end"});
  m.in("outer").start("s1").sub("inner").end("e1").path({"s1", "inner", "e1"});
  m.in("inner").start("s2").task("pay", external()).end("e2").path({"s2", "pay", "e2"});
  for (const auto& [host, code] : handlers) {
    m.in(host == "pay" ? "inner" : host == "inner" ? "outer" : "");
    const std::string id = host + "-" + code.value_or("any");
    m.catches(id, host, code).user("mend-" + id).path({id, "mend-" + id});
  }
  return m.build();
}

std::string handled_at(const Driver& d) {
  const std::string where = d.where();
  const std::size_t at = where.find("mend-");
  return at == std::string::npos ? where : where.substr(at + 5, where.find(':', at) - at - 5);
}

TEST(BoundaryError, CatchesTheErrorOfItsTask) {
  // given
  Driver d(nested({{"pay", "E1"}}));
  // when
  ASSERT_TRUE(d.bpmn_error("pay", "E1").ok());
  // then
  EXPECT_EQ(handled_at(d), "pay-E1");
  EXPECT_EQ(d.count("pay"), "0 (1 cancelled)");
}

TEST(BoundaryError, ACodeComesBeforeACatchAllInWhateverOrder) {
  // given
  Driver d(nested({{"pay", std::nullopt}, {"pay", "E1"}}));
  // when
  ASSERT_TRUE(d.bpmn_error("pay", "E1").ok());
  // then
  EXPECT_EQ(handled_at(d), "pay-E1");
}

TEST(BoundaryError, ACatchAllTakesEveryCode) {
  // given
  Driver d(nested({{"pay", "E2"}, {"pay", std::nullopt}}));
  // when
  ASSERT_TRUE(d.bpmn_error("pay", "E1").ok());
  // then
  EXPECT_EQ(handled_at(d), "pay-any");
}

TEST(BoundaryError, TheInnermostHandlerWins) {
  // given
  Driver d(nested({{"outer", "E1"}, {"inner", "E1"}}));
  // when
  ASSERT_TRUE(d.bpmn_error("pay", "E1").ok());
  // then
  EXPECT_EQ(handled_at(d), "inner-E1");
}

TEST(BoundaryError, AnInnerCatchAllWinsAgainstAnOuterCode) {
  // given
  Driver d(nested({{"outer", "E1"}, {"inner", std::nullopt}}));
  // when
  ASSERT_TRUE(d.bpmn_error("pay", "E1").ok());
  // then
  EXPECT_EQ(handled_at(d), "inner-any");
}

TEST(BoundaryError, AnErrorPassesHandlersOfOtherCodesOnItsWayOut) {
  // given
  Driver d(nested({{"pay", "E2"}, {"inner", "E3"}, {"outer", "E1"}}));
  // when
  ASSERT_TRUE(d.bpmn_error("pay", "E1").ok());
  // then
  EXPECT_EQ(handled_at(d), "outer-E1");
  EXPECT_EQ(d.state().scopes.size(), 1U);
  EXPECT_EQ(d.count("outer"), "0 (1 cancelled)");
}

TEST(BoundaryError, ItsVariablesAreWrittenBeforeTheHandlerRuns) {
  // given
  Driver d(nested({{"pay", "E1"}}));
  // when
  ASSERT_TRUE(d.bpmn_error("pay", "E1", vars({{"reason", "declined"}})).ok());
  // then
  EXPECT_EQ(d.variable("reason"), "\"declined\"");
}

// seed: ADR-021 2.6/5
TEST(BoundaryError, UncaughtItFailsTheInstance) {
  // given
  Driver d(nested({{"pay", "E2"}}));
  // when
  ASSERT_TRUE(d.bpmn_error("pay", "E1").ok());
  // then
  EXPECT_EQ(d.where(), "failed");
  EXPECT_EQ(d.state().cold->ending.code, "E1");
  EXPECT_EQ(d.state().cold->ending.node, d.node("pay"));
  EXPECT_EQ(d.effects_text(), "finish the instance\n");
}

TEST(BoundaryError, UncaughtUnderCamunda7ItEndsItsPathAndTheTaskCountsAsDone) {
  // given
  Driver d(nested({{"pay", "E2"}}, Profile::Camunda7));
  // when
  ASSERT_TRUE(d.bpmn_error("pay", "E1", vars({{"r", 1}})).ok());
  // then
  EXPECT_EQ(d.where(), "completed");
  EXPECT_EQ(d.count("pay"), "1");
  EXPECT_EQ(d.variable("r"), "1");
}

TEST(BoundaryError, OnUncaughtErrorIsTheTasksOwnChoice) {
  // given
  model::ServiceTaskConfig end = external();
  end.options.on_uncaught = policy::OnUncaughtError::End;
  model::ServiceTaskConfig fail = external();
  fail.options.on_uncaught = policy::OnUncaughtError::Fail;
  // when
  Driver ends(straight(end));
  ASSERT_TRUE(ends.bpmn_error("pay", "E1").ok());
  Driver fails(straight(fail, Profile::Camunda7));
  ASSERT_TRUE(fails.bpmn_error("pay", "E1").ok());
  // then
  EXPECT_EQ(ends.where(), "completed");
  EXPECT_EQ(fails.where(), "failed");
}

TEST(BoundaryError, UncaughtWithABoundaryTimerLeavesNothingArmed) {
  // given
  Driver d(Model(Profile::Camunda7)
               .start()
               .parallel("f")
               .task("pay", external())
               .user("other")
               .end()
               .timer("late", "pay", "PT1H")
               .path({"start", "f", "pay", "end"})
               .path({"f", "other", "end"})
               .path({"late", "end"})
               .build());
  // when
  ASSERT_TRUE(d.bpmn_error("pay", "E1").ok());
  // then
  EXPECT_EQ(d.where(), "other: user");
  EXPECT_TRUE(d.outside().timers.empty());
}

TEST(BoundaryError, AnErrorOfAJobInAnIncidentClosesIt) {
  // given
  Driver d(nested({{"pay", "E1"}}));
  ASSERT_TRUE(d.exhaust("pay").ok());
  // when
  ASSERT_TRUE(d.bpmn_error("pay", "E1").ok());
  // then
  EXPECT_EQ(handled_at(d), "pay-E1");
  EXPECT_TRUE(d.outside().incidents.empty());
}

TEST(BoundaryError, TheHandlersPathMayLeadBackAndCatchAgain) {
  // given
  Driver d(Model()
               .start()
               .task("pay", external())
               .end()
               .catches("again", "pay", "E1")
               .path({"start", "pay", "end"})
               .path({"again", "pay"})
               .build());
  ASSERT_TRUE(d.bpmn_error("pay", "E1").ok());
  ASSERT_EQ(d.job("pay").visit, 2U);
  // when
  ASSERT_TRUE(d.bpmn_error("pay", "E1").ok());
  // then
  EXPECT_EQ(d.where(), "pay: job");
  EXPECT_EQ(d.job("pay").visit, 3U);
}

}  // namespace
}  // namespace headrace::testing
