// judge(): what the result of an in-process operation means under its policy (ADR-021 2.6, 2.7; design 4.9, 4.13).

#include "headrace/core/operation.hpp"

#include <gtest/gtest.h>

#include "support/model.hpp"

namespace headrace::testing {
namespace {

using core::OperationExhausted;
using core::OperationRetry;
using core::OperationVerdict;

const model::OperationOutput kOutput{vars({{"id", "r-1"}, {"fee", 2}})};

policy::Policy with_output(std::string_view path, bool optional = false) {
  policy::Policy p;
  p.output = policy::OutputMapping{{{expr::JsonPath::parse(path).value(), "receipt", optional}}};
  return p;
}

TEST(Judge, OutputWithoutContractOrMappingPassesAsItIs) {
  // given / when
  const OperationVerdict v = core::judge({}, kOutput, 0, 0);
  // then
  const auto* ok = std::get_if<jobs::OutcomeCompleted>(&v);
  ASSERT_NE(ok, nullptr);
  EXPECT_TRUE(ok->output.same_as(kOutput.output));
  EXPECT_FALSE(ok->mapped);
}

TEST(Judge, AMappingLeavesItsTargetsAlone) {
  // given / when
  const OperationVerdict v = core::judge(with_output("$.id"), kOutput, 0, 0);
  // then
  const auto* ok = std::get_if<jobs::OutcomeCompleted>(&v);
  ASSERT_NE(ok, nullptr);
  EXPECT_TRUE(ok->mapped);
  EXPECT_EQ(ok->output.size(), 1U);
  EXPECT_NE(ok->output.find("receipt"), nullptr);
}

TEST(Judge, AMissingRequiredPathIsATechnicalFaultThatKeepsTheResult) {
  // given / when
  const OperationVerdict v = core::judge(with_output("$.missing"), kOutput, 0, 0);
  // then
  const auto* exhausted = std::get_if<OperationExhausted>(&v);
  ASSERT_NE(exhausted, nullptr);
  EXPECT_NE(exhausted->failure.body.find("id"), nullptr);
  EXPECT_NE(exhausted->failure.message.find("missing"), std::string::npos) << exhausted->failure.message;
}

TEST(Judge, AnOptionalPathMayBeMissing) {
  // given / when
  const OperationVerdict v = core::judge(with_output("$.missing", true), kOutput, 0, 0);
  // then
  EXPECT_TRUE(std::holds_alternative<jobs::OutcomeCompleted>(v));
}

TEST(Judge, AFaultIsTriedAgainAsLongAsThePolicySays) {
  // given
  policy::Policy p;
  p.retry = policy::fixed_delay(3, Duration::seconds(5)).value();
  // when
  const OperationVerdict second = core::judge(p, fault(503, "down"), 1, 0);
  const OperationVerdict third = core::judge(p, fault(503, "down"), 2, 0);
  // then
  ASSERT_TRUE(std::holds_alternative<OperationRetry>(second));
  EXPECT_EQ(std::get_if<OperationRetry>(&second)->delay, Duration::seconds(5));
  EXPECT_TRUE(std::holds_alternative<OperationExhausted>(third));
}

TEST(Judge, ABpmnErrorIsNeverTriedAgain) {
  // given
  policy::Policy p;
  p.retry = policy::fixed_delay(3, Duration::seconds(5)).value();
  // when
  const OperationVerdict v = core::judge(p, model::OperationBpmnError{"E1", "no", {}}, 0, 0);
  // then
  ASSERT_TRUE(std::holds_alternative<jobs::OutcomeBpmnError>(v));
  EXPECT_EQ(std::get_if<jobs::OutcomeBpmnError>(&v)->code, "E1");
}

TEST(Judge, AStatusWithoutWithStatusIsATechnicalFault) {
  // given / when
  const OperationVerdict v = core::judge({}, model::OperationStatus{Value("BUSY")}, 0, 0);
  // then
  EXPECT_TRUE(std::holds_alternative<OperationExhausted>(v));
}

// Stands for host objects that raise.
struct FailingPolicy final : policy::RetryPolicy {
  Result<std::optional<Duration>> next_delay(int, const policy::Failure&, double) const override {
    return make_error(ErrorCode::Technical, "ZeroDivisionError");
  }
  int max_attempts() const override { return 0; }
  std::string describe() const override { return "failing"; }
};
struct FailingMapper final : policy::ErrorMapper {
  Result<policy::Classification> classify(const policy::Failure&) const override {
    return make_error(ErrorCode::Technical, "KeyError");
  }
};

TEST(Judge, APolicyThatFailsEndsTheRetriesAndSaysSo) {
  // given
  policy::Policy p;
  p.retry = std::make_shared<FailingPolicy>();
  p.errors = std::make_shared<FailingMapper>();
  // when
  const OperationVerdict v = core::judge(p, fault(503, "down"), 0, 0);
  // then
  const auto* exhausted = std::get_if<OperationExhausted>(&v);
  ASSERT_NE(exhausted, nullptr);
  EXPECT_EQ(exhausted->failure.message, "down (error mapper failed: KeyError) (retry policy failed: ZeroDivisionError)");
}

}  // namespace
}  // namespace headrace::testing
