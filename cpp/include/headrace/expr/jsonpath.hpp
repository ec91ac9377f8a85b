#pragma once
// JSONPath, RFC 9535: queries and the logical expression of a filter on its own (what stands after `?`), as error mappers and
// output mappings use them. Parsed once (at build), run with a budget of node visits. Regular expressions (match, search) run
// in linear time (RE2). Pure; safe from any thread.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/base/result.hpp"
#include "headrace/base/value.hpp"

namespace headrace::expr {

inline constexpr std::uint32_t kPathBudget = 10'000;  // node visits a rule

namespace path {
struct Query;    // private
struct Logical;  // private
}  // namespace path

class JsonPath {
 public:
  JsonPath() = default;
  // Error: Expression, with the position (0-based byte) and what was expected.
  static Result<JsonPath> parse(std::string_view text);
  // The nodes selected in `root`, in the order of the RFC, pointing into `root`. Error: Expression "path budget …" when the
  // budget of visits is used up.
  Result<std::vector<const Value*>> query(const Value& root, std::uint32_t budget = kPathBudget) const;
  // True for a singular query (RFC 9535 2.3.5.1): at most one node.
  bool singular() const;
  // The name when the path is one plain member of the root, `$.name`; "" otherwise. Such a path can be read without a tree of the
  // body.
  std::string_view member() const;
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  std::shared_ptr<const path::Query> query_;
};

// A logical expression over a body, `$` (and `@`) the body: "$.type == 'DECLINED' && $.code > 3".
class Clause {
 public:
  Clause() = default;
  static Result<Clause> parse(std::string_view text);
  // Whether it holds for `body`. Error: Expression when the budget is used up (the caller takes that as "does not match").
  Result<bool> matches(const Value& body, std::uint32_t budget = kPathBudget) const;
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  std::shared_ptr<const path::Logical> root_;
};

}  // namespace headrace::expr
