#pragma once
// What the tests of JSONPath share.

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "headrace/base/json.hpp"
#include "headrace/expr/jsonpath.hpp"

namespace headrace::expr::test {

inline Value body(std::string_view json) {
  Result<Value> parsed = json::parse(json);
  EXPECT_TRUE(parsed.ok()) << (parsed ? "" : parsed.error().message) << " in " << json.substr(0, 200);
  return parsed ? *parsed : Value();
}

// The selected nodes as the text of a JSON list, or the error's message.
inline std::string run(std::string_view path, const Value& root, std::uint32_t budget = kPathBudget) {
  const Result<JsonPath> parsed = JsonPath::parse(path);
  if (!parsed) return parsed.error().message;
  const Result<std::vector<const Value*>> nodes = parsed->query(root, budget);
  if (!nodes) return nodes.error().message;
  ValueList list;
  for (const Value* node : *nodes) list.push_back(*node);
  return json::dump(Value(list));
}
inline std::string run(std::string_view path, const char* json, std::uint32_t budget = kPathBudget) {
  return run(path, body(json), budget);
}

// "true", "false" or the error's message.
inline std::string clause(std::string_view text, const Value& root, std::uint32_t budget = kPathBudget) {
  const Result<Clause> parsed = Clause::parse(text);
  if (!parsed) return parsed.error().message;
  const Result<bool> held = parsed->matches(root, budget);
  if (!held) return held.error().message;
  return *held ? "true" : "false";
}
inline std::string clause(std::string_view text, const char* json, std::uint32_t budget = kPathBudget) {
  return clause(text, body(json), budget);
}

// Why a path is refused; empty when it is not.
inline std::string refusal(std::string_view path) {
  const Result<JsonPath> parsed = JsonPath::parse(path);
  return parsed ? "" : parsed.error().message;
}

inline std::string repeat(std::string_view part, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += part;
  return out;
}

}  // namespace headrace::expr::test
