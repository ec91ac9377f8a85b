#include "jsonpath_parser.hpp"

#include <string>
#include <utility>

namespace headrace::expr::path {

Result<Query> Parser::whole_query() {
  Query out;
  if (!in_.valid()) return in_.error();
  if (in_.peek() != '$') in_.fail("'$'");
  if (in_.valid() && query(out) && !in_.end()) in_.fail("'.', '..', '[' or the end");
  if (!in_.valid()) return in_.error();
  return out;
}

bool Parser::query(Query& out) {
  out.from_root = in_.advance() == '$';
  return segments(out);
}

bool Parser::segments(Query& out) {
  while (true) {
    const std::size_t before_space = in_.at();
    in_.skip_space();
    if (in_.peek() != '.' && in_.peek() != '[') {
      in_.seek(before_space);
      return true;
    }
    Segment next;
    if (!segment(next)) return false;
    const bool one = next.selectors.size() == 1 && (std::holds_alternative<NameSelector>(next.selectors.front()) ||
                                                    std::holds_alternative<IndexSelector>(next.selectors.front()));
    out.singular = out.singular && one && !next.descendant;
    out.segments.push_back(std::move(next));
  }
}

bool Parser::segment(Segment& out) {
  if (in_.take("..")) {
    out.descendant = true;
    if (in_.peek() == '[') return bracketed(out);
  } else if (in_.peek() == '[') {
    return bracketed(out);
  } else {
    in_.take('.');
  }
  if (in_.take('*')) {
    out.selectors.emplace_back(WildcardSelector{});
    return true;
  }
  NameSelector name;
  if (!in_.member_name(name.name)) return false;
  out.selectors.emplace_back(std::move(name));
  return true;
}

bool Parser::bracketed(Segment& out) {
  if (!in_.enter()) return false;
  in_.advance();
  do {
    in_.skip_space();
    Selector next;
    if (!selector(next)) return false;
    out.selectors.push_back(std::move(next));
    in_.skip_space();
  } while (in_.take(','));
  if (!in_.take(']')) return in_.fail("',' or ']'");
  in_.leave();
  return true;
}

bool Parser::selector(Selector& out) {
  const char c = in_.peek();
  if (c == '\'' || c == '"') {
    NameSelector name;
    if (!in_.string_literal(name.name)) return false;
    out = std::move(name);
    return true;
  }
  if (in_.take('*')) {
    out = WildcardSelector{};
    return true;
  }
  if (in_.take('?')) {
    Logical condition;
    in_.skip_space();
    if (!logical(condition)) return false;
    out = FilterSelector{std::make_shared<const Logical>(std::move(condition))};
    return true;
  }
  if (c == ':' || c == '-' || is_digit(c)) return index_or_slice(out);
  return in_.fail("a quoted name, '*', an index, a slice or '?'");
}

bool Parser::index_or_slice(Selector& out) {
  if (in_.peek() == ':') return slice(std::nullopt, out);
  std::int64_t first = 0;
  if (!in_.index_number(first)) return false;
  const std::size_t before_space = in_.at();
  in_.skip_space();
  if (in_.peek() == ':') return slice(first, out);
  in_.seek(before_space);
  out = IndexSelector{first};
  return true;
}

// [start S] ":" S [end S] [":" [S step]], from the first colon on.
bool Parser::slice(std::optional<std::int64_t> start, Selector& out) {
  const auto number_follows = [this] { return in_.peek() == '-' || is_digit(in_.peek()); };
  SliceSelector slice{start, std::nullopt, 1};
  in_.advance();
  in_.skip_space();
  if (number_follows() && !in_.index_number(slice.end.emplace())) return false;
  in_.skip_space();
  if (in_.take(':')) {
    in_.skip_space();
    if (number_follows() && !in_.index_number(slice.step)) return false;
  }
  out = slice;
  return true;
}

}  // namespace headrace::expr::path
