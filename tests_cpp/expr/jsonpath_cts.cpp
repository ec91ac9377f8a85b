// The JSONPath compliance suite: $HEADRACE_REFERENCE/reference/jsonpath-cts.json.

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "jsonpath_support.hpp"

namespace headrace::expr::test {
namespace {

std::string suite_file() {
  const char* folder = std::getenv("HEADRACE_REFERENCE");
  const std::string root = folder != nullptr ? folder : std::string(HEADRACE_SOURCE_DIR) + "/../shared";
  return root + "/reference/jsonpath-cts.json";
}

bool is_true(const Value* value) { return value != nullptr && value->is(Kind::Bool) && value->as_bool(); }

// Empty when the case passes.
std::string fault_of(const Value& test) {
  const std::string& selector = test.find("selector")->as_string();
  const Result<JsonPath> path = JsonPath::parse(selector);
  if (is_true(test.find("invalid_selector"))) return path ? "is accepted but invalid" : "";
  if (!path) return "is refused: " + path.error().message;
  const Result<std::vector<const Value*>> nodes = path->query(*test.find("document"));
  if (!nodes) return nodes.error().message;
  ValueList got;
  for (const Value* node : *nodes) got.push_back(*node);
  if (const Value* only = test.find("result"); only != nullptr && *only == Value(got)) return "";
  if (const Value* several = test.find("results"); several != nullptr) {
    for (const Value& allowed : several->as_list()) {
      if (allowed == Value(got)) return "";
    }
  }
  return "selects " + json::dump(Value(got));
}

TEST(JsonPathSuite, EveryCaseOfTheComplianceSuitePasses) {
  // given
  std::ifstream file(suite_file());
  if (!file) GTEST_SKIP() << "no compliance suite at " << suite_file() << " (set HEADRACE_REFERENCE)";
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const Value suite = body(text);
  ASSERT_TRUE(suite.find("tests") != nullptr && suite.find("tests")->is(Kind::List));

  // when
  std::size_t ran = 0;
  for (const Value& test : suite.find("tests")->as_list()) {
    const std::string fault = fault_of(test);
    ++ran;

    // then
    EXPECT_EQ(fault, "") << test.find("name")->as_string() << ": " << test.find("selector")->as_string();
  }
  EXPECT_GE(ran, 700U);
}

}  // namespace
}  // namespace headrace::expr::test
