#pragma once
// Running a parsed path with a budget. Every function returns false when the budget is used up; its output is then worthless.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "headrace/base/value.hpp"
#include "jsonpath_ast.hpp"

namespace headrace::expr::path {

// Text that is compared or searched counts as node visits, by its length.
inline constexpr std::uint64_t kBytesPerVisit = 1024;

using Nodes = std::vector<const Value*>;

// One run over one body. A visit is one node that a selector looks at (the child, found or not; each descendant). Work that no
// node stands for costs visits too, so that the time of a run is bounded: each pair of a deep comparison, long strings by the
// KiB, long maps searched for a name, regular expressions by text and program.
struct Run {
  Run(const Value& body, std::uint32_t budget) : root(body), left(budget) {}
  bool spend(std::uint64_t visits) {
    if (visits > left) {
      left = 0;
      return false;
    }
    left -= visits;
    return true;
  }
  const Value& root;
  std::uint64_t left;
  std::map<std::string, std::optional<Regexp>> regexps;  // patterns from the body; nothing: it is no I-Regexp
};

// Appends the nodes that `query` selects, with `current` for `@`.
bool select(Run&, const Query&, const Value& current, Nodes& out);
// The node of a singular query, or nullptr.
bool select_one(Run&, const Query&, const Value& current, const Value*& out);
bool holds(Run&, const Logical&, const Value& current, bool& out);
// The value of an operand or nullptr (Nothing); a computed one is kept in `made`.
bool value_of(Run&, const Operand&, const Value& current, Value& made, const Value*& out);
bool test(Run&, const Call&, const Value& current, bool& out);                             // match, search
bool call_value(Run&, const Call&, const Value& current, Value& made, const Value*& out);  // length, count, value
bool compare(Run&, Relation, const Value* left, const Value* right, bool& out);            // 2.3.5.2.2

}  // namespace headrace::expr::path
