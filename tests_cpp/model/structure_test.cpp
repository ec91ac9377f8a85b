#include <gtest/gtest.h>

#include "models.hpp"

namespace headrace::model::testing {
namespace {

TEST(Ids, AreNCNames) {
  for (const std::string id : {"", "1a", "a b", "a:b", "-a", ".a", "a\xED\xA0\x80", "a\xC3"}) {
    Builder b = straight();
    add(b, ElementKind::UserTask, id);
    EXPECT_EQ(b.build().faults.size(), 1U) << id;
    EXPECT_EQ(b.build().faults.at(0).rule, "bad-id") << id;
  }
  for (const std::string id : {"a", "_1", "a-b.c", "Größe", "注文", "a\xCC\x88"}) {
    Builder b = straight();
    add(b, ElementKind::UserTask, id);
    EXPECT_TRUE(b.build().definition) << id;
  }
}

TEST(Ids, AreUniqueOverProcessNodesAndFlowsAndBothLinesAreNamed) {
  Builder b("order", "", 1);
  add(b, ElementKind::StartEvent, "a", "", {}, 2);
  add(b, ElementKind::UserTask, "b", "", {}, 3);
  add(b, ElementKind::UserTask, "b", "", {}, 4);
  b.add_flow("a", "a", "b", {}, 5);
  add(b, ElementKind::UserTask, "order", "", {}, 6);
  EXPECT_EQ(rules_of(b), "duplicate-id b, duplicate-id a, duplicate-id order");
  EXPECT_NE(b.build().faults[0].message.find("userTask (line 3) and of a userTask (line 4)"), std::string::npos);
}

TEST(Ids, ThatDifferOnlyInCaseOrNormalFormAreTwoButWarn) {
  Builder b = straight();
  add(b, ElementKind::UserTask, "Task");
  EXPECT_TRUE(warns(b, "'Task': differs from 'task'"));
  Builder n = straight();
  add(n, ElementKind::UserTask, "prüfen");
  add(n, ElementKind::UserTask,
      "pru\xCC\x88"
      "fen");
  EXPECT_TRUE(warns(n, "similar-ids"));
  Builder c = straight();
  add(c, ElementKind::UserTask, "Ärger");
  add(c, ElementKind::UserTask, "ärger");
  EXPECT_TRUE(warns(c, "similar-ids"));
  Builder h = straight();
  add(h, ElementKind::UserTask, "\uD55C");
  add(h, ElementKind::UserTask, "\u1112\u1161\u11AB");
  EXPECT_TRUE(warns(h, "similar-ids"));
  EXPECT_FALSE(warns(straight(), "similar-ids"));
}

TEST(StartEvents, AreExactlyOneInAProcess) {
  Builder none("order");
  EXPECT_EQ(rules_of(none), "start-missing ");
  Builder two = straight();
  add(two, ElementKind::StartEvent, "again");
  EXPECT_EQ(rules_of(two), "start-duplicate again");
}

TEST(StartEvents, AreExactlyOneInASubProcess) {
  Builder none = straight(std::monostate(), ElementKind::SubProcess);
  EXPECT_EQ(rules_of(none), "start-missing task");
  Builder two = none;
  add(two, ElementKind::StartEvent, "one", "task");
  add(two, ElementKind::StartEvent, "two", "task");
  EXPECT_EQ(rules_of(two), "start-duplicate two");
}

TEST(StartEvents, HaveNoIncomingFlow) {
  Builder b = straight();
  flow(b, "task", "start");
  EXPECT_EQ(rules_of(b), "start-incoming start");
}

TEST(EndEvents, HaveNoOutgoingFlow) {
  for (const ElementKind kind : {ElementKind::EndEvent, ElementKind::TerminateEndEvent, ElementKind::ErrorEndEvent}) {
    Builder b = straight();
    add(b, kind, "stop", "", kind == ElementKind::ErrorEndEvent ? NodeConfig(ErrorConfig{"E", ""}) : NodeConfig());
    flow(b, "task", "stop");
    flow(b, "stop", "end");
    EXPECT_EQ(rules_of(b), "end-outgoing stop") << name_of(kind);
  }
}

TEST(EndEvents, OfAnErrorHaveACode) {
  Builder b = straight();
  add(b, ElementKind::ErrorEndEvent, "stop", "", ErrorConfig());
  EXPECT_EQ(rules_of(b), "error-code-missing stop");
}

Builder with_boundary(const std::string& host, const std::string& parent = "") {
  Builder b = straight();
  add(b, ElementKind::ExclusiveGateway, "gate");
  flow(b, "task", "gate");
  flow(b, "gate", "end");
  add(b, ElementKind::SubProcess, "sub");
  add(b, ElementKind::StartEvent, "inner", "sub");
  add(b, ElementKind::BoundaryError, "caught", parent, ErrorConfig());
  if (!host.empty()) b.attach("caught", host);
  return b;
}

TEST(BoundaryEvents, StandOnAnActivityOfTheirScope) {
  EXPECT_EQ(rules_of(with_boundary("task")), "");
  EXPECT_EQ(rules_of(with_boundary("sub")), "");
  EXPECT_EQ(rules_of(with_boundary("")), "boundary-not-attached caught");
  EXPECT_EQ(rules_of(with_boundary("gate")), "boundary-host caught");
  EXPECT_EQ(rules_of(with_boundary("end")), "boundary-host caught");
  EXPECT_EQ(rules_of(with_boundary("task", "sub")), "boundary-scope caught");
}

TEST(BoundaryEvents, HaveNoIncomingFlow) {
  Builder b = with_boundary("task");
  flow(b, "task", "caught");
  EXPECT_EQ(rules_of(b), "boundary-incoming caught");
}

TEST(BoundaryEvents, AreTheOnlyOnesThatAreAttached) {
  Builder b = with_boundary("task");
  b.attach("end", "task");
  EXPECT_EQ(rules_of(b), "boundary-kind end");
}

TEST(BoundaryEvents, ThatCanNeverCatchAreAWarning) {
  Builder b = with_boundary("task");
  add(b, ElementKind::BoundaryError, "second", "", ErrorConfig());
  b.attach("second", "task");
  EXPECT_TRUE(warns(b, "boundary-shadowed"));
  EXPECT_FALSE(warns(with_boundary("task"), "boundary-shadowed"));
}

TEST(Timers, WithALiteralThatIsNoTimeAreAFaultAndUnderCamunda7AWarning) {
  const auto timer = [](std::string_view text, TimerConfig::Type type = TimerConfig::Type::Duration) {
    Builder b = straight();
    add(b, ElementKind::BoundaryTimer, "timer", "", TimerConfig{type, expr::Expression::parse(text).value()});
    b.attach("timer", "task");
    return b;
  };
  EXPECT_EQ(rules_of(timer("one hour")), "timer-value timer");
  EXPECT_EQ(rules_of(timer("")), "timer-value timer");
  EXPECT_EQ(rules_of(timer("PT1H", TimerConfig::Type::Date)), "timer-value timer");
  Builder camunda = timer("one hour");
  camunda.set_profile(policy::Profile::Camunda7);
  EXPECT_TRUE(warns(camunda, "timer-value"));
  EXPECT_EQ(rules_of(timer("P1M")), "");
  EXPECT_EQ(rules_of(timer("2026-01-05T09:00:00Z", TimerConfig::Type::Date)), "");
  EXPECT_EQ(rules_of(timer("${delay}")), "");
}

TEST(Flows, WithAConditionThatIsNoExpressionAreAFaultAndUnderCamunda7AWarning) {
  const auto branch = [](std::string_view condition) {
    Builder b = straight();
    add(b, ElementKind::ExclusiveGateway, "gate");
    flow(b, "task", "gate");
    b.add_flow("yes", "gate", "end", when(condition));
    add(b, ElementKind::EndEvent, "other");
    b.add_flow("no", "gate", "other", std::nullopt);
    b.set_default("gate", "no");
    return b;
  };
  EXPECT_EQ(rules_of(branch("amount > 1")), "condition-text yes");
  EXPECT_EQ(rules_of(branch("")), "condition-text yes");
  EXPECT_EQ(rules_of(branch("true")), "condition-text yes");
  Builder camunda = branch("amount > 1");
  camunda.set_profile(policy::Profile::Camunda7);
  EXPECT_TRUE(warns(camunda, "condition-text"));
  for (const char* sound : {"${amount > 1}", "#{amount > 1}", "${true}"}) EXPECT_EQ(rules_of(branch(sound)), "") << sound;
}

TEST(DefaultFlows, AreOneOfAnElementAndTheFirstIsNotBlamed) {
  Builder b = straight();
  add(b, ElementKind::ExclusiveGateway, "gate");
  flow(b, "task", "gate");
  add(b, ElementKind::EndEvent, "other");
  b.add_flow("one", "gate", "end", std::nullopt);
  b.add_flow("two", "gate", "other", std::nullopt);
  b.set_default("gate", "one");
  b.set_default("gate", "two");

  const auto faults = b.build().faults;
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_EQ(faults[0].element, "gate");
  EXPECT_EQ(faults[0].message, "expected one default flow, but found two defaults: 'one' and 'two'");
}

TEST(Flows, StayInsideTheirSubProcess) {
  Builder in = with_boundary("task");
  flow(in, "task", "inner2");
  add(in, ElementKind::UserTask, "inner2", "sub");
  EXPECT_EQ(rules_of(in), "flow-crosses-scope task_inner2");
  Builder out = with_boundary("task");
  flow(out, "inner", "end");
  EXPECT_EQ(rules_of(out), "flow-crosses-scope inner_end");
}

TEST(Flows, HaveConditionsBehindExclusiveGatewaysAndActivitiesOnly) {
  Builder fine = straight();
  fine.add_flow("if", "task", "end", when("${a}"));
  EXPECT_EQ(rules_of(fine), "");
  Builder event = straight();
  event.add_flow("if", "start", "end", when("${a}"));
  EXPECT_EQ(rules_of(event), "condition-not-allowed if");
  Builder fork = straight();
  add(fork, ElementKind::ParallelGateway, "fork");
  fork.add_flow("if", "fork", "end", when("${a}"));
  EXPECT_EQ(rules_of(fork), "condition-not-allowed if");
}

TEST(DefaultFlows, LeaveTheirElementAndHaveNoCondition) {
  Builder fine = straight();
  fine.set_default("task", "task_end");
  EXPECT_EQ(rules_of(fine), "");
  Builder other = straight();
  other.set_default("task", "start_task");
  EXPECT_EQ(rules_of(other), "default-source task");
  Builder conditional = straight();
  conditional.add_flow("if", "task", "end", when("${a}"));
  conditional.set_default("task", "if");
  EXPECT_EQ(rules_of(conditional), "default-condition if");
  Builder event = straight();
  event.set_default("start", "start_task");
  EXPECT_EQ(rules_of(event), "default-not-allowed start");
}

Builder exclusive(int conditional, int open, bool with_default) {
  Builder b = straight();
  add(b, ElementKind::ExclusiveGateway, "gate");
  flow(b, "task", "gate");
  for (int i = 0; i < conditional; ++i) b.add_flow("c" + std::to_string(i), "gate", "end", when("${a}"));
  for (int i = 0; i < open; ++i) b.add_flow("o" + std::to_string(i), "gate", "end", {});
  if (with_default) {
    b.add_flow("d", "gate", "end", {});
    b.set_default("gate", "d");
  }
  return b;
}

TEST(ExclusiveGateways, HaveAConditionOnEachFlowButTheDefault) {
  EXPECT_EQ(rules_of(exclusive(2, 0, true)), "");
  EXPECT_EQ(rules_of(exclusive(0, 1, false)), "");
  EXPECT_EQ(rules_of(exclusive(1, 1, true)), "condition-missing o0");
  EXPECT_EQ(rules_of(exclusive(0, 2, false)), "condition-missing o1");
  EXPECT_EQ(rules_of(exclusive(0, 0, false)), "gateway-outgoing gate");
  EXPECT_TRUE(warns(exclusive(1, 1, false), "condition-missing"));
}

TEST(Reachability, IsWarnedOfThroughFlowsBoundariesAndSubProcesses) {
  EXPECT_FALSE(warns(with_boundary("task"), "'caught': no token"));
  EXPECT_TRUE(warns(with_boundary("task"), "'sub': no token"));
  EXPECT_TRUE(warns(with_boundary("task"), "'inner': no token"));
  Builder reached = with_boundary("task");
  flow(reached, "task", "sub");
  EXPECT_FALSE(warns(reached, "unreachable"));
}

TEST(Kinds, HaveBpmnsNamesAndKnowActivities) {
  EXPECT_EQ(name_of(ElementKind::StartEvent), "startEvent");
  EXPECT_EQ(name_of(ElementKind::SubProcess), "subProcess");
  EXPECT_EQ(name_of(ElementKind::BoundaryError), "boundaryError");
  EXPECT_TRUE(is_activity(ElementKind::ServiceTask) && is_activity(ElementKind::SubProcess) &&
              is_activity(ElementKind::UserTask) && is_activity(ElementKind::BusinessRuleTask));
  EXPECT_FALSE(is_activity(ElementKind::ExclusiveGateway) || is_activity(ElementKind::EndEvent) ||
               is_activity(ElementKind::BoundaryTimer));
}

}  // namespace
}  // namespace headrace::model::testing
