#include <limits>

#include "juel_support.hpp"

namespace headrace::expr::testing {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();

TEST(JuelArithmetic, IntegersStayExact) {
  EXPECT_EQ(value_of("${9007199254740993 + 2}"), Value(std::int64_t{9007199254740995}));
  EXPECT_EQ(value_of("${n - 10 * 2}", {{"n", 3}}), Value(-17));
  EXPECT_EQ(value_of("${-9223372036854775808}"), Value(kLeast));
  EXPECT_EQ(value_of("${- - 5}"), Value(5));
}

TEST(JuelArithmetic, DivisionOfIntegersGivesADouble) {
  EXPECT_EQ(value_of("${7 / 2}"), Value(3.5));
  EXPECT_EQ(value_of("${6 div 2}"), Value(3.0));
}

TEST(JuelArithmetic, RemainderOfIntegersIsAnIntegerWithTheSignOfTheDividend) {
  EXPECT_EQ(value_of("${7 % 4}"), Value(3));
  EXPECT_EQ(value_of("${-7 mod 4}"), Value(-3));
  EXPECT_EQ(value_of("${7.5 % 4}"), Value(3.5));
}

TEST(JuelArithmetic, ADoubleMakesTheResultADouble) {
  EXPECT_EQ(value_of("${1.5 * 2}"), Value(3.0));
  EXPECT_EQ(value_of("${n - 0.5}", {{"n", 3}}), Value(2.5));
  EXPECT_EQ(value_of("${-0.0}"), Value(-0.0));
}

TEST(JuelArithmetic, MultiplicationBindsTighterThanAdditionAndChainsGoLeft) {
  EXPECT_EQ(value_of("${2 + 3 * 4}"), Value(14));
  EXPECT_EQ(value_of("${(2 + 3) * 4}"), Value(20));
  EXPECT_EQ(value_of("${10 - 3 - 2}"), Value(5));
  EXPECT_EQ(value_of("${-2 * -3}"), Value(6));
}

TEST(JuelArithmetic, TextThatReadsAsANumberIsOne) {
  EXPECT_EQ(value_of("${'3' + 4}"), Value(7));
  EXPECT_EQ(value_of("${'3' + '4'}"), Value(7));
  EXPECT_EQ(value_of("${'+3' * '-1.5'}"), Value(-4.5));
  EXPECT_EQ(value_of("${-'3'}"), Value(-3));
}

TEST(JuelArithmetic, NullCountsAsZero) {
  EXPECT_EQ(value_of("${null + 1}"), Value(1));
  EXPECT_EQ(value_of("${x * 2}", {{"x", {}}}), Value(0));
}

TEST(JuelArithmetic, WhatIsNoNumberIsANamedFault) {
  expect_part(fault_of("${'abc' + 1}"), "'+' expected numbers, found string and integer");
  expect_part(fault_of("${1 - true}"), "boolean");
  expect_part(fault_of("${l * 2}", {{"l", ValueList{}}}), "list");
  expect_part(fault_of("${t + 1}", {{"t", kNow}}), "found datetime and integer");
  expect_part(fault_of("${-'x'}"), "'-' expected a number");
  for (const char* text :
       {"${'' + 1}", "${' 1' + 1}", "${'1x' + 1}", "${'inf' + 1}", "${'nan' + 1}", "${'0x10' + 1}", "${'1e999' + 1}",
        "${'-+1' + 1}", "${'99999999999999999999' + 1}", "${'.' + 1}", "${'-' + 1}", "${'a' + 'b'}"}) {
    expect_part(fault_of(text), "expected numbers");
  }
}

TEST(JuelArithmetic, OverflowOfIntegersIsANamedFault) {
  const Table table{{"most", kMost}, {"least", kLeast}};
  expect_part(fault_of("${most + 1}", table), "the result of '+' does not fit an integer of 64 bits");
  expect_part(fault_of("${least - 1}", table), "does not fit");
  expect_part(fault_of("${most * 2}", table), "does not fit");
  expect_part(fault_of("${-least}", table), "does not fit");
  expect_part(fault_of("${least / -1}", table), "does not fit");
  expect_part(fault_of("${least % -1}", table), "does not fit");
  EXPECT_EQ(value_of("${least % 2}", table), Value(0));
}

TEST(JuelArithmetic, DivisionByZeroIsANamedFault) {
  for (const char* text :
       {"${1 / 0}", "${1 % 0}", "${1.0 / 0.0}", "${1 / -0.0}", "${0 / 0}", "${1.5 % 0}", "${1 / null}", "${1 div '0'}"}) {
    expect_part(fault_of(text), "division by zero");
  }
}

TEST(JuelArithmetic, ADoubleThatIsNotFiniteIsANamedFault) {
  expect_part(fault_of("${1e308 * 10}"), "no finite number");
  expect_part(fault_of("${x + 1}", {{"x", std::numeric_limits<double>::quiet_NaN()}}), "no finite number");
}

}  // namespace
}  // namespace headrace::expr::testing
