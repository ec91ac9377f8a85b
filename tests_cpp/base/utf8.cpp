#include "headrace/base/utf8.hpp"

#include <gtest/gtest.h>

#include "headrace/base/hash.hpp"

namespace headrace {
namespace {

TEST(Utf8, EveryCodePointButSurrogatesIsValid) {
  for (std::uint32_t cp = 0; cp <= 0x10FFFF; ++cp) {
    if (cp >= 0xD800 && cp <= 0xDFFF) continue;
    std::string text;
    append_utf8(text, cp);
    ASSERT_TRUE(is_utf8(text)) << cp;
    ASSERT_EQ(utf8_length(text, 0), text.size()) << cp;
  }
}

TEST(Utf8, TheFirstBadByteIsNamed) {
  EXPECT_EQ(utf8_error("0123456789\xFF"), 10U);
  EXPECT_EQ(utf8_error("01234567ü\x80"), 10U);
  EXPECT_EQ(utf8_error(""), std::string_view::npos);
}

TEST(Utf8, OverlongSurrogateTooHighAndCutFormsAreRefused) {
  for (const std::string_view text :
       {"\xC0\x80", "\xC1\xBF", "\xE0\x9F\xBF", "\xF0\x8F\xBF\xBF", "\xED\xA0\x80", "\xED\xBF\xBF", "\xF4\x90\x80\x80",
        "\xF5\x80\x80\x80", "\x80", "\xC3", "\xE2\x82", "\xF0\x9F\x98", "\xC3\x28"}) {
    EXPECT_EQ(utf8_error(text), 0U) << text.size();
  }
}

TEST(Hash, IsTheSameOnEveryBuildAndSpreads) {
  static_assert(hash32("order") == hash32("order"));
  EXPECT_EQ(hash32(""), 2238767700U);
  EXPECT_NE(hash32("a"), hash32("b"));
  std::uint32_t buckets[16] = {};
  for (int i = 0; i < 1600; ++i) ++buckets[hash32("key" + std::to_string(i)) % 16];
  for (const std::uint32_t n : buckets) EXPECT_NEAR(n, 100, 50);
}

}  // namespace
}  // namespace headrace
