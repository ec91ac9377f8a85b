#include "jsonpath_support.hpp"

namespace headrace::expr::test {
namespace {

TEST(JsonPathErrors, TellWhatWasExpectedFoundAndWhere) {
  const std::pair<const char*, const char*> kCases[] = {
      {"", "expected '$', found the end at byte 0 of the JSONPath"},
      {" $", "expected '$', found ' ' at byte 0 of the JSONPath"},
      {"$ ", "expected '.', '..', '[' or the end, found ' ' at byte 1 of the JSONPath"},
      {"$.", "expected a name, '*' or '[', found the end at byte 2 of the JSONPath"},
      {"$.a.1", "expected a name, '*' or '[', found '1' at byte 4 of the JSONPath"},
      {"$['abc", "expected the closing quote of the string that opens at byte 2, found the end at byte 6 of the JSONPath"},
      {"$[01]", "expected an integer without leading zero, found '0' at byte 2 of the JSONPath"},
      {"$[9007199254740992]", "expected an integer from -(2^53-1) to 2^53-1, found 9007199254740992 at byte 2 of the JSONPath"},
      {"$['\\uD800']", "expected the low surrogate of a pair, found ''' at byte 9 of the JSONPath"},
      {"$['\\x']", "expected an escape: b f n r t / \\ u or the string's own quote, found 'x' at byte 4 of the JSONPath"},
      {"$['a\nb']",
       "expected no control character in a string (an escape such as \\n instead), found the byte 0x0a at byte 4 of the "
       "JSONPath"},
      {"$[?@.a==1e400]", "expected a number within the range of a double, found a larger one at byte 8 of the JSONPath"},
      {"$[?first(@.a)]",
       "expected one of the functions length, count, match, search, value, found 'first' at byte 3 of the JSONPath"},
      {"$[?@.a==nul]", "expected true, false, null or a function with '(', found 'nul' at byte 8 of the JSONPath"},
      {"$é", "expected '.', '..', '[' or the end, found 'é' at byte 1 of the JSONPath"},
      {"$.\xFF", "expected UTF-8, found the byte 0xff at byte 2 of the JSONPath"},
  };
  for (const auto& [path, message] : kCases) EXPECT_EQ(refusal(path), message) << path;
}

TEST(JsonPathErrors, CarryTheCodeOfExpressions) {
  EXPECT_EQ(JsonPath::parse("x").error().code, ErrorCode::Expression);
  EXPECT_EQ(Clause::parse("x").error().code, ErrorCode::Expression);
  EXPECT_EQ(JsonPath::parse("$..*")->query(body("[1,2,3]"), 2).error().code, ErrorCode::Expression);
}

TEST(JsonPathErrors, RefuseWhatIsNotWellTyped) {
  for (const char* path : {"$[?length(@.*) == 1]",
                           "$[?count(1) == 1]",
                           "$[?length(@.a)]",
                           "$[?count(@.*)]",
                           "$[?value(@.a)]",
                           "$[?match(@.a, 'a') == true]",
                           "$[?length(match(@.a, 'a')) == 1]",
                           "$[?@.* == 1]",
                           "$[?true]",
                           "$[?!1]",
                           "$[?!@.a == 1]",
                           "$[?(@.a) == 1]",
                           "$[?match(@.a)]",
                           "$[?length(@.a, 1) == 1]",
                           "$[?count(@.a == 1) == 1]",
                           "$[?length (@.a) == 1]",
                           "$[?@.a == (1)]",
                           "$[?@.a == 1 == 2]",
                           "$[?@.a &&]",
                           "$[?]"}) {
    EXPECT_NE(refusal(path), "") << path;
  }
}

TEST(JsonPathErrors, OfAClauseSpeakOfTheClause) {
  EXPECT_EQ(clause("", "0"), "expected '$', '@', a literal, a function or '(', found the end at byte 0 of the clause");
  EXPECT_EQ(clause("$.a == 1 $", "0"), "expected '&&', '||' or the end, found '$' at byte 9 of the clause");
  EXPECT_EQ(clause("$.a = 1", "0"), "expected '&&', '||' or the end, found '=' at byte 4 of the clause");
}

TEST(JsonPathErrors, NameTheLimitOfLength) {
  const std::string longest = "$['" + std::string((64U << 10U) - 5, 'a') + "']";
  EXPECT_EQ(longest.size(), 64U << 10U);
  EXPECT_EQ(refusal(longest), "");
  EXPECT_EQ(refusal(longest + " "), "expected at most 65536 bytes, found 65537 at byte 65536 of the JSONPath");
}

TEST(JsonPathErrors, NameTheLimitOfNesting) {
  const auto nested = [](int depth) { return "$" + repeat("[?@", depth) + repeat("]", depth); };
  EXPECT_EQ(refusal(nested(64)), "");
  EXPECT_EQ(refusal(nested(65)), "expected at most 64 nested brackets and parentheses, found more at byte 193 of the JSONPath");
}

TEST(JsonPathErrors, CountBracketsAndParenthesesTogether) {
  EXPECT_EQ(refusal("$[?" + repeat("(", 63) + "@" + repeat(")", 63) + "]"), "");
  EXPECT_NE(refusal("$[?" + repeat("(", 64) + "@" + repeat(")", 64) + "]"), "");
  EXPECT_EQ(refusal("$" + repeat("[0]", 5000)), "") << "brackets side by side are not nested";
}

}  // namespace
}  // namespace headrace::expr::test
