// The budget of visits, and the rows H32 and H35 of hostile-inputs.tsv.

#include "jsonpath_support.hpp"

namespace headrace::expr::test {
namespace {

const std::string kUsedUp = "path budget of 10000 node visits is used up";

Value list_of(int count, const Value& item) { return Value(ValueList(static_cast<std::size_t>(count), item)); }

TEST(JsonPathBudget, CountsEveryChildThatIsLookedAt) {
  EXPECT_EQ(run("$[*]", "[1,2,3]", 3), "[1,2,3]");
  EXPECT_EQ(run("$[*]", "[1,2,3]", 2), "path budget of 2 node visits is used up");
  EXPECT_EQ(run("$.a.b", R"({"a":{"b":1}})", 2), "[1]");
  EXPECT_EQ(run("$.a.b", R"({"a":{"b":1}})", 1), "path budget of 1 node visits is used up");
  EXPECT_EQ(run("$[0:2]", "[1,2,3]", 2), "[1,2]");
  EXPECT_EQ(run("$", "[1,2,3]", 0), "path budget of 0 node visits is used up");
}

TEST(JsonPathBudget, CountsDescendantsAndWhatIsSelectedAmongThem) {
  // given: three descendants; the wildcard looks at each of them again
  EXPECT_EQ(run("$..*", "[[1,2]]", 6), "[[1,2],1,2]");
  EXPECT_EQ(run("$..*", "[[1,2]]", 5), "path budget of 5 node visits is used up");
}

TEST(JsonPathBudget, CountsTheQueriesInsideFilters) {
  EXPECT_EQ(run("$[?@.a]", R"([{"a":1},{}])", 4), R"([{"a":1}])");
  EXPECT_EQ(run("$[?@.a]", R"([{"a":1},{}])", 3), "path budget of 3 node visits is used up");
  EXPECT_EQ(clause("count($[*]) == 3", "[1,2,3]", 3), "true");
  EXPECT_EQ(clause("count($[*]) == 3", "[1,2,3]", 2), "path budget of 2 node visits is used up");
}

TEST(JsonPathBudget, IsTenThousandByDefault) {
  EXPECT_EQ(run("$[*]", list_of(10'001, Value(1))), kUsedUp);
  EXPECT_EQ(clause("count($[*]) == 10000", list_of(10'000, Value(1))), "true");
}

TEST(JsonPathBudget, StopsLongWalksOfALargeBodyH32) {
  // given: about 1 MB of nested lists and maps
  const Value leaf(ValueMap{{"a", Value(ValueMap{{"b", Value(ValueMap{{"c", Value(ValueMap{{"d", Value(1)}})}})}})}});
  const Value wide = list_of(300, list_of(100, leaf));
  const Value square = list_of(1000, list_of(1000, Value(1)));

  // when, then
  EXPECT_EQ(run("$..*", wide), kUsedUp);
  EXPECT_EQ(run("$..a..b..c..d", wide), kUsedUp);
  EXPECT_EQ(run("$..*..*..*..*", wide), kUsedUp);
  EXPECT_EQ(run("$[*][*][*][*]", square), kUsedUp);
  EXPECT_EQ(clause("$..a..b..c..d", wide), kUsedUp);
}

TEST(JsonPathBudget, CountsWorkThatSelectsNothing) {
  const Value list = list_of(9000, Value(1));
  EXPECT_EQ(run("$..[" + repeat("*,", 10'000) + "*]", Value(1)), kUsedUp) << "selectors on a scalar";
  EXPECT_EQ(run("$[" + repeat("5:1,", 10'000) + "0]", list), kUsedUp) << "empty slices";
  EXPECT_EQ(run("$[" + repeat("::0,", 10'000) + "0]", list), kUsedUp) << "slices of step 0";
  EXPECT_EQ(run("$[?" + repeat("1==2||", 5000) + "1==2]", list), kUsedUp) << "literals only";
  EXPECT_EQ(run("$[?" + repeat("@==2||", 5000) + "@==2]", list), kUsedUp) << "queries without segments";
  EXPECT_EQ(run("$[?" + repeat("length(1)==2||", 3000) + "1==2]", list), kUsedUp) << "calls of literals";
}

TEST(JsonPathBudget, CountsDeepComparisonsLongStringsAndLongMaps) {
  // given: equal trees and texts that are not the same object
  ValueMap names;
  for (int i = 0; i < 100'000; ++i) names.emplace_back("k" + std::to_string(i), Value(i));
  const auto pair_of = [](const Value& a, const Value& b) {
    return Value(ValueMap{{"a", a}, {"b", b}, {"l", list_of(50, Value(1))}});
  };
  const Value texts = pair_of(Value(std::string(1U << 20U, 'a')), Value(std::string(1U << 20U, 'a')));

  // when, then
  EXPECT_EQ(clause("$.a == $.b", pair_of(list_of(9000, Value(1)), list_of(9000, Value(1)))), "true");
  EXPECT_EQ(clause("$.a == $.b", pair_of(list_of(11'000, Value(1)), list_of(11'000, Value(1)))), kUsedUp);
  EXPECT_EQ(clause("$.a == $.b", texts), "true");
  EXPECT_EQ(run("$.l[?$.a == $.b]", texts), kUsedUp);
  EXPECT_EQ(run("$.l[?length($.a) == 1]", texts), kUsedUp);
  EXPECT_EQ(clause("$.a.k5 == 5", pair_of(Value(names), Value())), "true");
  EXPECT_EQ(run("$.l[?$.a.none]", pair_of(Value(names), Value())), kUsedUp);
}

TEST(JsonPathBudget, CountsRegularExpressions) {
  ValueList patterns;
  for (int i = 0; i < 2000; ++i) patterns.push_back(Value("a{1,500}" + std::to_string(i)));
  EXPECT_EQ(run("$[?match('b', @)]", Value(patterns)), kUsedUp) << "each is compiled";
  const Value same(ValueMap{{"p", Value("a{1,500}")}, {"l", list_of(500, Value("aa"))}});
  EXPECT_EQ(clause("count($.l[?match(@, $.p)]) == 500", same), "true") << "one is compiled once";
  const Value longer(ValueMap{{"t", Value(std::string(1U << 20U, 'a'))}, {"l", list_of(5000, Value(1))}});
  EXPECT_EQ(run("$.l[?match($.t, 'a*b')]", longer), kUsedUp) << "long texts";
}

TEST(JsonPathHostile, RefusesBrokenAndDeepPathsWithTheirPositionH35) {
  // given
  const std::string paths[] = {"$['",
                               "$[\"abc",
                               "$[?@.a=='x",
                               "$" + repeat("[", 10'000),
                               "$[?" + repeat("(", 10'000),
                               "$" + repeat("[?@", 10'000),
                               "$[?" + repeat("!(", 10'000),
                               "$[?" + repeat("length(", 5'000),
                               "$[" + repeat("(", 10'000) + repeat(")", 10'000) + "]"};
  for (const std::string& path : paths) {
    // when
    const std::string message = refusal(path);

    // then
    EXPECT_EQ(message.rfind("expected ", 0), 0U) << path.substr(0, 20) << ": " << message;
    EXPECT_NE(message.find(" at byte "), std::string::npos) << path.substr(0, 20) << ": " << message;
  }
}

TEST(JsonPathHostile, KeepsANulInNamesAndRefusesItInThePathH35) {
  EXPECT_EQ(run(R"($['a\u0000b'])", Value(ValueMap{{std::string("a\0b", 3), Value(1)}})), "[1]");
  EXPECT_NE(refusal(std::string_view("$.a\0", 4)), "");
  EXPECT_NE(refusal(std::string_view("$['a\0']", 7)), "");
  EXPECT_NE(refusal(std::string_view("\0", 1)), "");
}

}  // namespace
}  // namespace headrace::expr::test
