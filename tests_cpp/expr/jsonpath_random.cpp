// Random and mutated paths: the same on every run, as the seeds are fixed.

#include <random>
#include <vector>

#include "jsonpath_support.hpp"

namespace headrace::expr::test {
namespace {

using Chance = std::mt19937;

std::size_t below(Chance& chance, std::size_t limit) { return chance() % limit; }

Value random_value(Chance& chance, int depth) {
  const std::size_t kind = below(chance, depth > 0 ? 8 : 5);
  if (kind == 0) return {};
  if (kind == 1) return below(chance, 2) == 0;
  if (kind == 2) return static_cast<int>(below(chance, 5));
  if (kind == 3) return static_cast<double>(below(chance, 9)) / 2;
  if (kind == 4) return std::string(1, static_cast<char>('a' + below(chance, 4)));
  ValueList list;
  ValueMap map;
  for (std::size_t i = below(chance, 5); i > 0; --i) {
    list.push_back(random_value(chance, depth - 1));
    map.emplace_back(std::string(1, static_cast<char>('a' + map.size())), list.back());
  }
  return kind == 5 ? Value(list) : Value(map);
}

// Joins tokens of the grammar at random; most are wrong, some are right.
std::string random_path(Chance& chance) {
  constexpr std::string_view kTokens[] = {
      "$",   "@",   ".a",     ".b",    "..",        "[",       "]",        "?",      "(",      ")",       "*",
      "0",   "-1",  ":",      ",",     "'a'",       "\"b\"",   "==",       "<",      "!=",     "&&",      "||",
      "!",   " ",   "null",   "true",  "1.5",       "length(", "count(",   "value(", "match(", "search(", "[0]",
      "[*]", "..*", "[?@.a]", "[1:3]", "'.*'",      "\\",      "\xC3",     "é",      "\n",     "[::-1]",  "'a|b+'",
      "[?",  "@.a", "@.b==1", "$..a",  "[?@==$.a]", ".*",      "'\\u0041'"};
  std::string out = below(chance, 8) == 0 ? "" : "$";
  for (std::size_t i = below(chance, 14); i > 0; --i) out += kTokens[below(chance, std::size(kTokens))];
  return out;
}

void mutate(Chance& chance, std::string& path) {
  for (std::size_t i = 1 + below(chance, 3); i > 0 && !path.empty(); --i) {
    const std::size_t at = below(chance, path.size());
    switch (below(chance, 4)) {
      case 0:
        path.erase(at, 1);
        break;
      case 1:
        path.insert(at, 1, path[below(chance, path.size())]);
        break;
      case 2:
        path[at] = static_cast<char>(chance() & 0xFFU);
        break;
      default:
        path.insert(at, path.substr(below(chance, path.size()), 5));
    }
  }
}

// True when the path was accepted and ran through.
bool try_both(const std::string& text, const Value& root) {
  const std::string as_clause = clause(text, root, 2000);
  const Result<JsonPath> path = JsonPath::parse(text);
  if (!path) {
    EXPECT_EQ(path.error().code, ErrorCode::Expression);
    EXPECT_EQ(path.error().message.rfind("expected ", 0), 0U) << path.error().message;
    return false;
  }
  EXPECT_TRUE(JsonPath::parse(path->text()).ok());
  const auto nodes = path->query(root, 2000);
  if (!nodes) {
    EXPECT_EQ(nodes.error().message.rfind("path budget", 0), 0U) << nodes.error().message;
  }
  if (nodes && path->singular()) {
    EXPECT_LE(nodes->size(), 1U) << text;
  }
  // A path is a test of its own: it holds when it selects something. The clause has the same budget.
  if (nodes && !nodes->empty()) {
    EXPECT_EQ(as_clause, "true") << text;
  }
  return nodes.ok();
}

TEST(JsonPathRandom, NeverCrashesOnRandomPaths) {
  Chance chance(9535);
  int accepted = 0;
  for (int i = 0; i < 20'000; ++i) accepted += try_both(random_path(chance), random_value(chance, 4)) ? 1 : 0;
  EXPECT_GT(accepted, 500) << "the paths are too random to be of use";
}

TEST(JsonPathRandom, NeverCrashesOnMutatedPaths) {
  const std::string good[] = {"$.store.book[?@.price < 10 && match(@.isbn, '[0-9]+')].title",
                              "$..book[-1:,0,?@.a == 'x' || !(@.b)]['k\\u00e9\\n\"']",
                              "$[?length(@.a) >= 2 && count(@..*) > 1][::2]", "$[?@[?@[?@ > 1.5e3]] || value($..c) == null]..*",
                              "$[?search(@.b, '^(a|b{1,3})[^x-z]\\\\p{Lu}?$')]"};
  Chance chance(9485);
  int accepted = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string path = good[below(chance, std::size(good))];
    mutate(chance, path);
    accepted += try_both(path, random_value(chance, 4)) ? 1 : 0;
  }
  EXPECT_GT(accepted, 500);
}

struct Step {
  char kind = '*';  // n(ame), i(ndex), *
  std::string name;
  std::int64_t index = 0;
};

// The naive walker: one step at a time by recursion, with nothing of the code under test.
void walk(const Value& node, const std::vector<Step>& steps, std::size_t at, ValueList& out) {
  if (at == steps.size()) {
    out.push_back(node);
    return;
  }
  const Step& step = steps[at];
  if (node.is(Kind::Map)) {
    for (const auto& [name, child] : node.as_map()) {
      if (step.kind == '*' || (step.kind == 'n' && name == step.name)) walk(child, steps, at + 1, out);
    }
  } else if (node.is(Kind::List)) {
    const auto size = static_cast<std::int64_t>(node.as_list().size());
    for (std::int64_t i = 0; i < size; ++i) {
      if (step.kind == '*' || (step.kind == 'i' && (step.index == i || step.index == i - size))) {
        walk(node.as_list()[static_cast<std::size_t>(i)], steps, at + 1, out);
      }
    }
  }
}

TEST(JsonPathRandom, AgreesWithANaiveWalker) {
  Chance chance(2024);
  int found = 0;
  for (int i = 0; i < 10'000; ++i) {
    // given
    const Value root = random_value(chance, 5);
    std::vector<Step> steps(below(chance, 5));
    std::string path = "$";
    for (Step& step : steps) {
      step = {"ni*"[below(chance, 3)], std::string(1, static_cast<char>('a' + below(chance, 4))),
              static_cast<int>(below(chance, 7)) - 3};
      path += step.kind == 'n'   ? (below(chance, 2) == 0 ? "." + step.name : "['" + step.name + "']")
              : step.kind == 'i' ? "[" + std::to_string(step.index) + "]"
                                 : (below(chance, 2) == 0 ? ".*" : "[ * ]");
    }

    // when
    const std::string got = run(path, root);

    // then
    ValueList expected;
    walk(root, steps, 0, expected);
    found += expected.empty() ? 0 : 1;
    ASSERT_EQ(got, json::dump(Value(expected))) << path << " in " << json::dump(root);
  }
  EXPECT_GT(found, 1000);
}

}  // namespace
}  // namespace headrace::expr::test
