#include <gtest/gtest.h>

#include "files.hpp"

namespace headrace::xml::testing {
namespace {

TEST(VendorContent, ThatWouldChangeBehaviourIsRefusedByName) {
  for (const std::string attribute : {"asyncBefore=\"true\"", "asyncAfter=\"true\"", "type=\"external\"", "topic=\"x\"",
                                      "taskPriority=\"1\"", "class=\"a.B\"", "expression=\"${a}\""}) {
    EXPECT_EQ(rules_of(user_task("camunda:" + attribute)), "unsupported-extension u") << attribute;
    EXPECT_NE(text_of(user_task("camunda:" + attribute)).find("camunda:" + attribute.substr(0, attribute.find('='))),
              std::string::npos);
  }
  for (const std::string element : {"inputOutput", "executionListener", "taskListener", "failedJobRetryTimeCycle",
                                    "errorEventDefinition", "connector", "field", "in", "out"}) {
    const std::string model = external("", "<extensionElements><camunda:" + element + "/></extensionElements>");
    EXPECT_EQ(rules_of(model), "unsupported-extension t") << element;
    EXPECT_NE(text_of(model).find("camunda:" + element), std::string::npos);
  }
}

TEST(VendorContent, ThatDoesNoHarmIsPassedOver) {
  for (const std::string attribute :
       {"formKey", "assignee", "candidateGroups", "candidateUsers", "dueDate", "priority", "exclusive", "jobPriority"}) {
    EXPECT_EQ(rules_of(user_task("camunda:" + attribute + "=\"x\"")), "") << attribute;
  }
  EXPECT_EQ(rules_of(user_task(R"(camunda:asyncBefore="false")")), "");
  EXPECT_EQ(rules_of(external("", "<extensionElements><camunda:properties/></extensionElements>")), "");
}

TEST(VendorContent, IsCheckedOnProcessStartErrorAndConditionToo) {
  std::string process = user_task("");
  process.replace(process.find("<process"), 8,
                  R"(<process camunda:historyTimeToLive="P1D" camunda:versionTag="1" camunda:isStartableInTasklist="true")");
  EXPECT_EQ(rules_of(process), "");
  std::string start = user_task("");
  start.replace(start.find("<startEvent"), 11, R"(<startEvent camunda:initiator="who")");
  EXPECT_EQ(rules_of(start), "unsupported-extension s");
  EXPECT_EQ(rules_of(process_of("u", R"(<userTask id="u"/><boundaryEvent id="b" attachedToRef="u"><errorEventDefinition
      camunda:errorCodeVariable="c"/></boundaryEvent>)")),
            "unsupported-extension b");
}

TEST(VendorContent, OfRelatedNamespacesIsTheSame) {
  for (const std::string uri : {"http://activiti.org/bpmn", "http://operaton.org/schema/1.0/bpmn"}) {
    std::string text = external();
    text.replace(text.find("http://camunda.org/schema/1.0/bpmn"), 34, uri);
    const ReadResult result = read_bpmn(text);
    ASSERT_EQ(result.definitions.size(), 1U) << uri;
    EXPECT_EQ(result.definitions[0]->profile, policy::Profile::Camunda7);
  }
}

}  // namespace
}  // namespace headrace::xml::testing
