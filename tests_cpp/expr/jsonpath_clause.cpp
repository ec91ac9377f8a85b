#include <limits>

#include "jsonpath_support.hpp"

namespace headrace::expr::test {
namespace {

TEST(JsonPathClause, HoldsForABodyAsRootAndCurrentNode) {
  EXPECT_EQ(clause("$.type == 'DECLINED' && $.code > 3", R"({"type":"DECLINED","code":4})"), "true");
  EXPECT_EQ(clause("@.type == 'DECLINED' && $.code > 4", R"({"type":"DECLINED","code":4})"), "false");
  EXPECT_EQ(clause(" \n$.type\t", R"({"type":null})"), "true");
  EXPECT_EQ(clause("$.items[?@.price > $.limit]", R"({"limit":5,"items":[{"price":4},{"price":6}]})"), "true");
}

TEST(JsonPathClause, BindsAndTighterThanOrAndNotTightest) {
  EXPECT_EQ(clause("1==1 || 1==1 && 1==2", "0"), "true");
  EXPECT_EQ(clause("(1==1 || 1==1) && 1==2", "0"), "false");
  EXPECT_EQ(clause("!$.a && $.b", R"({"b":1})"), "true");
  EXPECT_EQ(clause("!($.a && $.b)", R"({"b":1})"), "true");
  EXPECT_EQ(clause("!(!($.b))", R"({"b":1})"), "true");
}

TEST(JsonPathClause, ComparesNothingOnlyWithNothing) {
  EXPECT_EQ(clause("$.a == $.b", "{}"), "true");
  EXPECT_EQ(clause("$.a <= $.b", "{}"), "true");
  EXPECT_EQ(clause("$.a < $.b", "{}"), "false");
  EXPECT_EQ(clause("$.a == null", "{}"), "false");
  EXPECT_EQ(clause("$.a != null", "{}"), "true");
  EXPECT_EQ(clause("length(1) == $.a", "{}"), "true");
}

TEST(JsonPathClause, ComparesNumbersByExactValue) {
  EXPECT_EQ(clause("$.a == 1.0", R"({"a":1})"), "true");
  EXPECT_EQ(clause("$.a == -0.0", R"({"a":0})"), "true");
  EXPECT_EQ(clause("$.a == 9007199254740993", R"({"a":9007199254740993})"), "true");
  EXPECT_EQ(clause("$.a == 9007199254740992.0", R"({"a":9007199254740993})"), "false");
  EXPECT_EQ(clause("$.a > 9007199254740992.0", R"({"a":9007199254740993})"), "true");
  EXPECT_EQ(clause("9007199254740992.0 < $.a", R"({"a":9007199254740993})"), "true");
  EXPECT_EQ(clause("$.a < 9223372036854775808", R"({"a":9223372036854775807})"), "true");
  EXPECT_EQ(clause("$.a > -1e19", R"({"a":-9223372036854775808})"), "true");
  EXPECT_EQ(clause("$.a < -1.5", R"({"a":-2})"), "true");
  EXPECT_EQ(clause("$.a < -1.5", R"({"a":-1})"), "false");
  EXPECT_EQ(clause("$.a == 0", R"({"a":1e-300})"), "false");
  EXPECT_EQ(clause("1e-9999 == 0", "0"), "true");
}

TEST(JsonPathClause, GivesNotANumberNoOrderAndNoEqual) {
  const Value nan(ValueMap{{"a", Value(std::numeric_limits<double>::quiet_NaN())}});
  for (const char* text : {"$.a == 1", "$.a < 1", "1 < $.a", "$.a <= 1", "$.a == 1.5", "$.a >= 1.5"})
    EXPECT_EQ(clause(text, nan), "false") << text;
}

TEST(JsonPathClause, OrdersStringsByCodePoints) {
  // U+FF5E is before U+1F600 by code points, and after it by UTF-16 units.
  EXPECT_EQ(clause("$.a < $.b", R"({"a":"～","b":"😀"})"), "true");
  EXPECT_EQ(clause("'Z' < 'a' && 'a' < 'ab' && '' < 'a'", "0"), "true");
  EXPECT_EQ(clause("'1' < 2 || 2 < '1' || '1' == 1", "0"), "false");
  EXPECT_EQ(clause("true < false || false < true || null < 1", "0"), "false");
  EXPECT_EQ(clause("null <= null && true >= true", "0"), "true");
}

TEST(JsonPathClause, ComparesListsAndMapsDeeplyInAnyOrderOfNames) {
  EXPECT_EQ(clause("$.a == $.b", R"({"a":{"x":[1,{"y":2}],"z":3},"b":{"z":3.0,"x":[1.0,{"y":2}]}})"), "true");
  EXPECT_EQ(clause("$.a == $.b", R"({"a":{"x":1,"z":3},"b":{"z":3,"y":1}})"), "false");
  EXPECT_EQ(clause("$.a == $.b", R"({"a":[1,2],"b":[2,1]})"), "false");
  EXPECT_EQ(clause("$.a == $.b", R"({"a":[1,2],"b":[1,2,3]})"), "false");
  EXPECT_EQ(clause("$.a == $.b", R"({"a":{},"b":[]})"), "false");
  EXPECT_EQ(clause("$.a < $.b || $.a > $.b", R"({"a":[1],"b":[2]})"), "false");
}

TEST(JsonPathClause, ComparesKindsThatJsonLacksByContent) {
  const Value root(ValueMap{{"a", Bytes{"x"}}, {"b", Bytes{"x"}}, {"t", Instant{5}}, {"u", Instant{6}}});
  EXPECT_EQ(clause("$.a == $.b && $.t == $.t && $.t != $.u", root), "true");
  EXPECT_EQ(clause("$.t < $.u || $.a == 'x'", root), "false");
}

TEST(JsonPathClause, CountsCodePointsElementsAndMembers) {
  EXPECT_EQ(clause("length($.s) == 3 && length($.l) == 2 && length($.m) == 1", R"({"s":"é😀a","l":[1,2],"m":{"k":0}})"), "true");
  EXPECT_EQ(clause("length($.n) == 1 || length(null) == 0", R"({"n":1})"), "false");
  EXPECT_EQ(clause("count($.l[*]) == 2 && count($.x) == 0 && count($..*) == 3", R"({"l":[1,2]})"), "true");
  EXPECT_EQ(clause("value($.l[1:]) == 2 && value($.l[*]) == $.nothing", R"({"l":[1,2]})"), "true");
  EXPECT_EQ(clause("length(value($..k)) == 2", R"({"m":{"k":"ab"}})"), "true");
}

}  // namespace
}  // namespace headrace::expr::test
