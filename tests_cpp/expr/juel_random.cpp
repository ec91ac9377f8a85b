// Random texts and random changes of good ones: any answer will do, a crash, a hang or a wrong kind of error will not.
#include <limits>
#include <random>

#include "headrace/base/json.hpp"
#include "juel_support.hpp"

namespace headrace::expr::testing {
namespace {

Table table() {
  return {{"a", 1},
          {"b", 2.5},
          {"c", "text"},
          {"d", true},
          {"e", {}},
          {"l", ValueList{1, "two", ValueList{}}},
          {"m", ValueMap{{"k", 5}, {"x", ValueMap{{"y", std::numeric_limits<std::int64_t>::min()}}}}},
          {"n", std::numeric_limits<std::int64_t>::max()},
          {"t", kNow},
          {"raw", Bytes{"\xFF"}}};
}

constexpr std::string_view kGood[] = {"${a + b * -n / 2 % 3}",
                                      "${c == 'text' && (d || not empty l) ? m.x.y : l[1]}",
                                      "${n + 1 <= 9223372036854775807 and m['k'] ne null or t < now()}",
                                      "text ${a} more #{l[a - 1]} \\${no} ${'\\'}' + \"2\"}",
                                      "${l.contains('two') && c.length() >= m.size() && execution.hasVariable('zz')}",
                                      "${execution.getVariable(c) == null ? .5e1 : -9223372036854775808}",
                                      "${((((a))))[l[l.get(0)]]}"};
constexpr std::string_view kParts[] = {"${",
                                       "#{",
                                       "}",
                                       "(",
                                       ")",
                                       "[",
                                       "]",
                                       ".",
                                       ",",
                                       "?",
                                       ":",
                                       "'",
                                       "\"",
                                       "\\",
                                       "a",
                                       "l",
                                       "m",
                                       "n",
                                       "e",
                                       "t",
                                       "raw",
                                       "execution",
                                       ".getVariable(",
                                       "now()",
                                       " + ",
                                       "-",
                                       "*",
                                       "/",
                                       " mod ",
                                       "<",
                                       "==",
                                       " && ",
                                       " or ",
                                       "!",
                                       "empty ",
                                       "null",
                                       "true",
                                       "1",
                                       "0.0",
                                       "9223372036854775807",
                                       "1e308",
                                       "\xC3\xA4",
                                       "\xFF",
                                       " "};

using Random = std::mt19937_64;
std::size_t below(Random& random, std::size_t limit) { return static_cast<std::size_t>(random() % limit); }

void survives(std::string_view text) {
  const auto parsed = Expression::parse(text);
  if (!parsed.ok()) {
    ASSERT_EQ(parsed.error().code, ErrorCode::Expression);
    return;
  }
  static const Table variables = table();
  const auto first = parsed->evaluate(variables, kNow);
  const auto second = parsed->evaluate(variables, kNow);
  ASSERT_EQ(first.ok(), second.ok());
  if (first.ok()) {
    ASSERT_EQ(*first, *second) << json::quote(text);
  } else {
    ASSERT_EQ(first.error(), second.error());
    ASSERT_EQ(first.error().code, ErrorCode::Expression);
  }
  (void)parsed->evaluate_condition(variables, kNow);
}

TEST(JuelRandom, RandomBytesNeverCrash) {
  Random random(1);
  for (int round = 0; round < 20'000; ++round) {
    std::string text = "${";
    for (std::size_t i = below(random, 40); i > 0; --i) text += static_cast<char>(random());
    survives(text + "}");
  }
}

TEST(JuelRandom, RandomPartsNeverCrash) {
  Random random(2);
  for (int round = 0; round < 30'000; ++round) {
    std::string text = "${";
    for (std::size_t i = below(random, 25); i > 0; --i) text += kParts[below(random, std::size(kParts))];
    survives(text + "}");
  }
}

TEST(JuelRandom, ChangedExpressionsNeverCrash) {
  Random random(3);
  for (int round = 0; round < 50'000; ++round) {
    std::string text(kGood[below(random, std::size(kGood))]);
    for (std::size_t i = 1 + below(random, 4); i > 0 && !text.empty(); --i) {
      const std::size_t at = below(random, text.size());
      switch (below(random, 5)) {
        case 0:
          text.erase(at, 1 + below(random, 5));
          break;
        case 1:
          text.insert(at, kParts[below(random, std::size(kParts))]);
          break;
        case 2:
          text[at] = static_cast<char>(random());
          break;
        case 3:
          text.insert(at, text.substr(below(random, text.size()), 12));
          break;
        default:
          text.resize(at);
      }
    }
    survives(text);
  }
}

TEST(JuelRandom, TheGoodOnesAreGood) {
  for (const std::string_view text : kGood) EXPECT_TRUE(Expression::parse(text).ok()) << text;
}

}  // namespace
}  // namespace headrace::expr::testing
