// Parallel gateway (BPMN 2.0, 13.4.1): waits for one token on each incoming flow, then puts one on each outgoing flow.

#include <gtest/gtest.h>

#include "support/driver.hpp"

namespace headrace::testing {
namespace {

using policy::Profile;

// Three ways out of "fork"; "a" and "b" end in "join", behind which "after" stands.
model::DefinitionPtr fork_and_join() {
  return Model()
      .start()
      .parallel("fork")
      .user("a")
      .user("b")
      .parallel("join")
      .user("after")
      .end()
      .path({"start", "fork", "a", "join", "after", "end"})
      .path({"fork", "b", "join"})
      .build();
}

TEST(ParallelGateway, PutsOneTokenOnEachOutgoingFlow) {
  // given / when
  Driver d(fork_and_join());
  // then
  EXPECT_EQ(d.where(), "a: user, b: user");
  EXPECT_EQ(d.count("fork"), "1");
}

TEST(ParallelGateway, WaitsForEveryIncomingFlow) {
  // given
  Driver d(fork_and_join());
  // when
  ASSERT_TRUE(d.finish_user("b").ok());
  // then
  EXPECT_EQ(d.where(), "a: user, join: join");
}

TEST(ParallelGateway, JoinsIntoOneToken) {
  // given
  Driver d(fork_and_join());
  ASSERT_TRUE(d.finish_user("b").ok());
  // when
  ASSERT_TRUE(d.finish_user("a").ok());
  // then
  EXPECT_EQ(d.where(), "after: user");
  EXPECT_EQ(d.count("join"), "2");  // counts what came in, as Camunda 7 does
}

// Both users lead to one incoming flow of the join; "c" leads to the other.
model::DefinitionPtr two_on_one_flow(Profile profile) {
  return Model(profile)
      .start()
      .parallel("fork")
      .user("a")
      .user("b")
      .user("c")
      .exclusive("merge")
      .parallel("join")
      .user("after")
      .end()
      .path({"start", "fork", "a", "merge", "join", "after", "end"})
      .path({"fork", "b", "merge"})
      .path({"fork", "c", "join"})
      .build();
}

TEST(ParallelGateway, TwoTokensOnOneFlowAreNoJoin) {
  // given
  Driver d(two_on_one_flow(Profile::Headrace));
  ASSERT_TRUE(d.finish_user("a").ok());
  // when
  ASSERT_TRUE(d.finish_user("b").ok());
  // then
  EXPECT_EQ(d.where(), "join: join, join: join, c: user");
}

TEST(ParallelGateway, ATokenThatIsLeftOverWaitsForTheNextRound) {
  // given
  Driver d(two_on_one_flow(Profile::Headrace));
  ASSERT_TRUE(d.finish_user("a").ok());
  ASSERT_TRUE(d.finish_user("b").ok());
  // when
  ASSERT_TRUE(d.finish_user("c").ok());
  // then
  EXPECT_EQ(d.where(), "join: join, after: user");
}

TEST(ParallelGateway, Camunda7CountsArrivalsWhateverFlowTheyCameBy) {
  // given
  Driver d(two_on_one_flow(Profile::Camunda7));
  ASSERT_TRUE(d.finish_user("a").ok());
  // when
  ASSERT_TRUE(d.finish_user("b").ok());
  // then
  EXPECT_EQ(d.where(), "after: user, c: user");
}

TEST(ParallelGateway, ANestedForkJoinsInsideItsBranch) {
  // given
  Driver d(Model()
               .start()
               .parallel("f1")
               .parallel("f2")
               .user("a")
               .user("b")
               .user("c")
               .parallel("j2")
               .parallel("j1")
               .end()
               .path({"start", "f1", "f2", "a", "j2", "j1", "end"})
               .path({"f2", "b", "j2"})
               .path({"f1", "c", "j1"})
               .build());
  // when
  ASSERT_TRUE(d.finish_user("a").ok());
  ASSERT_TRUE(d.finish_user("b").ok());
  // then
  EXPECT_EQ(d.where(), "c: user, j1: join");
  ASSERT_TRUE(d.finish_user("c").ok());
  EXPECT_EQ(d.where(), "completed");
}

TEST(ParallelGateway, TokensOfAnotherScopeDoNotJoin) {
  // given: a fork in front of a sub-process, so that it runs twice at once
  Driver d(Model()
               .start()
               .parallel("twice")
               .exclusive("merge")
               .sub("pack")
               .in("pack")
               .start("s")
               .parallel("f")
               .user("a")
               .user("b")
               .parallel("j")
               .end("e")
               .path({"s", "f", "a", "j", "e"})
               .path({"f", "b", "j"})
               .in("")
               .end()
               .path({"start", "twice"})
               .flow("twice", "merge")
               .exclusive("other")
               .path({"twice", "other", "merge", "pack", "end"})
               .build());
  ASSERT_EQ(d.state().scopes.size(), 3U);
  // when: "a" of the one and "b" of the other
  ASSERT_TRUE(d.finish_user("a").ok());
  const core::Token* waiting = d.token_at("j");
  ASSERT_NE(waiting, nullptr);
  for (const core::Token& t : d.state().tokens) {
    if (t.node != d.node("b") || t.scope == waiting->scope) continue;
    ASSERT_TRUE(d.run(core::CompleteUserTask{t.id, {}}).ok());
    break;
  }
  // then
  EXPECT_EQ(d.state().scopes.size(), 3U);
}

TEST(ParallelGateway, WaitingTokensEndWithTheirScope) {
  // given
  Driver d(fork_and_join());
  ASSERT_TRUE(d.finish_user("b").ok());
  // when
  ASSERT_TRUE(d.run(core::Cancel{"enough"}).ok());
  // then
  EXPECT_EQ(d.where(), "cancelled");
  EXPECT_EQ(d.count("join"), "0 (1 cancelled)");
}

}  // namespace
}  // namespace headrace::testing
