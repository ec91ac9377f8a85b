#include "headrace/base/codec.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace headrace::codec {
namespace {

std::string bytes_of(const Value& v) {
  std::string out;
  encode(v, out);
  return out;
}

Value sample() {
  return Value(ValueMap{{"none", {}},
                        {"yes", true},
                        {"no", false},
                        {"least", std::numeric_limits<std::int64_t>::min()},
                        {"tiny", 5e-324},
                        {"text", "Grüße"},
                        {"raw", Bytes{std::string("\0\xFF", 2)}},
                        {"when", Instant{-1}},
                        {"list", ValueList{1, ValueList{}, ValueMap{}}},
                        {"", ValueMap{{"x", -0.0}}}});
}

Value nested(int levels) {
  Value v(1);
  for (int i = 0; i < levels; ++i) v = Value(ValueList{std::move(v)});
  return v;
}

TEST(Codec, DecodeGivesBackWhatWasEncoded) { EXPECT_EQ(decode(encode(sample()).view()), sample()); }

TEST(Codec, TheLayoutIsTheOneOfTheHeader) {
  using namespace std::string_literals;
  EXPECT_EQ(bytes_of(Value()), "\0"s);
  EXPECT_EQ(bytes_of(Value(258)), "\3\2\1\0\0\0\0\0\0"s);
  EXPECT_EQ(bytes_of(Value("ab")), "\5\2\0\0\0ab"s);
  EXPECT_EQ(bytes_of(Value(ValueMap{{"k", true}})), "\x9\xA\0\0\0\1\0\0\0\1\0\0\0k\2"s);
}

TEST(Codec, EncodeAppends) {
  std::string out = "before";
  encode(Value(true), out);
  EXPECT_EQ(out, "before\2");
}

TEST(Codec, SizeOfAValueIsKnownWithoutReadingIt) {
  const Value all = sample();
  for (const auto& [key, value] : all.as_map()) {
    const std::string bytes = bytes_of(value);
    EXPECT_EQ(encoded_size(bytes + "rest"), bytes.size()) << key;
  }
}

TEST(Codec, OwnBytesAreValid) { EXPECT_TRUE(validate(bytes_of(sample())).ok()); }

TEST(Codec, EveryShorterOrLongerFormIsRefused) {
  const std::string bytes = bytes_of(sample());
  for (std::size_t size = 0; size < bytes.size(); ++size) EXPECT_FALSE(validate(bytes.substr(0, size)).ok()) << size;
  EXPECT_FALSE(validate(bytes + '\0').ok());
}

TEST(Codec, ChangedBytesAreRefusedOrStillReadable) {
  const std::string bytes = bytes_of(sample());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    for (const int flip : {1, 2, 4, 8, 16, 32, 64, 128}) {
      std::string changed = bytes;
      changed[i] = static_cast<char>(changed[i] ^ flip);
      if (validate(changed).ok()) {
        EXPECT_TRUE(validate(encode(decode(changed)).view()).ok());
      }
    }
  }
}

TEST(Codec, DepthIsLimitedTo128Levels) {
  EXPECT_TRUE(validate(bytes_of(nested(128))).ok());
  EXPECT_FALSE(validate(bytes_of(nested(129))).ok());
}

TEST(Codec, AHundredThousandLevelsAreRefusedWithoutRecursion) {
  // given lists whose sizes all reach to the end, as a hostile client may write them
  constexpr std::uint32_t kLevels = 100'000;
  std::string bytes;
  for (std::uint32_t i = 0; i < kLevels; ++i) {
    const std::uint32_t size = (kLevels - i) * 9 - 5;
    bytes += '\x8';
    for (int b = 0; b < 4; ++b) bytes += static_cast<char>(size >> (8 * b));
    bytes += std::string("\1\0\0\0", 4);
  }
  // when
  const Status status = validate(bytes);
  // then
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().message.find("128 levels"), std::string::npos);
}

TEST(Codec, KeysThatStandTwiceAreRefused) {
  const Status status = validate(bytes_of(Value(ValueMap{{"a", 1}, {"b", 2}, {"a", 3}})));
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().message.find("'a' twice"), std::string::npos) << status.error().message;
}

TEST(Codec, TextThatIsNoUtf8IsRefusedInValuesAndKeys) {
  EXPECT_FALSE(validate(bytes_of(Value("\xC0\x80"))).ok());
  EXPECT_FALSE(validate(bytes_of(Value(ValueMap{{"\xED\xA0\x80", 1}}))).ok());
  EXPECT_TRUE(validate(bytes_of(Value(Bytes{"\xC0\x80"}))).ok());
}

TEST(Codec, ACountThatCannotBeTrueIsRefusedBeforeMemoryIsReserved) {
  using namespace std::string_literals;
  EXPECT_FALSE(validate("\x8\4\0\0\0\xFF\xFF\xFF\xFF"s).ok());
  EXPECT_FALSE(validate("\x9\4\0\0\0\xFF\xFF\xFF\xFF"s).ok());
}

TEST(Codec, MoreThanFourMebibytesAreRefused) {
  EXPECT_TRUE(validate(bytes_of(Value(std::string(kMaxPayload - 5, 'x')))).ok());
  EXPECT_FALSE(validate(bytes_of(Value(std::string(kMaxPayload - 4, 'x')))).ok());
}

TEST(Codec, AWriterGivesTheSameBytesAsEncode) {
  // given
  Writer w;
  // when
  const auto map = w.begin_map();
  w.key("a");
  const auto list = w.begin_list();
  w.integer(1);
  w.real(0.5);
  w.end(list, 2);
  w.key("b");
  w.raw(bytes_of(Value(Bytes{"x"})));
  w.end(map, 2);
  // then
  EXPECT_EQ(w.take().view(), bytes_of(Value(ValueMap{{"a", ValueList{1, 0.5}}, {"b", Bytes{"x"}}})));
}

TEST(Codec, ACursorWalksTheTopLevelInOrder) {
  // given
  const Slice bytes = encode(sample());
  MapCursor cursor(bytes.view());
  ASSERT_EQ(cursor.left(), sample().as_map().size());
  // when, then
  std::string_view key;
  std::string_view value;
  const Value all = sample();
  for (const auto& [name, expected] : all.as_map()) {
    ASSERT_TRUE(cursor.next(key, value));
    EXPECT_EQ(key, name);
    EXPECT_EQ(decode(value), expected);
  }
  EXPECT_FALSE(cursor.next(key, value));
}

TEST(Codec, ACursorOverNothingOrNoMapHasNoEntries) {
  EXPECT_EQ(MapCursor({}).left(), 0U);
  EXPECT_EQ(MapCursor(bytes_of(Value(ValueList{1}))).left(), 0U);
  EXPECT_EQ(MapCursor(empty_map().view()).left(), 0U);
}

TEST(Codec, FindGivesTheEncodedValueOrAnEmptyView) {
  const std::string bytes = bytes_of(sample());
  EXPECT_EQ(decode(find(bytes, "text")), Value("Grüße"));
  EXPECT_TRUE(find(bytes, "absent").empty());
  EXPECT_TRUE(find({}, "absent").empty());
}

}  // namespace
}  // namespace headrace::codec
