// Service task in the process (design 4.13): inside the step when it is inline_safe, else on the pool; its own policy or none.

#include <gtest/gtest.h>

#include "headrace/core/operation.hpp"
#include "support/driver.hpp"

namespace headrace::testing {
namespace {

using model::OperationCall;
using policy::FieldType;

const auto kDouble = [](const OperationCall& call) {
  return model::OperationOutput{vars({{"doubled", 2 * codec::decode(call.input.find("amount")->encoded()).as_int()}})};
};
const auto kFails = [](const OperationCall&) { return fault(503, "the bank is down"); };

model::ServiceTaskConfig retried(model::OperationPtr op, int attempts) {
  model::ServiceTaskConfig c = in_process(std::move(op));
  c.options.retry = policy::fixed_delay(attempts, Duration::seconds(5)).value();
  return c;
}

core::OperationVerdict failed(const Driver& d, std::string_view node, int failures) {
  return core::judge(*d.definition().node(d.node(node)).service().in_process_policy, fault(503, "the bank is down"), failures, 0);
}

TEST(InProcessTask, AnInlineSafeFunctorRunsInsideTheStep) {
  // given / when
  Driver d(straight(in_process(functor(kDouble))), vars({{"amount", 21}}));
  // then
  EXPECT_EQ(d.where(), "completed");
  EXPECT_EQ(d.variable("doubled"), "42");
  EXPECT_EQ(d.effects_text(), "finish the instance\n");
}

TEST(InProcessTask, AFunctorOnThePoolIsInvokedWithAllVisibleVariables) {
  // given / when
  Driver d(straight(in_process(functor(kDouble, false))), vars({{"amount", 21}}));
  // then
  EXPECT_EQ(d.where(), "pay: operation");
  EXPECT_EQ(d.effects_text(), "invoke operation of pay for token 1, attempt 1 {amount: 21}\n");
}

TEST(InProcessTask, AMessageOperationGetsItsInMessageAlone) {
  // given
  const auto op = contract({{"amount", FieldType::Float}}, {}, body(kDouble, false));
  // when
  Driver d(straight(in_process(op)), vars({{"amount", 21}, {"secret", "s"}}));
  // then
  EXPECT_EQ(d.effects_text(), "invoke operation of pay for token 1, attempt 1 {amount: 21.0}\n");
}

TEST(InProcessTask, AResultFromThePoolCompletesTheTask) {
  // given
  Driver d(straight(in_process(functor(kDouble, false))), vars({{"amount", 21}}));
  // when
  ASSERT_TRUE(d.operation("pay", jobs::OutcomeCompleted{vars({{"doubled", 42}})}).ok());
  // then
  EXPECT_EQ(d.where(), "completed");
  EXPECT_EQ(d.variable("doubled"), "42");
}

TEST(InProcessTask, ABindFaultIsAnIncidentAndTheRetryBindsAgain) {
  // given
  Driver d(straight(in_process(contract({{"amount", FieldType::Int}}, {}, body(kDouble)))));
  ASSERT_EQ(d.where(), "pay: failed step");
  EXPECT_EQ(d.incident()->kind, core::IncidentKind::FailedOperation);
  // when
  ASSERT_TRUE(d.run(core::SetVariables{vars({{"amount", 21}})}).ok());
  ASSERT_TRUE(d.run(core::RetryIncident{1, 1}).ok());
  // then
  EXPECT_EQ(d.where(), "completed");
  EXPECT_EQ(d.variable("doubled"), "42");
}

TEST(InProcessTask, WithoutAPolicyAFaultIsAnIncidentAtOnce) {
  // given / when
  Driver d(straight(in_process(functor(kFails))));
  // then
  EXPECT_EQ(d.where(), "pay: failed step");
  EXPECT_EQ(d.incident()->kind, core::IncidentKind::FailedOperation);
  EXPECT_EQ(d.incident()->attempts, 1);
  EXPECT_EQ(d.incident()->failure.message, "the bank is down");
}

TEST(InProcessTask, ARetryPolicyBacksOffByATimerAndRunsAgain) {
  // given
  Driver d(straight(retried(functor(kFails, false), 3)));
  // when
  ASSERT_TRUE(d.operation("pay", failed(d, "pay", 0)).ok());
  // then
  EXPECT_EQ(d.where(), "pay: retry");
  EXPECT_EQ(d.timer_at("pay")->due, d.now + Duration::seconds(5));
  // and when
  ASSERT_TRUE(d.fire("pay").ok());
  // then
  EXPECT_EQ(d.where(), "pay: operation");
  EXPECT_EQ(d.effects_text(), "invoke operation of pay for token 1, attempt 2 {}\n");
}

TEST(InProcessTask, AnInlineOperationBacksOffToo) {
  // given
  Driver d(straight(retried(functor(kFails), 2)));
  ASSERT_EQ(d.where(), "pay: retry");
  // when
  ASSERT_TRUE(d.fire("pay").ok());
  // then
  EXPECT_EQ(d.where(), "pay: failed step");
  EXPECT_EQ(d.incident()->attempts, 2);
}

TEST(InProcessTask, UsedUpAttemptsRaiseAnIncidentWithTheirNumber) {
  // given
  Driver d(straight(retried(functor(kFails, false), 2)));
  ASSERT_TRUE(d.operation("pay", failed(d, "pay", 0)).ok());
  ASSERT_TRUE(d.fire("pay").ok());
  // when
  ASSERT_TRUE(d.operation("pay", failed(d, "pay", 1)).ok());
  // then
  EXPECT_EQ(d.where(), "pay: failed step");
  EXPECT_EQ(d.incident()->attempts, 2);
}

TEST(InProcessTask, AnOperatorsRetryCountsExecutionsAnew) {
  // given
  Driver d(straight(retried(functor(kFails, false), 2)));
  ASSERT_TRUE(d.operation("pay", failed(d, "pay", 0)).ok());
  ASSERT_TRUE(d.fire("pay").ok());
  ASSERT_TRUE(d.operation("pay", failed(d, "pay", 1)).ok());
  // when
  ASSERT_TRUE(d.run(core::RetryIncident{1, 1}).ok());
  // then
  EXPECT_EQ(d.effects_text(), "notice that incident 1 is closed\ninvoke operation of pay for token 1, attempt 1 {}\n");
  EXPECT_TRUE(d.operation("pay", failed(d, "pay", 0)).ok());
  EXPECT_EQ(d.where(), "pay: retry");
}

TEST(InProcessTask, AnOperatorsRetryRunsAnInlineOperationAgain) {
  // given
  Driver d(straight(retried(functor(kFails), 2)));
  ASSERT_TRUE(d.fire("pay").ok());
  // when
  ASSERT_TRUE(d.run(core::RetryIncident{1, 1}).ok());
  // then
  EXPECT_EQ(d.where(), "pay: retry");
}

TEST(InProcessTask, AResultOfAnEarlierExecutionIsDropped) {
  // given
  Driver d(straight(retried(functor(kFails, false), 3)));
  ASSERT_TRUE(d.operation("pay", failed(d, "pay", 0)).ok());
  ASSERT_TRUE(d.fire("pay").ok());
  // when
  const Status late = d.run(core::OperationDone{1, 1, 0, jobs::OutcomeCompleted{}});
  // then
  EXPECT_FALSE(late.ok());
  EXPECT_EQ(d.where(), "pay: operation");
}

TEST(InProcessTask, ATimeoutMovesAnInlineSafeOperationToThePool) {
  // given
  model::ServiceTaskConfig c = in_process(functor(kDouble));
  c.options.timeout = Duration::seconds(1);
  // when
  Driver d(straight(c), vars({{"amount", 1}}));
  // then
  EXPECT_EQ(d.where(), "pay: operation");
}

// Stands for a policy that is a host object.
struct HostPolicy final : policy::RetryPolicy {
  Result<std::optional<Duration>> next_delay(int, const policy::Failure&, double) const override {
    return std::optional<Duration>();
  }
  int max_attempts() const override { return 0; }
  bool custom() const override { return true; }
  std::string describe() const override { return "host policy"; }
};

TEST(InProcessTask, ACustomPolicyMovesAnInlineSafeOperationToThePool) {
  // given
  model::ServiceTaskConfig c = in_process(functor(kFails));
  c.options.retry = std::make_shared<HostPolicy>();
  // when
  Driver d(straight(c));
  // then
  EXPECT_EQ(d.where(), "pay: operation");
}

TEST(InProcessTask, ItsErrorMapperTurnsAFaultIntoABpmnError) {
  // given
  policy::ErrorRule declined;
  declined.code = Value(503);
  declined.outcome = policy::ToBpmnError{policy::Source{Value("BANK_DOWN")}, std::nullopt};
  model::ServiceTaskConfig c = in_process(functor(kFails));
  c.options.errors = policy::rule_mapper({declined}).value();
  // when
  Driver d(Model()
               .start()
               .task("pay", c)
               .end()
               .catches("down", "pay", "BANK_DOWN")
               .end("later")
               .path({"start", "pay", "end"})
               .path({"down", "later"})
               .build());
  // then
  EXPECT_EQ(d.where(), "completed");
  EXPECT_EQ(d.count("later"), "1");
  EXPECT_EQ(d.count("pay"), "0 (1 cancelled)");
}

TEST(InProcessTask, AStatusIsWrittenToItsVariable) {
  // given
  model::ServiceTaskConfig c = in_process(functor([](const OperationCall&) { return model::OperationStatus{Value("BUSY")}; }));
  c.options.status = policy::StatusTarget{"payStatus", false};
  // when
  Driver d(straight(c));
  // then
  EXPECT_EQ(d.where(), "completed");
  EXPECT_EQ(d.variable("payStatus"), "\"BUSY\"");
}

TEST(InProcessTask, AStatusCollisionIsAnIncidentOfTheOperation) {
  // given
  model::ServiceTaskConfig c = in_process(functor([](const OperationCall&) { return model::OperationStatus{Value("BUSY")}; }));
  c.options.status = policy::StatusTarget{"payStatus", false};
  // when
  Driver d(straight(c), vars({{"payStatus", 1}}));
  // then
  EXPECT_EQ(d.where(), "pay: failed step");
  EXPECT_EQ(d.incident()->kind, core::IncidentKind::FailedOperation);
}

TEST(InProcessTask, OutputThatDoesNotFitTheOutMessageIsAFaultThatKeepsIt) {
  // given
  const auto op = contract({{"amount", FieldType::Int}}, {{"receipt", FieldType::String}}, body(kDouble));
  // when
  Driver d(straight(in_process(op)), vars({{"amount", 21}}));
  // then
  ASSERT_EQ(d.where(), "pay: failed step");
  ASSERT_NE(d.incident()->failure.body.find("doubled"), nullptr);
  EXPECT_EQ(d.variable("doubled"), "absent");
}

TEST(InProcessTask, OnExhaustedFailEndsTheInstance) {
  // given
  model::ServiceTaskConfig c = in_process(functor(kFails));
  c.options.on_exhausted = policy::OnExhausted::Fail;
  // when
  Driver d(straight(c));
  // then
  EXPECT_EQ(d.where(), "failed");
  EXPECT_NE(d.state().cold->ending.reason.find("the bank is down"), std::string::npos);
}

TEST(InProcessTask, ABoundaryTimerInterruptsABackOff) {
  // given
  Driver d(Model()
               .start()
               .task("pay", retried(functor(kFails), 3))
               .end()
               .timer("late", "pay", "PT1S")
               .end("stop")
               .path({"start", "pay", "end"})
               .path({"late", "stop"})
               .build());
  ASSERT_EQ(d.where(), "pay: retry");
  // when
  ASSERT_TRUE(d.fire("late").ok());
  // then
  EXPECT_EQ(d.where(), "completed");
  EXPECT_EQ(d.count("stop"), "1");
  EXPECT_TRUE(d.outside().timers.empty());
}

TEST(InProcessTask, InterruptingItCancelsTheOperationOutside) {
  // given
  Driver d(Model()
               .start()
               .task("pay", in_process(functor(kFails, false)))
               .end()
               .timer("late", "pay", "PT1S")
               .end("stop")
               .path({"start", "pay", "end"})
               .path({"late", "stop"})
               .build());
  // when
  ASSERT_TRUE(d.fire("late").ok());
  // then
  EXPECT_EQ(d.effects_text(), "cancel operation of token 1\ndisarm timer 1\nfinish the instance\n");
}

}  // namespace
}  // namespace headrace::testing
