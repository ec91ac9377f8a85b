#include "juel_support.hpp"

namespace headrace::expr::testing {
namespace {

Table access_table() {
  return {{"n", 5},
          {"größe", 7},
          {"name", "bob😀"},
          {"nothing", {}},
          {"raw", Bytes{"x"}},
          {"l", ValueList{10, 20}},
          {"m", ValueMap{{"k", 5}, {"empty", 1}, {"in ner", ValueMap{{"list", ValueList{ValueMap{{"x", "deep"}}}}}}}}};
}

TEST(JuelAccess, AVariableKeepsItsKind) {
  EXPECT_EQ(value_of("${n}", access_table()), Value(5));
  EXPECT_EQ(value_of("#{ l }", access_table()), Value(ValueList{10, 20}));
  EXPECT_EQ(value_of("${nothing}", access_table()), Value());
  EXPECT_EQ(value_of("${größe}", access_table()), Value(7));
  EXPECT_EQ(value_of("${raw}", access_table()), Value(Bytes{"x"}));
}

TEST(JuelAccess, AnUnknownVariableIsAFaultThatNamesItAndTheExpression) {
  EXPECT_EQ(fault_of("${ghost + 1}"), "expression '${ghost + 1}': there is no variable 'ghost'");
  expect_part(fault_of("${missing == null}"), "'missing'");
}

TEST(JuelAccess, MembersOfMapsAreReachedByNameAndByKey) {
  EXPECT_EQ(value_of("${m.k}", access_table()), Value(5));
  EXPECT_EQ(value_of("${m['k'] + l[0]}", access_table()), Value(15));
  EXPECT_EQ(value_of("${m['in ner'].list[0]['x']}", access_table()), Value("deep"));
  EXPECT_EQ(value_of("${m.empty}", access_table()), Value(1));
}

TEST(JuelAccess, WhatAMapOrListDoesNotHoldIsNull) {
  EXPECT_EQ(value_of("${m.ghost}", access_table()), Value());
  EXPECT_EQ(value_of("${l[9]}", access_table()), Value());
  EXPECT_EQ(value_of("${l[-1]}", access_table()), Value());
}

TEST(JuelAccess, AnIndexIsAWholeNumber) {
  EXPECT_EQ(value_of("${l[1]}", access_table()), Value(20));
  EXPECT_EQ(value_of("${l['1']}", access_table()), Value(20));
  EXPECT_EQ(value_of("${l[n - 4.0]}", access_table()), Value(20));
  for (const char* text : {"${l[0.5]}", "${l['a']}", "${l[null]}", "${l[true]}", "${l.size}", "${l[1e300]}"}) {
    expect_part(fault_of(text, access_table()), "the index of a list is an integer");
  }
  expect_part(fault_of("${m[1]}", access_table()), "the key of a map is a string, found integer");
}

TEST(JuelAccess, PropertiesOfNullAndOfPlainValuesAreFaults) {
  expect_part(fault_of("${nothing.x}", access_table()), "a value of kind null has no property or element for string");
  expect_part(fault_of("${m.ghost.x}", access_table()), "kind null");
  expect_part(fault_of("${name.bytes}", access_table()), "kind string");
  expect_part(fault_of("${n[0]}", access_table()), "kind integer");
  expect_part(fault_of("${name.class.forName}", access_table()), "kind string");
}

TEST(JuelAccess, NowIsTheTimeOfTheStep) { EXPECT_EQ(value_of("${now()}"), Value(kNow)); }

TEST(JuelCalls, TheFewMethodsAreThere) {
  EXPECT_EQ(value_of("${name.length()}", access_table()), Value(5));  // UTF-16 units as in Java
  EXPECT_EQ(value_of("${name.length() > 2}", access_table()), Value(true));
  EXPECT_EQ(value_of("${l.size() + m.size()}", access_table()), Value(5));
  EXPECT_EQ(value_of("${l.isEmpty() || ''.isEmpty()}", access_table()), Value(true));
  EXPECT_EQ(value_of("${l.contains(20) && name.contains('ob')}", access_table()), Value(true));
  EXPECT_EQ(value_of("${m.get('k') + l.get(1)}", access_table()), Value(25));
  expect_part(fault_of("${n.length()}", access_table()), "has no method length()");
  expect_part(fault_of("${nothing.size()}", access_table()), "kind null has no method size()");
  expect_part(fault_of("${name.contains(1)}", access_table()), "contains() expected a string");
}

TEST(JuelCalls, TheExecutionIsAskedForVariables) {
  EXPECT_EQ(value_of("${execution.hasVariable('missing')}", access_table()), Value(false));
  EXPECT_EQ(value_of("${execution.hasVariable('nothing')}", access_table()), Value(true));
  EXPECT_EQ(value_of("${execution.getVariable('missing')}", access_table()), Value());
  EXPECT_EQ(value_of("${true && execution.getVariable('n') + 1 == 6}", access_table()), Value(true));
  expect_part(fault_of("${execution.getVariable(1)}", access_table()), "the name of a variable is a string");
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
