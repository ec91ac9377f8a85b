#include "headrace/base/json.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace headrace::json {
namespace {

std::string repeat(std::string_view part, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += part;
  return out;
}

std::string refusal(std::string_view text) {
  const auto parsed = parse(text);
  EXPECT_FALSE(parsed.ok()) << text.substr(0, 80);
  return parsed.ok() ? "" : parsed.error().message;
}

TEST(Json, ParseKeepsKindsAndOrder) {
  // when
  const auto parsed = parse(R"( {"b": [1, 1.0, "x", null, true], "a": {}} )");
  // then
  ASSERT_TRUE(parsed.ok()) << parsed.error().message;
  EXPECT_EQ(*parsed, Value(ValueMap{{"b", ValueList{1, 1.0, "x", nullptr, true}}, {"a", ValueMap{}}}));
  EXPECT_EQ(parsed->as_map()[0].first, "b");
}

TEST(Json, IntegersOfSixtyFourBitsAreExactAndLargerOnesRefused) {
  EXPECT_EQ(*parse("9223372036854775807"), Value(std::numeric_limits<std::int64_t>::max()));
  EXPECT_EQ(*parse("-9223372036854775808"), Value(std::numeric_limits<std::int64_t>::min()));
  EXPECT_EQ(*parse("9007199254740993"), Value(std::int64_t{9007199254740993}));
  for (const char* text : {"9223372036854775808", "-9223372036854775809", "18446744073709551615", "99999999999999999999",
                           "[1, 1e0, 9223372036854775808]"}) {
    EXPECT_NE(refusal(text).find("integer of 64 bits"), std::string::npos) << text;
  }
}

TEST(Json, DoublesComeBackExactlyAndAsDoubles) {
  for (const double d : {0.0, -0.0, 5e-324, 1.0, 0.1, 1e22, 1e300, -1.7976931348623157e308, 123456789.0, 2.5}) {
    const auto back = parse(dump(Value(d)));
    ASSERT_TRUE(back.ok()) << dump(Value(d));
    EXPECT_EQ(*back, Value(d)) << dump(Value(d));
  }
  EXPECT_EQ(dump(Value(1.0)), "1.0");
  EXPECT_EQ(dump(Value(-0.0)), "-0.0");
}

TEST(Json, NumbersOutOfRangeNanAndInfinityAreRefused) {
  for (const char* text : {"1e400", "-1e400", "NaN", "Infinity", "-Infinity", "[1e999]"}) refusal(text);
  EXPECT_NE(refusal("1e400").find("range of doubles"), std::string::npos);
  EXPECT_EQ(dump(Value(std::numeric_limits<double>::infinity())), "null");
}

TEST(Json, TextOutsideTheGrammarIsRefusedNamingThePlace) {
  for (const char* text : {"",   " ",   "{",     "[1,]", "{\"a\":1,}", "{a:1}", "'a'",    "01",      "+1",        ".5",
                           "1.", "tru", "[1] 2", "{} x", "\"\t\"",     "\"a",   "//x\n1", "\"\\x\"", "\"\\u12\"", "1 1"}) {
    EXPECT_NE(refusal(text).find("expected JSON"), std::string::npos) << text;
  }
  EXPECT_EQ(refusal("[1] 2"), "expected JSON, found \"2\" at byte 4");
}

TEST(Json, AZeroByteDoesNotHideTrailingText) {
  EXPECT_NE(refusal(std::string_view("1\0 junk", 7)).find("zero byte at byte 1"), std::string::npos);
  EXPECT_NE(refusal(std::string_view("1\0", 2)).find("zero byte"), std::string::npos);
  EXPECT_EQ(*parse("\"\\u0000\""), Value(std::string(1, '\0')));
}

TEST(Json, AByteOrderMarkIsRefused) { EXPECT_NE(refusal("\xEF\xBB\xBF{}").find("byte order mark"), std::string::npos); }

TEST(Json, LoneSurrogatesAndBadUtf8AreRefused) {
  for (const char* text : {R"("\ud800")", R"("\udc00")", R"("\ud800\u0041")", R"("\udc00\ud800")", "\"\xED\xA0\x80\"",
                           "\"\xC0\x80\"", "\"\xFF\"", "\"\xF4\x90\x80\x80\"", "{\"\xC3\":1}"}) {
    refusal(text);
  }
  EXPECT_EQ(*parse(R"("\ud83d\ude00")"), Value("😀"));
}

TEST(Json, KeysThatStandTwiceAreRefused) {
  EXPECT_NE(refusal(R"({"a":1,"b":2,"a":3})").find("\"a\" twice"), std::string::npos);
  EXPECT_NE(refusal(R"([{"x":{"a":1,"\u0061":2}}])").find("twice"), std::string::npos);
}

TEST(Json, DepthIsLimitedTo128Levels) {
  EXPECT_TRUE(parse(repeat("[", 128) + repeat("]", 128)).ok());
  EXPECT_NE(refusal(repeat("[", 129) + repeat("]", 129)).find("128 levels"), std::string::npos);
  EXPECT_NE(refusal(repeat("[", 1'000'000)).find("128 levels"), std::string::npos);
  EXPECT_NE(refusal(repeat("{\"a\":", 200'000)).find("128 levels"), std::string::npos);
}

TEST(Json, MoreThanFourMebibytesAreRefused) {
  const int limit = 4 * 1024 * 1024;
  EXPECT_TRUE(parse('"' + repeat("x", limit - 2) + '"').ok());
  EXPECT_NE(refusal('"' + repeat("x", limit - 1) + '"').find("4 MiB"), std::string::npos);
}

TEST(Json, BytesBecomeBase64AndDatetimesIsoText) {
  EXPECT_EQ(dump(Value(Bytes{""})), R"("")");
  EXPECT_EQ(dump(Value(Bytes{"f"})), R"("Zg==")");
  EXPECT_EQ(dump(Value(Bytes{"fo"})), R"("Zm8=")");
  EXPECT_EQ(dump(Value(Bytes{"foo\xFF"})), R"("Zm9v/w==")");
  EXPECT_EQ(dump(Value(Instant{0})), R"("1970-01-01T00:00:00Z")");
}

TEST(Json, DumpIsCompactAndIndentsOnDemand) {
  const Value v(ValueMap{{"b", ValueList{1, nullptr}}, {"a", ValueMap{}}, {"c", ValueList{}}});
  EXPECT_EQ(dump(v), R"({"b":[1,null],"a":{},"c":[]})");
  EXPECT_EQ(dump(v, 2), "{\n  \"b\": [\n    1,\n    null\n  ],\n  \"a\": {},\n  \"c\": []\n}");
}

TEST(Json, QuoteEscapesControlCharactersAndReplacesBadBytes) {
  EXPECT_EQ(quote("a\"b\\c\n\x01ü"), "\"a\\\"b\\\\c\\n\\u0001ü\"");
  EXPECT_EQ(quote("\xFFx"), "\"\xEF\xBF\xBDx\"");
  EXPECT_EQ(*parse(quote(std::string("\0\x1F\x7F", 3))), Value(std::string("\0\x1F\x7F", 3)));
}

}  // namespace
}  // namespace headrace::json
