#pragma once
// Short forms for the policy tests; a text that does not parse ends the test program.

#include <cstdlib>
#include <string_view>
#include <utility>

#include "headrace/base/json.hpp"
#include "headrace/base/variables.hpp"
#include "headrace/policy/mapping.hpp"

namespace headrace::policy::test {

inline Value json(std::string_view text) {
  Result<Value> value = headrace::json::parse(text);
  if (!value) std::abort();
  return std::move(value).value();
}

inline expr::JsonPath path(std::string_view text) {
  Result<expr::JsonPath> parsed = expr::JsonPath::parse(text);
  if (!parsed) std::abort();
  return std::move(parsed).value();
}

inline expr::Clause clause(std::string_view text) {
  Result<expr::Clause> parsed = expr::Clause::parse(text);
  if (!parsed) std::abort();
  return std::move(parsed).value();
}

inline VariableBlock variables(const Value& map) { return VariableBlock::from_payload(codec::encode(map)); }

// A body with a list of `n` numbers: more nodes than a path's budget when n is large.
inline Value long_list(int n) {
  ValueList items;
  for (int i = 0; i < n; ++i) items.emplace_back(i);
  return ValueMap{{"items", std::move(items)}};
}

inline bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

}  // namespace headrace::policy::test
