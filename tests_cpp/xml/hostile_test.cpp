// Rows of the hostile inputs: refused with one clear fault, no crash, nothing read from elsewhere. The row is in the test's name.
#include <gtest/gtest.h>
#include <pthread.h>

#include <fstream>

#include "files.hpp"

namespace headrace::xml::testing {
namespace {

TEST(HostileXml, H01RefusesNestedEntitiesByTheirDoctype) {
  std::string text = "<?xml version=\"1.0\"?>\n<!DOCTYPE lolz [<!ENTITY a0 \"ha\">";
  for (int i = 1; i < 10; ++i) {
    text += "<!ENTITY a" + std::to_string(i) + " \"";
    for (int k = 0; k < 10; ++k) text += "&a" + std::to_string(i - 1) + ";";
    text += "\">";
  }
  text += "]><definitions>&a9;</definitions>";
  const ReadResult result = read_bpmn(text);
  ASSERT_EQ(result.faults.size(), 1U);
  EXPECT_EQ(result.faults[0].rule, "xml-doctype");
  EXPECT_EQ(result.faults[0].message, "DOCTYPE not allowed");
  EXPECT_EQ(result.faults[0].line, 2);
}

TEST(HostileXml, H03RefusesExternalEntitiesWithoutReadingThem) {
  const std::filesystem::path canary = std::filesystem::temp_directory_path() / "headrace-canary.txt";
  std::ofstream(canary) << "canary-content";
  const std::string with_type =
      R"(<!DOCTYPE d [<!ENTITY x SYSTEM "file://)" + canary.string() + R"(">]>)" + user_task(R"(name="&x;")");
  EXPECT_EQ(rules_of(with_type), "xml-doctype ");
  EXPECT_EQ(text_of(with_type).find("canary-content"), std::string::npos);
  EXPECT_EQ(rules_of(user_task(R"(name="&x;")")), "xml-entity ");  // an entity that nothing declares
  std::filesystem::remove(canary);
}

std::string nested(std::size_t depth) {
  std::string open, close;
  for (std::size_t i = 0; i < depth; ++i) {
    const std::string id = std::to_string(i);
    open += "<subProcess id=\"x" + id + "\"><startEvent id=\"s" + id + "\"/>";
    close += "</subProcess>";
  }
  return process_of("x0", open + close);
}

TEST(HostileXml, H06RefusesDeepNestingAlsoOnASmallStack) {
  const auto body = [](void* failed) -> void* {
    const bool refused = rules_of(nested(100'000)) == "xml-depth ";
    // definitions, process and the start event inside leave room for 253 sub-processes
    const bool read = rules_of(nested(253)).empty() && rules_of(nested(254)) == "xml-depth ";
    *static_cast<bool*>(failed) = !(refused && read);
    return nullptr;
  };
  for (const std::size_t stack : {std::size_t{512} << 10U, std::size_t{8} << 20U}) {
    bool failed = true;
    pthread_attr_t attributes;
    ASSERT_EQ(pthread_attr_init(&attributes), 0);
    ASSERT_EQ(pthread_attr_setstacksize(&attributes, stack), 0);
    pthread_t thread{};
    ASSERT_EQ(pthread_create(&thread, &attributes, body, &failed), 0);
    pthread_join(thread, nullptr);
    pthread_attr_destroy(&attributes);
    EXPECT_FALSE(failed) << stack;
  }
}

TEST(HostileXml, H06LimitsSizeElementsAttributesAndTheirLength) {
  std::string elements;
  for (int i = 0; i < 50'001; ++i) elements += "<x:a/>";
  EXPECT_EQ(rules_of(definitions(elements)), "xml-elements ");
  const auto attributes = [](int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += " x:a" + std::to_string(i) + "=''";
    return user_task(text);
  };
  EXPECT_TRUE(rules_of(attributes(255)).empty());  // and the id
  EXPECT_EQ(rules_of(attributes(256)), "xml-attributes ");
  EXPECT_TRUE(rules_of(user_task("name='" + std::string(64U << 10U, 'n') + "'")).empty());
  EXPECT_EQ(rules_of(user_task("name='" + std::string((64U << 10U) + 1, 'n') + "'")), "xml-attribute-size ");
  EXPECT_EQ(rules_of(definitions("<documentation>" + std::string(8U << 20U, ' ') + "</documentation>")), "xml-size ");
}

TEST(HostileXml, H09ChecksUtf8AndNamesTheByte) {
  const std::string start = "<definitions><!-- ";
  for (const std::string bad : {"\xC0\xAF", "\xED\xA0\x80", "\xF0\x9F\x98", "\xFF", "\x80"}) {
    const ReadResult result = read_bpmn(start + bad);
    ASSERT_EQ(result.faults.size(), 1U);
    EXPECT_EQ(result.faults[0].rule, "xml-utf8");
    EXPECT_NE(result.faults[0].message.find("offset 18"), std::string::npos) << result.faults[0].message;
  }
}

TEST(HostileXml, H10SaysNotBpmnXmlOfOtherFiles) {
  const std::vector<std::string> files = {"",
                                          "\xEF\xBB\xBF",
                                          std::string(10U << 20U, ' '),
                                          "plain text",
                                          "\x89PNG\r\n\x1A\n",
                                          std::string("PK\x03\x04\0\0", 6),
                                          std::string("\xFF\xFE<\0d\0", 6),
                                          "<html/>",
                                          "<definitions/>",
                                          R"(<definitions xmlns="urn:another"/>)",
                                          R"(<process xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"/>)"};
  for (const std::string& file : files) {
    const ReadResult result = read_bpmn(file);
    ASSERT_EQ(result.faults.size(), 1U) << file.substr(0, 40);
    EXPECT_EQ(result.faults[0].rule, "not-bpmn") << file.substr(0, 40);
    EXPECT_TRUE(result.faults[0].message.starts_with("not BPMN XML")) << result.faults[0].message;
  }
}

TEST(HostileXml, H12NamesBothLinesOfADoubleId) {
  const std::string text = text_of(process_of("A", "<userTask id=\"A\"/>\n<userTask id=\"A\"/>"));
  EXPECT_NE(text.find("'A' is the id of a userTask (line 1) and of a userTask (line 2)"), std::string::npos) << text;
  EXPECT_EQ(rules_of(process_of("s_f", "<userTask id=\"s_f\"/>")), "duplicate-id s_f");
  const ReadResult similar = read_bpmn(process_of("A", "<userTask id=\"A\"/><userTask id=\"a\"/>"));
  ASSERT_EQ(similar.definitions.size(), 1U);
  EXPECT_NE(similar.definitions[0]->warnings.at(0).find("similar-ids"), std::string::npos);
}

TEST(HostileXml, H13NamesElementAttributeAndMissingId) {
  const auto says = [](const std::string& model, const std::vector<std::string>& parts) {
    const std::string text = text_of(model);
    for (const std::string& part : parts) EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  says(process_of("u", R"(<userTask id="u"/><sequenceFlow id="f" sourceRef="no1" targetRef="no2"/>)"),
       {"'f'", "sourceRef", "'no1'", "targetRef", "'no2'"});
  says(user_task(R"(default="no")"), {"'u'", "default", "'no'"});
  says(process_of("u", R"(<userTask id="u"/><boundaryEvent id="b" attachedToRef="no"><errorEventDefinition/></boundaryEvent>)"),
       {"'b'", "attachedToRef", "'no'"});
  says(process_of(
           "u",
           R"(<userTask id="u"/><boundaryEvent id="b" attachedToRef="u"><errorEventDefinition errorRef="no"/></boundaryEvent>)"),
       {"'b'", "errorRef", "'no'"});
}

TEST(HostileXml, H17ReportsStructureAllAtOnceByRule) {
  const std::string text =
      definitions(R"(<process id="p" isExecutable="true"><exclusiveGateway id="g"/><endEvent id="e"/><startEvent id="s"/>
    <boundaryEvent id="b" attachedToRef="g"><errorEventDefinition/></boundaryEvent>
    <sequenceFlow id="f1" sourceRef="g" targetRef="s"/><sequenceFlow id="f2" sourceRef="e" targetRef="g"/></process>
    <process id="q" isExecutable="true"/>)");
  EXPECT_EQ(rules_of(text), "start-incoming s, end-outgoing e, boundary-host b, start-missing ");
}

TEST(HostileXml, H18IgnoresForeignContentAndChecksKnownVendorAttributes) {
  EXPECT_TRUE(rules_of(user_task(R"(x:flag="1" x:on-fire="&lt;script&gt;")",
                                 "<extensionElements><x:a><x:b/></x:a></extensionElements><x:c/>"))
                  .empty());
  EXPECT_EQ(rules_of(external(R"(camunda:taskPriority="high")")), "bad-attribute t");
  EXPECT_EQ(rules_of(user_task(R"(camunda:asyncBefore="perhaps")")), "unsupported-extension u");
  const ReadResult unknown =
      read_bpmn(user_task(R"(camunda:newIn2031="1")", "<extensionElements><camunda:newer/></extensionElements>"));
  ASSERT_EQ(unknown.definitions.size(), 1U);
  ASSERT_EQ(unknown.definitions[0]->warnings.size(), 2U);
  EXPECT_NE(unknown.definitions[0]->warnings[0].find("newIn2031"), std::string::npos);
}

TEST(HostileXml, KeepsMarkupInIdsAsPlainTextOfOneLine) {
  const std::string text =
      text_of(process_of("u", "<userTask id=\"u\"/><userTask id=\"&lt;script>alert(1)&lt;/script>&#10;x\"/>"));
  EXPECT_NE(text.find("found '<script>alert(1)</script>?x'"), std::string::npos) << text;
}

TEST(HostileXml, RefusesWhatIsNotWellFormed) {
  for (const char* bad : {"<a>",       "<a></b>", "<a/><b/>",    "<a/>text",         "<a b='1' b='2'/>", "<a b='<'/>",
                          "<a b='1/>", "<a",      "<!-- ",       "<a>&nbsp;</a>",    "<a>&#0;</a>",      "<a>&#xD800;</a>",
                          "<a>&;</a>", "<p:a/>",  "<a p:b=''/>", "<a><![CDATA[</a>", "<!ELEMENT a>",     "</a>",
                          "<?xml",     "<a b/>",  "<a>\x01</a>"}) {
    const ReadResult result = read_bpmn(bad);
    ASSERT_EQ(result.faults.size(), 1U) << bad;
    EXPECT_TRUE(result.faults[0].rule == "xml-syntax" || result.faults[0].rule == "xml-entity") << bad << result.faults[0].rule;
  }
  EXPECT_EQ(rules_of("<?xml version='1.0' encoding='ISO-8859-1'?><a/>"), "xml-encoding ");
}

TEST(HostileXml, SurvivesEveryPrefixOfAModel) {
  const std::string whole = model_file("order.bpmn");
  for (std::size_t n = 0; n + 2 < whole.size(); n += 7) EXPECT_FALSE(read_bpmn(whole.substr(0, n)).faults.empty()) << n;
}

}  // namespace
}  // namespace headrace::xml::testing
