#include "jsonpath_support.hpp"

namespace headrace::expr::test {
namespace {

// The text is put into a body, the pattern into a literal (its backslashes doubled) and into the body: both must agree.
std::string both(std::string_view function, std::string_view text, std::string_view pattern) {
  std::string literal;
  for (const char c : pattern) literal += c == '\\' ? "\\\\" : c == '\'' ? "\\'" : std::string(1, c);
  const Value root(ValueMap{{"text", Value(text)}, {"pattern", Value(pattern)}});
  const std::string fixed = clause(std::string(function) + "($.text, '" + literal + "')", root);
  const std::string given = clause(std::string(function) + "($.text, $.pattern)", root);
  return fixed == given ? fixed : fixed + " but from the body " + given;
}
std::string match(std::string_view text, std::string_view pattern) { return both("match", text, pattern); }
std::string search(std::string_view text, std::string_view pattern) { return both("search", text, pattern); }

TEST(JsonPathRegexp, MatchesTheWholeTextAndSearchesAPart) {
  EXPECT_EQ(match("abc", "b"), "false");
  EXPECT_EQ(search("abc", "b"), "true");
  EXPECT_EQ(match("ab", "a|ab"), "true") << "alternatives are anchored together";
  EXPECT_EQ(match("b", "a|b"), "true");
  EXPECT_EQ(match("xb", "a|b"), "false");
}

TEST(JsonPathRegexp, DotMatchesAnyCharacterButLineEnds) {
  EXPECT_EQ(match("\n", "."), "false");
  EXPECT_EQ(match("\r", "."), "false");
  EXPECT_EQ(match("\xE2\x80\xA8", "."), "true");
  EXPECT_EQ(match("😀", "."), "true");
  EXPECT_EQ(match("\n", "[^a]"), "true");
  EXPECT_EQ(search("a\nb", "a.b"), "false");
}

TEST(JsonPathRegexp, KnowsQuantifiersClassesAndCategories) {
  EXPECT_EQ(match("aaa", "a{2,3}"), "true");
  EXPECT_EQ(match("a", "a{2,}"), "false");
  EXPECT_EQ(match("aa", "a{2}"), "true");
  EXPECT_EQ(match("", "()|a"), "true");
  EXPECT_EQ(match("a-z", "[a\\-z]+"), "true");
  EXPECT_EQ(match("-", "[-a]"), "true");
  EXPECT_EQ(match("-", "[a-]"), "true");
  EXPECT_EQ(match("^", "[a^]"), "true");
  EXPECT_EQ(match("&&[", "[&\\[]+"), "true");
  EXPECT_EQ(match("É", "\\p{Lu}"), "true");
  EXPECT_EQ(match("é", "[\\p{Lu}x]"), "false");
  EXPECT_EQ(match("é", "[^\\p{Lu}]"), "true");
  EXPECT_EQ(match("a.b#c d/e", "a\\.b#c d/e"), "true");
  EXPECT_EQ(match("\t\n\r", "\\t\\n\\r"), "true");
  EXPECT_EQ(match("\xF0\x9F\x99\x82", "[\xF0\x9F\x98\x80-\xF0\x9F\x99\x8F]"), "true");
}

TEST(JsonPathRegexp, CountsUnassignedCharactersAmongTheOthers) {
  const char* kUnassigned = "\xCD\xB8";  // U+0378
  EXPECT_EQ(match(kUnassigned, "\\p{Cn}"), "true");
  EXPECT_EQ(match(kUnassigned, "\\p{C}"), "true");
  EXPECT_EQ(match(kUnassigned, "\\P{C}"), "false");
  EXPECT_EQ(match("a", "\\P{Cn}\\P{C}*"), "true");
  EXPECT_EQ(match("\x01", "\\p{Cn}"), "false");
  EXPECT_EQ(match("a", "[\\P{Cn}]"), "true");
}

TEST(JsonPathRegexp, RefusesALiteralThatIsNoIRegexp) {
  for (const char* pattern : {"\\\\d+",      "a**",          "*a",     "(a",       "a)",        "[a",          "[]",
                              "[^]",         "[b-a]",        "a{2",    "a{,2}",    "a{}",       "{",           "}",
                              "]",           "(?i)a",        "a+?",    "\\\\b",    "\\\\p{Xx}", "\\\\p{Lx}",   "\\\\pL",
                              "[[:alpha:]]", "[a-\\\\p{L}]", "a{3,2}", "a{99999}", "\\\\",      "[\\\\p{Cn}]", "\\\\$"}) {
    EXPECT_NE(refusal("$[?match(@, '" + std::string(pattern) + "')]"), "") << pattern;
  }
  EXPECT_EQ(refusal("$[?match(@, 'a**')]"),
            "expected an atom before a quantifier, found '*' at byte 2 of the regular expression, a string that opens at byte 12 "
            "of the "
            "JSONPath");
}

TEST(JsonPathRegexp, TakesOneFromTheBodyThatIsNoIRegexpAsNoMatch) {
  EXPECT_EQ(clause("match($.a, $.b)", R"({"a":"1","b":"\\d"})"), "false");
  EXPECT_EQ(clause("search($.a, $.b)", R"({"a":"1","b":"(("})"), "false");
  EXPECT_EQ(clause("match($.a, $.b)", R"({"a":"1","b":1})"), "false");
  EXPECT_EQ(clause("match($.a, '1')", R"({"a":1})"), "false");
  EXPECT_EQ(clause("match($.a, 1)", R"({"a":"1"})"), "false");
}

TEST(JsonPathRegexp, LimitsTheNestingOfGroups) {
  EXPECT_EQ(refusal("$[?match(@, '" + repeat("(", 64) + repeat(")", 64) + "')]"), "");
  EXPECT_NE(refusal("$[?match(@, '" + repeat("(", 10'000) + repeat(")", 10'000) + "')]"), "");
}

TEST(JsonPathRegexp, RunsPatternsThatBlowUpOthersInLinearTime) {
  const Value root(ValueMap{{"a", Value(std::string(100'000, 'a') + "!")}});
  EXPECT_EQ(clause("match($.a, '(a+)+')", root), "false");
  EXPECT_EQ(clause("search($.a, '^(a|aa)+$')", root), "false");
}

}  // namespace
}  // namespace headrace::expr::test
