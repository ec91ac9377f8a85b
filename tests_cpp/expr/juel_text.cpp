#include "juel_support.hpp"

namespace headrace::expr::testing {
namespace {

TEST(JuelText, PlainTextIsAConstantString) {
  EXPECT_EQ(value_of("hello"), Value("hello"));
  EXPECT_EQ(value_of(""), Value(""));
  EXPECT_EQ(value_of("5"), Value("5"));
  EXPECT_EQ(value_of("C:\\dir\\\\$ # { }"), Value("C:\\dir\\\\$ # { }"));
  EXPECT_EQ(Expression().evaluate(Table{}, kNow).value(), Value(""));
}

TEST(JuelText, ACompositeGivesAString) {
  const Table table{
      {"a", 1}, {"b", "two"}, {"d", 2.0}, {"t", kNow}, {"none", {}}, {"l", ValueList{1, "x"}}, {"m", ValueMap{{"k", true}}}};
  EXPECT_EQ(value_of("${a} and text ${b}", table), Value("1 and text two"));
  EXPECT_EQ(value_of("${a}${a}", table), Value("11"));
  EXPECT_EQ(value_of("<${d}|${t}|${none}|${a == 1}>", table), Value("<2.0|2026-01-05T09:00:00Z||true>"));
  EXPECT_EQ(value_of("${l}#{m}", table), Value("[1,\"x\"]{\"k\":true}"));
  EXPECT_EQ(value_of(" ${a}", table), Value(" 1"));
}

TEST(JuelText, ALoneExpressionKeepsItsKind) {
  EXPECT_EQ(value_of("${1}"), Value(1));
  EXPECT_EQ(value_of("${1.0}"), Value(1.0));
  EXPECT_EQ(value_of("${true}"), Value(true));
  EXPECT_EQ(value_of("${null}"), Value());
}

TEST(JuelText, BytesHaveNoText) { expect_part(fault_of("x${raw}", {{"raw", Bytes{"x"}}}), "kind bytes has no text"); }

TEST(JuelText, ABackslashTakesTheMeaningFromAnOpening) {
  EXPECT_EQ(value_of("\\${a}"), Value("${a}"));
  EXPECT_EQ(value_of("\\#{a}${1}"), Value("#{a}1"));
  EXPECT_EQ(value_of("a\\b${1}\\"), Value("a\\b1\\"));
}

TEST(JuelText, StringsHaveBothQuotesAndThreeEscapes) {
  EXPECT_EQ(value_of(R"(${'it"s'})"), Value("it\"s"));
  EXPECT_EQ(value_of(R"(${"it's"})"), Value("it's"));
  EXPECT_EQ(value_of(R"(${'it\'s \"so\" \\'})"), Value("it's \"so\" \\"));
  EXPECT_EQ(value_of("${'}${'}x"), Value("}${x"));
  expect_part(refusal_of(R"(${'\n'})"), "an escape other than");
  expect_part(refusal_of("${'abc}"), "a string without its closing quote at byte 2");
}

TEST(JuelText, NumbersAreReadAsJavaReadsThem) {
  EXPECT_EQ(value_of("${.5 + 1. + 1e2 + 1.5E+1 + 10e-1}"), Value(117.5));
  EXPECT_EQ(value_of("${5e-324}"), Value(5e-324));
  expect_part(refusal_of("${9223372036854775808}"), "an integer of more than 64 bits at byte 2");
  expect_part(refusal_of("${-9223372036854775809}"), "an integer of more than 64 bits");
  expect_part(refusal_of("${99999999999999999999}"), "an integer of more than 64 bits");
  expect_part(refusal_of("${1e400}"), "out of the range of doubles");
  refusal_of("${1abc}");
  refusal_of("${0x10}");
}

TEST(JuelText, OnlyWhatReadsVariablesOrTimeIsNotConstant) {
  for (const char* text : {"plain", "", "${1 + 1}", "a${'b'}"}) EXPECT_TRUE(Expression::parse(text)->is_constant()) << text;
  for (const char* text : {"${a}", "x${now()}", "${execution.getVariable('a')}"})
    EXPECT_FALSE(Expression::parse(text)->is_constant()) << text;
}

TEST(JuelText, TheTextIsKept) { EXPECT_EQ(Expression::parse("${ a }")->text(), "${ a }"); }

TEST(JuelParse, WhatIsExpectedFoundAndWhereIsSaid) {
  EXPECT_EQ(refusal_of("${n > }"), "expression '${n > }': expected a value, found '}' at byte 6");
  EXPECT_EQ(refusal_of("ab ${n"), "expression 'ab ${n': expected an operator or '}', found the end at byte 6");
  EXPECT_EQ(refusal_of("${a b}"), "expression '${a b}': expected an operator or '}', found 'b' at byte 4");
  expect_part(refusal_of("${a ? b}"), "expected ':' of a '? :'");
  expect_part(refusal_of("${a[1}"), "expected ']'");
  expect_part(refusal_of("${(a}"), "expected ')'");
  expect_part(refusal_of("${a.1}"), "at byte 3");
  expect_part(refusal_of("${a = 1}"), "expected an operator or '}', found the sign '='");
  expect_part(refusal_of("${1 << 64}"), "found '<'");
  for (const char* text : {"${}", "#{", "${a.}", "${a..b}", "${a &}", "${a | b}", "${+1}", "${a ? : b}", "${a; b}",
                           "${true false}", "${a,b}", "${[1]}", "${{}}", "${a b} ${"}) {
    refusal_of(text);
  }
}

TEST(JuelParse, TextThatIsNoUtf8IsRefused) {
  expect_part(refusal_of("${'\xFF'}"), "UTF-8");
  expect_part(refusal_of("\xC0\x80"), "UTF-8");
  expect_part(refusal_of(std::string_view("${\0}", 4)), "a control character");
}

}  // namespace
}  // namespace headrace::expr::testing
