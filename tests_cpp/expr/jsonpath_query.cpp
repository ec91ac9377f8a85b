#include "jsonpath_support.hpp"

namespace headrace::expr::test {
namespace {

TEST(JsonPathQuery, SelectsTheRootItself) { EXPECT_EQ(run("$", R"({"a":1})"), R"([{"a":1}])"); }

TEST(JsonPathQuery, PointsIntoTheValueItWasGiven) {
  // given
  const Value root = body(R"({"a":{"b":[1,2]}})");
  const Result<JsonPath> path = JsonPath::parse("$.a.b[1]");
  ASSERT_TRUE(path.ok());

  // when
  const auto nodes = path->query(root);

  // then
  ASSERT_TRUE(nodes.ok());
  ASSERT_EQ(nodes->size(), 1U);
  EXPECT_EQ(nodes->front(), &root.find("a")->find("b")->as_list()[1]);
}

TEST(JsonPathQuery, SelectsNothingWhereThePathDoesNotFit) {
  for (const char* path :
       {"$.x", "$.a.x", "$[0]", "$.a[0]", "$.list[9]", "$.list[-4]", "$.list.a", "$.a[0:1]", "$.list[?@.x]", "$.n.*"}) {
    EXPECT_EQ(run(path, R"({"a":{"b":1},"list":[1,2,3],"n":5})"), "[]") << path;
  }
}

TEST(JsonPathQuery, VisitsDescendantsParentsFirst) {
  EXPECT_EQ(run("$..a", R"({"x":{"a":{"a":1}},"a":2,"y":[{"a":3}]})"), R"([2,{"a":1},1,3])");
}

TEST(JsonPathQuery, KeepsDuplicatesAndTheOrderOfSelectors) { EXPECT_EQ(run("$[1,0,1,-1,:2]", "[7,8,9]"), "[8,7,8,9,7,8]"); }

TEST(JsonPathQuery, SlicesBothWaysAndNeverWithStepZero) {
  EXPECT_EQ(run("$[1:9007199254740991:9007199254740991]", "[0,1,2]"), "[1]");
  EXPECT_EQ(run("$[::-2]", "[0,1,2,3,4]"), "[4,2,0]");
  EXPECT_EQ(run("$[::0]", "[0,1,2]"), "[]");
  EXPECT_EQ(run("$[-9007199254740991:9007199254740991]", "[0,1]"), "[0,1]");
  EXPECT_EQ(run("$[9007199254740991:-9007199254740991:-9007199254740991]", "[0,1]"), "[1]");
}

TEST(JsonPathQuery, ReadsNamesWithEveryEscape) {
  EXPECT_EQ(run(R"($['\u00e9\uD83D\uDE00'])", R"({"é😀":1})"), "[1]");
  EXPECT_EQ(run(R"($["\u0000"])", R"({"\u0000":1})"), "[1]");
  EXPECT_EQ(run(R"($['\b\f\n\r\t\/\\\''])", R"({"\b\f\n\r\t/\\'":1})"), "[1]");
  EXPECT_EQ(run("$.größe", R"({"größe":1})"), "[1]");
  EXPECT_EQ(run("$.\xE2\x98\xBA", R"({"☺":1})"), "[1]");
}

TEST(JsonPathQuery, IsSingularWhenEachSegmentIsOneNameOrIndex) {
  for (const char* path : {"$", "$.a", "$['a'][0][-1].b"}) EXPECT_TRUE(JsonPath::parse(path)->singular()) << path;
  for (const char* path : {"$.*", "$..a", "$[0,1]", "$['a','a']", "$[0:1]", "$[?@.a]", "$.a[*].b"}) {
    EXPECT_FALSE(JsonPath::parse(path)->singular()) << path;
  }
}

TEST(JsonPathQuery, KeepsItsText) { EXPECT_EQ(JsonPath::parse("$.a [0]")->text(), "$.a [0]"); }

TEST(JsonPathQuery, RefusesToRunUnparsed) {
  EXPECT_EQ(JsonPath().query(Value()).error().message, "expected a JSONPath that was parsed, found an empty one");
  EXPECT_EQ(Clause().matches(Value()).error().message, "expected a clause that was parsed, found an empty one");
  EXPECT_FALSE(JsonPath().singular());
}

TEST(JsonPathQuery, WalksValuesDeeperThanAnyStack) {
  // given
  Value deep(1);
  Value same(1);
  for (int i = 0; i < 2500; ++i) {
    deep = Value(ValueList{deep});
    same = Value(ValueList{same});
  }
  const Value both(ValueList{deep, same});

  // when
  const std::string equal = clause("$[0] == $[1]", both);
  const std::string found = clause("count($..*) == 2500", deep);

  // then
  EXPECT_EQ(equal, "true");
  EXPECT_EQ(found, "true");
}

}  // namespace
}  // namespace headrace::expr::test
