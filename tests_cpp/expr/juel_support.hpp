#pragma once
// A table of variables and short ways to evaluate.

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "headrace/expr/expression.hpp"

namespace headrace::expr::testing {

class Table final : public Variables {
 public:
  Table() = default;
  Table(std::initializer_list<std::pair<const std::string, Value>> values) : values_(values) {}
  std::optional<Value> find(std::string_view name) const override {
    ++finds;
    const auto at = values_.find(name);
    return at == values_.end() ? std::nullopt : std::optional<Value>(at->second);
  }
  mutable int finds = 0;

 private:
  std::map<std::string, Value, std::less<>> values_;
};

inline const Value kTrue(true);
inline const Value kFalse(false);
inline constexpr Instant kNow{1'767'603'600'000'000};  // 2026-01-05T09:00:00Z

inline Result<Value> run(std::string_view text, const Table& table = {}) {
  const auto parsed = Expression::parse(text);
  if (!parsed.ok()) return parsed.error();
  return parsed->evaluate(table, kNow);
}

// The value, or a failure of the test.
inline Value value_of(std::string_view text, const Table& table = {}) {
  auto result = run(text, table);
  EXPECT_TRUE(result.ok()) << result.error().message;
  return result.ok() ? *result : Value("(failed)");
}

// The message of a fault at run time (the text itself parses).
inline std::string fault_of(std::string_view text, const Table& table = {}) {
  const auto parsed = Expression::parse(text);
  EXPECT_TRUE(parsed.ok()) << parsed.error().message;
  if (!parsed.ok()) return "";
  const auto result = parsed->evaluate(table, kNow);
  EXPECT_FALSE(result.ok()) << text;
  if (result.ok()) return "";
  EXPECT_EQ(result.error().code, ErrorCode::Expression);
  return result.error().message;
}

// The message of a text that does not parse.
inline std::string refusal_of(std::string_view text) {
  const auto parsed = Expression::parse(text);
  EXPECT_FALSE(parsed.ok()) << text.substr(0, 100);
  if (parsed.ok()) return "";
  EXPECT_EQ(parsed.error().code, ErrorCode::Expression);
  return parsed.error().message;
}

inline std::string repeat(std::string_view part, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += part;
  return out;
}

inline void expect_part(const std::string& message, std::string_view part) {
  EXPECT_NE(message.find(part), std::string::npos) << "'" << part << "' is not in: " << message;
}

}  // namespace headrace::expr::testing
