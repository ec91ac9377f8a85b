#pragma once
// Recursive descent over the grammar of RFC 9535; recursion is as deep as brackets and parentheses nest, which Cursor limits.

#include <string_view>

#include "headrace/base/result.hpp"
#include "jsonpath_ast.hpp"
#include "jsonpath_lexer.hpp"

namespace headrace::expr::path {

class Parser {
 public:
  explicit Parser(std::string_view text, std::string_view what) : in_(text, what) {}
  Result<Query> whole_query();
  Result<Logical> whole_clause();  // space around it is allowed

 private:
  // Queries (jsonpath_parser.cpp)
  bool query(Query& out);  // from `$` or `@` on; space behind it is left
  bool segments(Query& out);
  bool segment(Segment& out);
  bool bracketed(Segment& out);
  bool selector(Selector& out);
  bool index_or_slice(Selector& out);
  bool slice(std::optional<std::int64_t> start, Selector& out);

  // Logical expressions (jsonpath_filter.cpp)
  bool logical(Logical& out);
  bool conjunction(Logical& out);
  bool basic(Logical& out);
  bool parenthesised(Logical& out);
  bool negation(Logical& out);
  bool test_or_comparison(Logical& out);
  bool relation(Relation& out);

  // Operands and their types (jsonpath_operand.cpp)
  bool operand(Operand& out);
  bool literal(Operand& out);
  bool call(Call& out, std::size_t from, std::string_view name);
  bool argument(Operand& out, bool nodes);
  bool static_regexp(Call& out, std::size_t from);
  // Refuses what has no single value: a query that is not singular, match and search.
  bool comparable(const Operand& operand, std::size_t from);
  // Refuses what is neither true nor false by itself: a literal, and length, count and value.
  bool testable(const Operand& operand, std::size_t from);

  Cursor in_;
};

}  // namespace headrace::expr::path
