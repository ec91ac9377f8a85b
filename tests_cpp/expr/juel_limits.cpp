// Limits and hostile input (reference/hostile-inputs.tsv H37, H40, H41).
#include <limits>

#include "juel_support.hpp"

namespace headrace::expr::testing {
namespace {

TEST(JuelLimits, AHundredThousandParenthesesAreRefusedNamingTheLimit) {
  expect_part(refusal_of("${" + repeat("(", 30'000) + "1" + repeat(")", 30'000) + "}"), "64 levels of nesting");
  expect_part(refusal_of("${" + repeat("(", 100'000) + "1" + repeat(")", 100'000) + "}"), "64 KiB");
}

TEST(JuelLimits, SixtyFourLevelsAreAllowedAndNotOneMore) {
  const auto nested = [](std::string_view open, std::string_view close, std::size_t levels) {
    return "${" + repeat(open, levels) + "1" + repeat(close, levels) + "}";
  };
  EXPECT_EQ(value_of(nested("(", ")", 64)), Value(1));
  expect_part(refusal_of(nested("(", ")", 65)), "64 levels");
  EXPECT_EQ(value_of(nested("- ", "", 64)), Value(1));
  expect_part(refusal_of(nested("- ", "", 65)), "64 levels");
  for (const char* open : {"!", "empty ", "a[", "true ? ", "x.get("})
    expect_part(refusal_of(nested(open, "", 5'000)), "64 levels");
}

TEST(JuelLimits, AMegabyteOfTextIsRefused) {
  expect_part(refusal_of(repeat("x", 1'000'000)), "at most 64 KiB, found 1000000 bytes");
  EXPECT_TRUE(Expression::parse(repeat("x", 64 * 1024)).ok());
}

TEST(JuelLimits, LongChainsAreNoNesting) {
  EXPECT_EQ(value_of("${1" + repeat(" + 1", 4000) + "}"), Value(4001));
  EXPECT_EQ(value_of("${false" + repeat(" || false", 3000) + "}"), Value(false));
  EXPECT_EQ(value_of("${" + repeat("false ? 1 : ", 2000) + "2}"), Value(2));
}

TEST(JuelLimits, TenThousandStepsAreTheEndOfARun) {
  expect_part(fault_of("${1" + repeat("+1", 20'000) + "}"), "the limit of 10000 steps is used up");
}

TEST(JuelLimits, BuiltTextEndsAtOneMebibyte) {
  const Table table{{"s", std::string(300'000, 'x')}};
  EXPECT_EQ(value_of("${s}${s}${s}", table).as_string().size(), 900'000U);
  expect_part(fault_of("${s}${s}${s}${s}", table), "1 MiB of built text");
}

TEST(JuelLimits, StepsOnLargeValuesCountAsMany) {
  // given values of some megabytes each
  ValueList list(200'000, Value(1));
  ValueMap map;
  for (int i = 0; i < 100'000; ++i) map.emplace_back("key" + std::to_string(i), i);
  const Table table{{"s", std::string(4'000'000, 'x')}, {"l", list}, {"k", list}, {"m", map}};
  // when they are used as often as the text of an expression allows, then the run ends early
  expect_part(fault_of("${s == s" + repeat(" && s == s", 1000) + "}", table), "10000 steps");
  expect_part(fault_of("${l == k" + repeat(" && l == k", 1000) + "}", table), "10000 steps");
  expect_part(fault_of("${m.z == null" + repeat(" && m.z == null", 1000) + "}", table), "10000 steps");
  expect_part(fault_of("${l.contains(2)" + repeat(" || l.contains(2)", 1000) + "}", table), "10000 steps");
  // and using them a few times is no fault
  EXPECT_EQ(value_of("${s == s && l == k && m.key7 == 7}", table), Value(true));
}

TEST(JuelLimits, AListIsAskedForOnceARun) {
  const Table table{{"l", ValueList{1, 2, 3}}};
  EXPECT_EQ(value_of("${l[0] + l[1] + execution.getVariable('l')[2]}", table), Value(6));
  EXPECT_EQ(table.finds, 1);
}

TEST(JuelHostile, ArithmeticFaultsAreNamedAndNotUndefined) {
  const Table table{{"least", std::numeric_limits<std::int64_t>::min()}};
  expect_part(fault_of("${1 / 0}"), "division by zero");
  expect_part(fault_of("${least / -1}", table), "does not fit an integer of 64 bits");
  expect_part(fault_of("${least % -1}", table), "does not fit an integer of 64 bits");
  expect_part(fault_of("${'abc' + 1}"), "'+' expected numbers");
  expect_part(refusal_of("${1 << 64}"), "expected a value");
}

TEST(JuelHostile, AConditionOnAnAbsentVariableOrAnotherKindIsNoSilentFalse) {
  const Table table{{"nothing", {}}, {"n", 0}, {"s", "false"}};
  for (const char* text : {"${absent}", "${absent > 5}", "${nothing}", "${n}", "${s}"}) {
    const auto result = Expression::parse(text)->evaluate_condition(table, kNow);
    ASSERT_FALSE(result.ok()) << text;
    EXPECT_EQ(result.error().code, ErrorCode::Expression);
    expect_part(result.error().message, text);
  }
}

}  // namespace
}  // namespace headrace::expr::testing
