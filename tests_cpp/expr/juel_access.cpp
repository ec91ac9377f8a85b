#include "juel_support.hpp"

namespace headrace::expr::testing {
namespace {

Table table() {
  return {{"n", 5},
          {"größe", 7},
          {"name", "bob😀"},
          {"nothing", {}},
          {"raw", Bytes{"x"}},
          {"l", ValueList{10, 20}},
          {"m", ValueMap{{"k", 5}, {"empty", 1}, {"in ner", ValueMap{{"list", ValueList{ValueMap{{"x", "deep"}}}}}}}}};
}

TEST(JuelAccess, AVariableKeepsItsKind) {
  EXPECT_EQ(value_of("${n}", table()), Value(5));
  EXPECT_EQ(value_of("#{ l }", table()), Value(ValueList{10, 20}));
  EXPECT_EQ(value_of("${nothing}", table()), Value());
  EXPECT_EQ(value_of("${größe}", table()), Value(7));
  EXPECT_EQ(value_of("${raw}", table()), Value(Bytes{"x"}));
}

TEST(JuelAccess, AnUnknownVariableIsAFaultThatNamesItAndTheExpression) {
  EXPECT_EQ(fault_of("${ghost + 1}"), "expression '${ghost + 1}': there is no variable 'ghost'");
  expect_part(fault_of("${missing == null}"), "'missing'");
}

TEST(JuelAccess, MembersOfMapsAreReachedByNameAndByKey) {
  EXPECT_EQ(value_of("${m.k}", table()), Value(5));
  EXPECT_EQ(value_of("${m['k'] + l[0]}", table()), Value(15));
  EXPECT_EQ(value_of("${m['in ner'].list[0]['x']}", table()), Value("deep"));
  EXPECT_EQ(value_of("${m.empty}", table()), Value(1));
}

TEST(JuelAccess, WhatAMapOrListDoesNotHoldIsNull) {
  EXPECT_EQ(value_of("${m.ghost}", table()), Value());
  EXPECT_EQ(value_of("${l[9]}", table()), Value());
  EXPECT_EQ(value_of("${l[-1]}", table()), Value());
}

TEST(JuelAccess, AnIndexIsAWholeNumber) {
  EXPECT_EQ(value_of("${l[1]}", table()), Value(20));
  EXPECT_EQ(value_of("${l['1']}", table()), Value(20));
  EXPECT_EQ(value_of("${l[n - 4.0]}", table()), Value(20));
  for (const char* text : {"${l[0.5]}", "${l['a']}", "${l[null]}", "${l[true]}", "${l.size}", "${l[1e300]}"}) {
    expect_part(fault_of(text, table()), "the index of a list is an integer");
  }
  expect_part(fault_of("${m[1]}", table()), "the key of a map is a string, found integer");
}

TEST(JuelAccess, PropertiesOfNullAndOfPlainValuesAreFaults) {
  expect_part(fault_of("${nothing.x}", table()), "a value of kind null has no property or element for string");
  expect_part(fault_of("${m.ghost.x}", table()), "kind null");
  expect_part(fault_of("${name.bytes}", table()), "kind string");
  expect_part(fault_of("${n[0]}", table()), "kind integer");
  expect_part(fault_of("${name.class.forName}", table()), "kind string");
}

TEST(JuelAccess, NowIsTheTimeOfTheStep) { EXPECT_EQ(value_of("${now()}"), Value(kNow)); }

TEST(JuelCalls, TheFewMethodsAreThere) {
  EXPECT_EQ(value_of("${name.length()}", table()), Value(5));  // UTF-16 units as in Java
  EXPECT_EQ(value_of("${name.length() > 2}", table()), Value(true));
  EXPECT_EQ(value_of("${l.size() + m.size()}", table()), Value(5));
  EXPECT_EQ(value_of("${l.isEmpty() || ''.isEmpty()}", table()), Value(true));
  EXPECT_EQ(value_of("${l.contains(20) && name.contains('ob')}", table()), Value(true));
  EXPECT_EQ(value_of("${m.get('k') + l.get(1)}", table()), Value(25));
  expect_part(fault_of("${n.length()}", table()), "has no method length()");
  expect_part(fault_of("${nothing.size()}", table()), "kind null has no method size()");
  expect_part(fault_of("${name.contains(1)}", table()), "contains() expected a string");
}

TEST(JuelCalls, TheExecutionIsAskedForVariables) {
  EXPECT_EQ(value_of("${execution.hasVariable('missing')}", table()), Value(false));
  EXPECT_EQ(value_of("${execution.hasVariable('nothing')}", table()), Value(true));
  EXPECT_EQ(value_of("${execution.getVariable('missing')}", table()), Value());
  EXPECT_EQ(value_of("${true && execution.getVariable('n') + 1 == 6}", table()), Value(true));
  expect_part(fault_of("${execution.getVariable(1)}", table()), "the name of a variable is a string");
  const Table with{{"execution", ValueMap{{"processBusinessKey", "b1"}}}};
  EXPECT_EQ(value_of("${execution.processBusinessKey}", with), Value("b1"));
}

TEST(JuelCalls, OnlyTheBareExecutionIsAsked) {
  for (const char* text : {"${x[execution].getVariable('n')}", "${(a ? b : execution).getVariable('n')}",
                           "${execution.x.getVariable('n')}", "${x.getVariable('n')}"}) {
    expect_part(refusal_of(text), "'.getVariable()'");
  }
}

TEST(JuelCalls, EverythingElseIsRefusedByNameWhenParsed) {
  expect_part(refusal_of("${name.toString()}"), "found '.toString()' at byte 7");
  expect_part(refusal_of("${execution.setVariable('a', 1)}"), "'.setVariable()'");
  expect_part(refusal_of("${''.getClass().forName('java.lang.Runtime')}"), "'.getClass()'");
  expect_part(refusal_of("${system('ls')}"), "found 'system()'");
  expect_part(refusal_of("${now(1)}"), "expected ')'");
  refusal_of("${fn:length(name)}");
  refusal_of("${(name)(1)}");
  refusal_of("${m['k']()}");
}

}  // namespace
}  // namespace headrace::expr::testing
