#pragma once
// What a parsed JSONPath consists of (RFC 9535 2.3). Built once by the parser, immutable afterwards.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "headrace/base/value.hpp"
#include "jsonpath_regexp.hpp"

namespace headrace::expr::path {

struct Logical;

struct NameSelector {
  std::string name;
};
struct WildcardSelector {};
struct IndexSelector {
  std::int64_t index;  // negative: from the end
};
struct SliceSelector {
  std::optional<std::int64_t> start;
  std::optional<std::int64_t> end;
  std::int64_t step = 1;
};
struct FilterSelector {
  std::shared_ptr<const Logical> condition;
};
using Selector = std::variant<NameSelector, WildcardSelector, IndexSelector, SliceSelector, FilterSelector>;

struct Segment {
  bool descendant = false;
  std::vector<Selector> selectors;
};

struct Query {
  bool from_root = true;  // `$`, else `@`
  bool singular = true;   // at most one node (2.3.5.1)
  std::vector<Segment> segments;
};

enum class Function : std::uint8_t { Length, Count, Match, Search, Value };

struct Operand;

// A function whose arguments have the types that it declares (2.4.3): count and value take nodes, all others values.
struct Call {
  Function function = Function::Length;
  std::vector<Operand> arguments;
  std::optional<Regexp> regexp;  // of match and search, when the pattern is a literal
};

// What yields a value (or nothing), or, as an argument, nodes.
struct Operand {
  std::variant<Value, Query, Call> node;
};

enum class Relation : std::uint8_t { Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual };

struct AnyOf {
  std::vector<Logical> terms;
};
struct AllOf {
  std::vector<Logical> terms;
};
struct Not {
  std::shared_ptr<const Logical> term;
};
struct Comparison {
  Relation relation = Relation::Equal;
  Operand left;
  Operand right;
};

// A query on its own holds when it selects a node; a call when its logical result is true.
struct Logical {
  std::variant<AnyOf, AllOf, Not, Comparison, Query, Call> node;
};

}  // namespace headrace::expr::path
