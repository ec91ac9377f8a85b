#include <gtest/gtest.h>

#include "files.hpp"
#include "headrace/policy/schema.hpp"

namespace headrace::xml::testing {
namespace {

using policy::ServiceOptions;

std::string service(std::string_view attributes, std::string_view content = "") {
  std::string task = R"(<serviceTask id="t" hr:topic="work"><extensionElements><hr:service )";
  return process_of(
      "t", task.append(attributes).append(">").append(content).append("</hr:service></extensionElements></serviceTask>"));
}
model::ServiceTaskConfig config_of(const std::string& text) {
  const ReadResult result = read_bpmn(text);
  if (result.definitions.empty()) {
    ADD_FAILURE() << model::to_text("p", result.faults);
    return {};
  }
  const model::Definition& d = *result.definitions[0];
  return d.node(d.find_node("t")).service();
}
ServiceOptions options_of(const std::string& text) { return config_of(text).options; }

TEST(HeadraceNamespace, TopicMakesAWorkersTaskOfAPlainServiceTask) {
  const model::ServiceTaskConfig config = config_of(process_of("t", R"(<serviceTask id="t" hr:topic="work"/>)"));
  EXPECT_EQ(config.locus, model::Locus::Worker);
  EXPECT_EQ(config.topic, "work");
  EXPECT_EQ(config.operation, nullptr);
  EXPECT_EQ(read_bpmn(process_of("t", R"(<serviceTask id="t" hr:topic="work"/>)")).definitions.at(0)->profile,
            policy::Profile::Headrace);
}

TEST(HeadraceNamespace, NothingWrittenIsNothingGiven) {
  const ServiceOptions o = options_of(service(""));
  EXPECT_FALSE(o.timeout || o.retry || o.errors || o.output || o.status || o.trust || o.lock_duration || o.max_lock_duration ||
               o.job_timeout || o.expiry_as_attempt || o.on_exhausted || o.on_mismatch || o.on_uncaught || o.schema);
}

TEST(HeadraceNamespace, AttributesSetTheirOptions) {
  const ServiceOptions o =
      options_of(service(R"(trust="workerTrusted" lockDuration="PT1M" maxLockDuration="unbounded" jobTimeout="P1DT2H"
      expiryAsAttempt="false" onExhausted="fail" onMismatch="incident" onUncaughtError="end")"));
  EXPECT_EQ(o.trust, policy::Trust::WorkerTrusted);
  EXPECT_EQ(o.lock_duration, Duration::minutes(1));
  EXPECT_EQ(o.max_lock_duration, Duration::max());
  EXPECT_EQ(o.job_timeout, Duration::hours(26));
  EXPECT_EQ(o.expiry_as_attempt, false);
  EXPECT_EQ(o.on_exhausted, policy::OnExhausted::Fail);
  EXPECT_EQ(o.on_mismatch, policy::OnMismatch::Incident);
  EXPECT_EQ(o.on_uncaught, policy::OnUncaughtError::End);
  const ServiceOptions other =
      options_of(service(R"(expiryAsAttempt="true" onExhausted="incident" onMismatch="retry" onUncaughtError="fail")"));
  EXPECT_EQ(other.expiry_as_attempt, true);
  EXPECT_EQ(other.on_exhausted, policy::OnExhausted::Incident);
  EXPECT_EQ(other.on_mismatch, policy::OnMismatch::Retry);
  EXPECT_EQ(other.on_uncaught, policy::OnUncaughtError::Fail);
}

TEST(HeadraceNamespace, RetryPoliciesHaveTheirFieldsAndDefaults) {
  const auto fields = [](const std::string& xml) { return policy::fields_of(*options_of(service("", xml)).retry); };
  EXPECT_EQ(fields("<hr:noRetry/>").kind, "NoRetry");
  const policy::RetryFields fixed = fields(R"(<hr:fixedDelay maxAttempts="4" delay="PT5S"/>)");
  EXPECT_EQ(fixed.kind, "FixedDelay");
  EXPECT_EQ(fixed.max_attempts, 4);
  EXPECT_EQ(fixed.base, Duration::seconds(5));
  const policy::RetryFields backoff = fields(R"(<hr:exponentialBackoff maxAttempts="7" base="PT1S" cap="PT9S" jitter="0.25"/>)");
  EXPECT_EQ(backoff.kind, "ExponentialBackoff");
  EXPECT_EQ(backoff.max_attempts, 7);
  EXPECT_EQ(backoff.base, Duration::seconds(1));
  EXPECT_EQ(backoff.cap, Duration::seconds(9));
  EXPECT_EQ(backoff.jitter, 0.25);
  const policy::RetryFields standard = policy::fields_of(*policy::default_retry()), written = fields("<hr:exponentialBackoff/>");
  EXPECT_EQ(written.max_attempts, standard.max_attempts);
  EXPECT_EQ(written.base, standard.base);
  EXPECT_EQ(written.cap, standard.cap);
  EXPECT_EQ(written.jitter, standard.jitter);
}

TEST(HeadraceNamespace, ErrorMapperKeepsItsRulesInOrder) {
  const ServiceOptions o = options_of(service("", R"(<hr:status name="s" overwrite="true"/><hr:errorMapper>
      <hr:rule code="409" body="$.type == 'DECLINED'"><hr:bpmnError code="CARD_DECLINED" messagePath="$.reason"/></hr:rule>
      <hr:rule code="404"><hr:status valuePath="$.why"/></hr:rule>
      <hr:rule><hr:technical/></hr:rule></hr:errorMapper>)"));
  EXPECT_EQ(o.status->name, "s");
  EXPECT_TRUE(o.status->overwrite);
  ASSERT_NE(o.errors->rules(), nullptr);
  const std::vector<policy::ErrorRule>& rules = *o.errors->rules();
  ASSERT_EQ(rules.size(), 3U);
  EXPECT_EQ(rules[0].code, Value("409"));
  EXPECT_EQ(rules[0].body->text(), "$.type == 'DECLINED'");
  const auto& error = std::get<policy::ToBpmnError>(rules[0].outcome);
  EXPECT_EQ(std::get<Value>(error.code.from), Value("CARD_DECLINED"));
  EXPECT_EQ(std::get<expr::JsonPath>(error.message->from).text(), "$.reason");
  EXPECT_TRUE(std::get<policy::ToStatus>(rules[1].outcome).value.is_path());
  EXPECT_FALSE(rules[2].code || rules[2].body);
  EXPECT_TRUE(std::holds_alternative<policy::ToTechnical>(rules[2].outcome));
}

TEST(HeadraceNamespace, OutputMappingHasPathsAndTargets) {
  const ServiceOptions o = options_of(service(
      "",
      R"(<hr:outputMapping><hr:out path="$.data.id" target="id"/><hr:out path="$.b" target="b" optional="true"/></hr:outputMapping>)"));
  ASSERT_EQ(o.output->rules.size(), 2U);
  EXPECT_EQ(o.output->rules[0].path.text(), "$.data.id");
  EXPECT_EQ(o.output->rules[0].target, "id");
  EXPECT_FALSE(o.output->rules[0].optional);
  EXPECT_TRUE(o.output->rules[1].optional);
}

TEST(HeadraceNamespace, OutputSchemaIsCarriedAsText) {
  const std::string schema = R"({"type": "object", "properties": {"n": {"maximum": 9}}})";
  const ServiceOptions o = options_of(service("", "<hr:outputSchema>\n " + schema + "\n</hr:outputSchema>"));
  ASSERT_NE(policy::schema_text(o), nullptr);
  EXPECT_EQ(policy::schema_text(o)->json(), schema);
  EXPECT_FALSE(o.schema->check(Value(1)).ok());
  const std::string marked = "<hr:outputSchema><![CDATA[{\"pattern\": \"<&>\"}]]></hr:outputSchema>";
  EXPECT_EQ(policy::schema_text(options_of(service("", marked)))->json(), R"({"pattern": "<&>"})");
  EXPECT_EQ(policy::schema_text(options_of(service("", "<hr:outputSchema>true</hr:outputSchema>")))->json(), "true");
}

TEST(HeadraceNamespace, MessagesAndErrorsMakeAContract) {
  const model::ServiceTaskConfig config = config_of(service(R"(trust="engineAuthoritative")", R"(
      <hr:inMessage name="In"><hr:field name="amount" type="float" optional="true"/><hr:field name="card" type="string" sensitive="true"/></hr:inMessage>
      <hr:outMessage name="Out"><hr:field name="x"/></hr:outMessage><hr:error code="E1"/><hr:error code="E2" name="two"/>)"));
  ASSERT_NE(config.operation, nullptr);
  EXPECT_EQ(config.operation->kind, model::OperationKind::Message);
  EXPECT_EQ(config.operation->body, nullptr);
  ASSERT_EQ(config.operation->in_message->fields.size(), 2U);
  EXPECT_EQ(config.operation->in_message->fields[0].type, policy::FieldType::Float);
  EXPECT_TRUE(config.operation->in_message->fields[0].optional);
  EXPECT_TRUE(config.operation->in_message->fields[1].sensitive);
  EXPECT_EQ(config.operation->out_message->fields.at(0).type, policy::FieldType::Any);
  ASSERT_EQ(config.operation->errors.size(), 2U);
  EXPECT_EQ(config.operation->errors[1].name, "two");
}

TEST(HeadraceNamespace, TheRulesOfTheBuilderHoldHereToo) {
  EXPECT_EQ(rules_of(service(R"(trust="engineAuthoritative")")), "trust-needs-contract t");
  EXPECT_EQ(rules_of(service(R"(timeout="PT1S")")), "timeout-with-worker t");
  EXPECT_EQ(rules_of(service(R"(lockDuration="PT2M" maxLockDuration="PT1M")")), "lock-above-cap t");
  EXPECT_EQ(rules_of(service(R"(jobTimeout="PT0S")")), "duration-not-positive t");
  EXPECT_EQ(rules_of(service("", "<hr:errorMapper><hr:rule><hr:status value='x'/></hr:rule></hr:errorMapper>")),
            "status-without-target t");
}

TEST(HeadraceNamespace, EachMistakeIsAFaultThatNamesItsTask) {
  const std::vector<std::string> bad_attributes = {
      "lockduration=\"PT1M\"", "lockDuration=\"1 min\"",  "lockDuration=\"P1M\"",
      "trust=\"both\"",        "expiryAsAttempt=\"yes\"", "onExhausted=\"stop\"",
      "onMismatch=\"\"",       "onUncaughtError=\"x\"",   "hr:trust=\"workerTrusted\""};
  for (const std::string& bad : bad_attributes) EXPECT_EQ(rules_of(service(bad)), "service-option t") << bad;
  const std::vector<std::string> bad_content = {
      "<hr:retry/>",
      "<hr:noRetry maxAttempts=\"1\"/>",
      "<hr:noRetry/><hr:fixedDelay/>",
      "<hr:status name=\"a\"/><hr:status name=\"b\"/>",
      "<hr:fixedDelay maxAttempts=\"0\"/>",
      "<hr:fixedDelay maxAttempts=\"three\"/>",
      "<hr:exponentialBackoff jitter=\"2\"/>",
      "<hr:exponentialBackoff jitter=\"much\"/>",
      "<hr:errorMapper><hr:rule/></hr:errorMapper>",
      "<hr:errorMapper><hr:rule><hr:technical/><hr:technical/></hr:rule></hr:errorMapper>",
      "<hr:errorMapper><hr:rule body=\"$.a ==\"><hr:technical/></hr:rule></hr:errorMapper>",
      "<hr:errorMapper><hr:rule><hr:bpmnError/></hr:rule></hr:errorMapper>",
      "<hr:errorMapper><hr:rule><hr:bpmnError code=\"a\" codePath=\"$.a\"/></hr:rule></hr:errorMapper>",
      "<hr:errorMapper><hr:rule><hr:bpmnError codePath=\"a\"/></hr:rule></hr:errorMapper>",
      "<hr:outputMapping><hr:out target=\"a\"/></hr:outputMapping>",
      "<hr:outputMapping><hr:out path=\"a\" target=\"a\"/></hr:outputMapping>",
      "<hr:inMessage name=\"m\"><hr:field name=\"a\" type=\"number\"/></hr:inMessage>",
      "<hr:inMessage name=\"m\"><hr:field name=\"a\"/><hr:field name=\"a\"/></hr:inMessage>",
      "<hr:error/>",
      "<hr:outputSchema/>",
      "<hr:outputSchema>{</hr:outputSchema>",
      "<hr:outputSchema>[]</hr:outputSchema>",
      "<hr:outputSchema>{} {}</hr:outputSchema>",
      "<hr:outputSchema name=\"s\">{}</hr:outputSchema>",
      "<hr:outputSchema>true</hr:outputSchema><hr:outputSchema>true</hr:outputSchema>",
  };
  for (const std::string& bad : bad_content) {
    EXPECT_TRUE(rules_of(service("", bad)).starts_with("service-option t")) << bad;
  }
}

TEST(HeadraceNamespace, StandsOnServiceTasksOnly) {
  EXPECT_EQ(rules_of(user_task(R"(hr:topic="x")")), "service-option u");
  EXPECT_EQ(rules_of(user_task("", "<extensionElements><hr:service/></extensionElements>")), "service-option u");
  EXPECT_EQ(rules_of(external("", "<extensionElements><hr:service/><hr:service/></extensionElements>")), "service-option t");
  EXPECT_EQ(rules_of(external(R"(hr:lock="x")")), "service-option t");
}

TEST(HeadraceNamespace, TheExampleOfItsPageIsRead) {
  const std::string page = content_of(std::filesystem::path(HEADRACE_SOURCE_DIR) / "cpp/xml/headrace-namespace.md");
  const std::size_t from = page.find("<bpmn:serviceTask"), to = page.find("```", from);
  std::string task = page.substr(from, to - from);
  for (const std::string tag : {"<bpmn:", "</bpmn:"}) {  // process_of has BPMN as the default namespace
    for (std::size_t at = task.find(tag); at != std::string::npos; at = task.find(tag))
      task.replace(at, tag.size(), tag.substr(0, tag.size() - 5));
  }
  const model::Definition d = *read_bpmn(process_of("pay", task)).definitions.at(0);
  const ServiceOptions& o = d.node(d.find_node("pay")).service().options;
  EXPECT_TRUE(o.retry && o.errors && o.output && o.status && o.trust && o.lock_duration && o.max_lock_duration && o.job_timeout &&
              o.expiry_as_attempt && o.on_exhausted && o.on_mismatch && o.on_uncaught && o.schema);
  EXPECT_TRUE(d.warnings.empty());
}

}  // namespace
}  // namespace headrace::xml::testing
