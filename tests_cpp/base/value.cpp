#include "headrace/base/value.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace headrace {
namespace {

TEST(Value, KindsHaveTheWordsOfErrorMessages) {
  EXPECT_EQ(name_of(Value().kind()), "null");
  EXPECT_EQ(name_of(Value(true).kind()), "boolean");
  EXPECT_EQ(name_of(Value(1).kind()), "integer");
  EXPECT_EQ(name_of(Value(1.0).kind()), "double");
  EXPECT_EQ(name_of(Value("a").kind()), "string");
  EXPECT_EQ(name_of(Value(Bytes{"a"}).kind()), "bytes");
  EXPECT_EQ(name_of(Value(Instant{}).kind()), "datetime");
  EXPECT_EQ(name_of(Value(ValueList{}).kind()), "list");
  EXPECT_EQ(name_of(Value(ValueMap{}).kind()), "map");
}

TEST(Value, ValuesOfDifferentKindsAreNotEqual) {
  EXPECT_NE(Value(1), Value(1.0));
  EXPECT_NE(Value("a"), Value(Bytes{"a"}));
  EXPECT_NE(Value(0), Value(Instant{0}));
  EXPECT_NE(Value(), Value(false));
}

TEST(Value, DoublesAreComparedByBitsButAnyNanIsNan) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(Value(nan), Value(-nan));
  EXPECT_NE(Value(0.0), Value(-0.0));
  EXPECT_EQ(Value(0.1), Value(0.1));
}

TEST(Value, MapsAreEqualInAnyOrder) {
  // given
  const Value one(ValueMap{{"a", 1}, {"b", ValueList{1, 2}}});
  const Value other(ValueMap{{"b", ValueList{1, 2}}, {"a", 1}});
  // then
  EXPECT_EQ(one, other);
  EXPECT_NE(one, Value(ValueMap{{"a", 1}, {"b", ValueList{2, 1}}}));
  EXPECT_NE(one, Value(ValueMap{{"a", 1}}));
  EXPECT_NE(one, Value(ValueMap{{"a", 1}, {"c", ValueList{1, 2}}}));
}

TEST(Value, FindGivesTheMemberOrNothing) {
  const Value map(ValueMap{{"a", 1}});
  ASSERT_NE(map.find("a"), nullptr);
  EXPECT_EQ(*map.find("a"), Value(1));
  EXPECT_EQ(map.find("b"), nullptr);
  EXPECT_EQ(Value(1).find("a"), nullptr);
}

}  // namespace
}  // namespace headrace
