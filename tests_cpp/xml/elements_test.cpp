#include <gtest/gtest.h>

#include "files.hpp"

namespace headrace::xml::testing {
namespace {

using model::ElementKind;
using model::Node;
class OrderModel : public ::testing::Test {
 protected:
  void SetUp() override {
    result_ = read_bpmn(model_file("order.bpmn"));
    ASSERT_EQ(result_.definitions.size(), 1U) << model::to_text("order", result_.faults);
  }
  const model::Definition& order() const { return *result_.definitions[0]; }
  const Node& node(const char* id) const { return order().node(order().find_node(id)); }
  const model::Flow& flow(const std::string& id) const {
    for (const model::Flow& f : order().flows) {
      if (f.id == id) return f;
    }
    ADD_FAILURE() << id;
    return order().flows[0];
  }
  ReadResult result_;
};

TEST_F(OrderModel, IsReadWithAnyPrefixOnlyTheExecutableProcess) {
  EXPECT_EQ(order().id, "order");
  EXPECT_EQ(order().name, "Order & pay");
  EXPECT_EQ(order().profile, policy::Profile::Camunda7);
  EXPECT_EQ(order().source, model_file("order.bpmn"));
  EXPECT_EQ(order().nodes.size(), 17U);
  EXPECT_EQ(order().flows.size(), 15U);
  EXPECT_TRUE(order().warnings.empty()) << order().warnings[0];
}

TEST_F(OrderModel, GivesEachElementItsKindAndLine) {
  EXPECT_EQ(node("start").kind, ElementKind::StartEvent);
  EXPECT_EQ(node("fork").kind, ElementKind::ParallelGateway);
  EXPECT_EQ(node("pay").kind, ElementKind::ServiceTask);
  EXPECT_EQ(node("pack").kind, ElementKind::SubProcess);
  EXPECT_EQ(node("wrap").kind, ElementKind::UserTask);
  EXPECT_EQ(node("big").kind, ElementKind::ExclusiveGateway);
  EXPECT_EQ(node("done").kind, ElementKind::EndEvent);
  EXPECT_EQ(node("stop").kind, ElementKind::TerminateEndEvent);
  EXPECT_EQ(node("fault").kind, ElementKind::ErrorEndEvent);
  EXPECT_EQ(node("start").line, 11);
  EXPECT_EQ(node("pay").line, 13);
}

TEST_F(OrderModel, MakesAnExternalTaskAWorkersTaskWithAnOpenContract) {
  const model::ServiceTaskConfig& pay = node("pay").service();
  EXPECT_EQ(pay.locus, model::Locus::Worker);
  EXPECT_EQ(pay.topic, "charge-card");
  EXPECT_EQ(pay.operation, nullptr);
  EXPECT_EQ(pay.priority, -7);
  EXPECT_EQ(pay.implementation, "##WebService");
}

TEST_F(OrderModel, PutsTheContentOfASubProcessInItsScope) {
  EXPECT_EQ(node("wrap").parent, node("pack").index);
  EXPECT_EQ(node("pack").start, node("pack-start").index);
  EXPECT_EQ(order().start, node("start").index);
}

TEST_F(OrderModel, ReadsBoundaryTimersAndErrors) {
  EXPECT_EQ(node("late").kind, ElementKind::BoundaryTimer);
  EXPECT_EQ(node("late").attached_to, node("pack").index);
  EXPECT_EQ(node("late").timer().type, model::TimerConfig::Type::Duration);
  EXPECT_EQ(node("late").timer().value.text(), "PT1H");
  EXPECT_EQ(node("dated").timer().type, model::TimerConfig::Type::Date);
  EXPECT_EQ(node("refused").kind, ElementKind::BoundaryError);
  EXPECT_EQ(node("refused").error().code, "CARD_DECLINED");
  EXPECT_EQ(node("any").error().code, std::nullopt);
  EXPECT_EQ(node("fault").error().code, "CARD_DECLINED");
  EXPECT_EQ(node("fault").error().message, "card declined");
}

TEST_F(OrderModel, ReadsConditionsAndTheDefaultFlow) {
  ASSERT_TRUE(flow("large").condition);
  EXPECT_EQ(flow("large").condition->expression.text(), "${amount >= 1000}");
  EXPECT_FALSE(flow("small").condition);
  EXPECT_EQ(node("big").default_flow, flow("small").index);
}

TEST_F(OrderModel, KeepsTheDecisionOfABusinessRuleTask) {
  EXPECT_EQ(node("rate").kind, ElementKind::BusinessRuleTask);
  EXPECT_EQ(std::get<model::BusinessRuleConfig>(node("rate").config).decision_ref, "rating");
}

TEST_F(OrderModel, ReadsTheDrawingOfNodesAndFlows) {
  ASSERT_EQ(order().diagram.shapes.size(), 1U);
  EXPECT_EQ(order().diagram.shapes[0].node, node("pay").index);
  EXPECT_EQ(order().diagram.shapes[0].x, 100.5);
  EXPECT_EQ(order().diagram.shapes[0].y, -20);
  ASSERT_EQ(order().diagram.edges.size(), 1U);
  EXPECT_EQ(order().diagram.edges[0].waypoints, (std::vector<std::pair<double, double>>{{1, 2}, {3, 4}}));
}

TEST(Profile, IsCamunda7WithVendorContentAndHeadraceWithout) {
  const auto profile = [](const std::string& text, std::optional<policy::Profile> given = {}) {
    return read_bpmn(text, given).definitions.at(0)->profile;
  };
  EXPECT_EQ(profile(external()), policy::Profile::Camunda7);
  EXPECT_EQ(profile(user_task("")), policy::Profile::Headrace);  // the namespace is declared and not used
  EXPECT_EQ(profile(external(), policy::Profile::Headrace), policy::Profile::Headrace);
  EXPECT_EQ(profile(user_task(""), policy::Profile::Camunda7), policy::Profile::Camunda7);
}

TEST(ExecutableProcesses, AreWanted) {
  EXPECT_EQ(rules_of(definitions("")), "no-executable-process ");
  EXPECT_EQ(rules_of(definitions(R"(<process id="p"/>)")), "no-executable-process ");
  EXPECT_EQ(rules_of(definitions(R"(<process id="p" isExecutable="false"/>)")), "no-executable-process ");
}

TEST(ExecutableProcesses, AreAllReadAndHaveIdsOfTheirOwn) {
  const std::string one = R"(<process id="a" isExecutable="true"><startEvent id="s"/></process>)";
  EXPECT_EQ(read_bpmn(definitions(one + R"(<process id="b" isExecutable="1"><startEvent id="s"/></process>)")).definitions.size(),
            2U);
  EXPECT_EQ(rules_of(definitions(one + one)), "duplicate-id a");
}

TEST(ServiceTask, WithAnotherImplementationIsRefusedAsNeedingJava) {
  for (const std::string how : {"class", "delegateExpression", "expression"}) {
    const std::string model = process_of("t", "<serviceTask id=\"t\" camunda:" + how + "=\"x\"/>");
    EXPECT_EQ(rules_of(model), "unsupported-extension t");
    EXPECT_NE(text_of(model).find("needs Java, but found camunda:" + how), std::string::npos) << text_of(model);
  }
}

TEST(ServiceTask, NeedsATopic) {
  EXPECT_EQ(rules_of(process_of("t", R"(<serviceTask id="t"/>)")), "service-implementation t");
  EXPECT_EQ(rules_of(process_of("t", R"(<serviceTask id="t" camunda:type="external"/>)")), "topic-empty t");
  EXPECT_EQ(rules_of(process_of("t", R"(<serviceTask id="t" camunda:type="mail"/>)")), "unsupported-element t");
  EXPECT_EQ(rules_of(process_of("t", R"(<serviceTask id="t" camunda:type="external" camunda:topic="${x}"/>)")),
            "unsupported-element t");
}

TEST(ServiceTask, TakesThePriorityOfItsProcess) {
  std::string text = external();
  text.replace(text.find("<process"), 8, R"(<process camunda:taskPriority="42")");
  const ReadResult result = read_bpmn(text);
  ASSERT_EQ(result.definitions.size(), 1U);
  EXPECT_EQ(result.definitions[0]->nodes[result.definitions[0]->find_node("t")].service().priority, 42);
}

TEST(UnsupportedElements, AreRefusedWithIdKindAndLineAndNothingMoreIsSaidOfThem) {
  for (const std::string kind :
       {"task", "manualTask", "sendTask", "receiveTask", "scriptTask", "callActivity", "transaction", "adHocSubProcess",
        "inclusiveGateway", "complexGateway", "eventBasedGateway", "intermediateCatchEvent", "intermediateThrowEvent"}) {
    const ReadResult result = read_bpmn(process_of("n", "\n\n<" + kind + " id=\"n\"/>"));
    ASSERT_EQ(result.faults.size(), 1U) << kind << model::to_text("p", result.faults);
    EXPECT_EQ(result.faults[0].rule, "unsupported-element");
    EXPECT_EQ(result.faults[0].element, "n");
    EXPECT_EQ(result.faults[0].line, 3);
    EXPECT_NE(result.faults[0].message.find(kind + " 'n'"), std::string::npos);
  }
}

TEST(UnsupportedElements, InsideOthersAreNamedWithTheirOwner) {
  EXPECT_NE(
      text_of(user_task("", "<multiInstanceLoopCharacteristics/>")).find("multiInstanceLoopCharacteristics in userTask 'u'"),
      std::string::npos);
  EXPECT_EQ(rules_of(user_task("", "<standardLoopCharacteristics/>")), "unsupported-element u");
  EXPECT_EQ(rules_of(user_task("", "<dataInputAssociation id=\"d\"/>")), "unsupported-element d");
  EXPECT_EQ(rules_of(user_task(R"(isForCompensation="true")")), "unsupported-element u");
  EXPECT_EQ(rules_of(user_task(R"(startQuantity="2")")), "unsupported-element u");
  EXPECT_EQ(rules_of(process_of("x", R"(<subProcess id="x" triggeredByEvent="true"/>)")), "unsupported-element x");
  EXPECT_EQ(
      rules_of(process_of("x", R"(<subProcess id="x"><startEvent id="i"/><multiInstanceLoopCharacteristics/></subProcess>)")),
      "unsupported-element x");
}

TEST(UnsupportedElements, OfBpmnsNamespaceThatBpmnDoesNotHaveAreFaultsToo) {
  EXPECT_EQ(rules_of(process_of("u", R"(<userTask id="u"/><robotTask id="r"/>)")), "unknown-element r");
  EXPECT_EQ(rules_of(user_task("", "<robot/>")), "unknown-element u");
  EXPECT_EQ(rules_of(definitions(R"(<robot/><process id="p" isExecutable="true"><startEvent id="s"/></process>)")),
            "unknown-element ");
  EXPECT_EQ(rules_of(definitions(R"(<choreography id="c"/><process id="p" isExecutable="true"><startEvent id="s"/></process>)")),
            "unsupported-element c");
}

TEST(StartEvent, HasNoTrigger) {
  std::string text = user_task("");
  text.replace(text.find("<startEvent id=\"s\"/>"), 20, "<startEvent id=\"s\"><messageEventDefinition/></startEvent>");
  EXPECT_EQ(rules_of(text), "unsupported-element s");
}

std::string ending(std::string_view a) {
  std::string inner = R"(<userTask id="u"/><endEvent id="x">)";
  return process_of("u", inner.append(a).append("</endEvent>"), R"(<error id="bare"/><error id="dyn" errorCode="${c}"/>)");
}

TEST(EndEvent, RaisesOnlyErrorsWithACode) {
  EXPECT_EQ(rules_of(ending("<errorEventDefinition/>")), "error-code-missing x, error-code-missing x");
  EXPECT_EQ(rules_of(ending(R"(<errorEventDefinition errorRef="bare"/>)")), "error-code-missing x");
  EXPECT_EQ(rules_of(ending(R"(<errorEventDefinition errorRef="dyn"/>)")), "unsupported-element x");
  EXPECT_EQ(rules_of(ending("<signalEventDefinition/>")), "unsupported-element x");
  EXPECT_EQ(rules_of(ending("<terminateEventDefinition/><terminateEventDefinition/>")), "unsupported-element x");
}

std::string boundary(std::string_view attributes, std::string_view inside) {
  std::string inner = R"(<userTask id="u"/><boundaryEvent id="b" attachedToRef="u" )";
  return process_of("u", inner.append(attributes).append(">").append(inside).append("</boundaryEvent>"));
}

TEST(BoundaryEvent, IsAnInterruptingTimerOrError) {
  const std::string timer = "<timerEventDefinition><timeDuration>PT1H</timeDuration></timerEventDefinition>";
  EXPECT_EQ(rules_of(boundary("", timer)), "");
  EXPECT_EQ(rules_of(boundary("", "")), "boundary-no-definition b");
  EXPECT_EQ(rules_of(boundary(R"(cancelActivity="false")", timer)), "unsupported-element b");
  EXPECT_EQ(rules_of(boundary(R"(cancelActivity="no")", timer)), "bad-attribute b");
  EXPECT_EQ(rules_of(boundary("", timer + timer)), "unsupported-element b");
  EXPECT_EQ(rules_of(boundary("", "<messageEventDefinition/>")), "unsupported-element b");
}

TEST(BoundaryEvent, OfATimerHasOneDurationOrDate) {
  const auto timer = [](const std::string& inside) {
    return boundary("", "<timerEventDefinition>" + inside + "</timerEventDefinition>");
  };
  EXPECT_EQ(rules_of(timer("")), "timer-value b");
  EXPECT_EQ(rules_of(timer("<timeDuration/>")), "timer-value b");
  EXPECT_EQ(rules_of(timer("<timeCycle>R3/PT1H</timeCycle>")), "unsupported-element b");
  EXPECT_EQ(rules_of(timer("<timeDuration>PT1H</timeDuration><timeDate>2026-01-01T00:00:00Z</timeDate>")), "timer-value b");
  EXPECT_EQ(rules_of(timer("<timeDuration>${</timeDuration>")), "expression b");
}

std::string condition(std::string_view attributes, std::string_view text) {
  std::string inner = R"(<userTask id="u"/><sequenceFlow id="f" sourceRef="u" targetRef="e"><conditionExpression )";
  return process_of("u", inner.append(attributes).append(">").append(text).append("</conditionExpression></sequenceFlow>"));
}

TEST(SequenceFlow, HasAConditionInJuel) {
  EXPECT_EQ(rules_of(condition("", "${a}")), "");
  EXPECT_EQ(rules_of(condition("language='juel'", "#{a}")), "");
  EXPECT_EQ(rules_of(condition("language='javascript'", "a")), "unsupported-element f");
  EXPECT_EQ(rules_of(condition("camunda:resource='x.js'", "${a}")), "unsupported-extension f");
  EXPECT_EQ(rules_of(condition("", "${a +}")), "expression f");
  EXPECT_EQ(rules_of(condition("", " ")), "expression f");
}

TEST(SequenceFlow, NeedsBothEndsAndAnId) {
  EXPECT_EQ(rules_of(process_of("u", R"(<userTask id="u"/><sequenceFlow id="f" sourceRef="u"/>)")),
            "dangling-ref f, dangling-ref f");
  EXPECT_TRUE(
      rules_of(process_of("u", R"(<userTask id="u"/><sequenceFlow sourceRef="u" targetRef="e"/>)")).starts_with("id-missing "));
}

}  // namespace
}  // namespace headrace::xml::testing
