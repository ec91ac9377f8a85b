#include "juel_support.hpp"

namespace headrace::expr::testing {
namespace {

TEST(JuelLogic, AndOrNotHaveSignsAndWords) {
  EXPECT_EQ(value_of("${true && false}"), kFalse);
  EXPECT_EQ(value_of("${true and true}"), kTrue);
  EXPECT_EQ(value_of("${false || true}"), kTrue);
  EXPECT_EQ(value_of("${false or false}"), kFalse);
  EXPECT_EQ(value_of("${!true}"), kFalse);
  EXPECT_EQ(value_of("${not false}"), kTrue);
  EXPECT_EQ(value_of("${!!'true'}"), kTrue);
}

TEST(JuelLogic, AndBindsTighterThanOrAndNotTightest) {
  EXPECT_EQ(value_of("${true || true && false}"), kTrue);
  EXPECT_EQ(value_of("${(true || true) && false}"), kFalse);
  EXPECT_EQ(value_of("${not (n eq 5) or n ne 4}", {{"n", 5}}), kTrue);
  EXPECT_EQ(value_of("${n mod 3 == 2 && n div 2 le 2.5}", {{"n", 5}}), kTrue);
  EXPECT_EQ(value_of("${1 < 2 == 3 > 2}"), kTrue);
}

TEST(JuelLogic, TheRightSideIsNotReadWhenTheLeftDecides) {
  EXPECT_EQ(value_of("${false && ghost}"), kFalse);
  EXPECT_EQ(value_of("${true || ghost}"), kTrue);
  EXPECT_EQ(value_of("${x != null && x.y > 1}", {{"x", {}}}), kFalse);
  expect_part(fault_of("${true && ghost}"), "'ghost'");
}

TEST(JuelLogic, NullCountsAsFalseAndWordsAsBooleans) {
  EXPECT_EQ(value_of("${!x}", {{"x", {}}}), kTrue);
  EXPECT_EQ(value_of("${true && x}", {{"x", {}}}), kFalse);
  EXPECT_EQ(value_of("${'False' || 'TRUE'}"), kTrue);
}

TEST(JuelLogic, WhatIsNoBooleanIsAFault) {
  expect_part(fault_of("${1 && true}"), "expected a boolean, found integer");
  expect_part(fault_of("${true && 'yes'}"), "found string");
  expect_part(fault_of("${!''}"), "found string");
  expect_part(fault_of("${0 ? 1 : 2}"), "found integer");
}

TEST(JuelLogic, ATernaryTakesOneBranchAndGoesRight) {
  const Table table{{"n", 5}};
  EXPECT_EQ(value_of("${n >= 5 ? 'big' : 'small'}", table), Value("big"));
  EXPECT_EQ(value_of("${n > 5 ? ghost : n > 4 ? 'five' : ghost}", table), Value("five"));
  EXPECT_EQ(value_of("${true ? false ? 1 : 2 : 3}"), Value(2));
  EXPECT_EQ(value_of("${1 + (n == 5 ? 2 : 3) * 2}", table), Value(5));
  EXPECT_EQ(value_of("${null ? 1 : 2}"), Value(2));
}

TEST(JuelLogic, EmptyHoldsForNullEmptyTextListsAndMaps) {
  const Table table{{"nothing", {}},     {"text", ""},           {"list", ValueList{}},
                    {"map", ValueMap{}}, {"full", ValueList{1}}, {"zero", 0}};
  for (const char* name : {"nothing", "text", "list", "map"})
    EXPECT_EQ(value_of("${empty " + std::string(name) + "}", table), kTrue) << name;
  for (const char* name : {"full", "zero"}) EXPECT_EQ(value_of("${empty " + std::string(name) + "}", table), kFalse) << name;
  EXPECT_EQ(value_of("${not empty full && empty text}", table), kTrue);
  expect_part(fault_of("${empty missing}"), "there is no variable 'missing'");
}

TEST(JuelCondition, WantsABoolean) {
  const Table table{{"yes", true}, {"word", "true"}, {"n", 1}, {"nothing", {}}};
  const auto condition = [&](std::string_view text) { return Expression::parse(text)->evaluate_condition(table, kNow); };
  EXPECT_TRUE(*condition("${yes}"));
  EXPECT_FALSE(*condition("#{!yes}"));
  for (const char* text : {"${word}", "${n}", "${nothing}", "true", "${yes} ", ""}) {
    const auto result = condition(text);
    ASSERT_FALSE(result.ok()) << text;
    EXPECT_EQ(result.error().code, ErrorCode::Expression);
    expect_part(result.error().message, "a condition gives a boolean, found ");
  }
  expect_part(condition("${ghost}").error().message, "there is no variable 'ghost'");
}

}  // namespace
}  // namespace headrace::expr::testing
