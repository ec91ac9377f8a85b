#include "jsonpath_iregexp.hpp"

#include <utility>

#include "headrace/base/utf8.hpp"
#include "jsonpath_regexp.hpp"

namespace headrace::expr::path {

Result<std::string> to_re2(std::string_view pattern) { return RegexpTranslator(pattern).run(); }

Result<std::string> RegexpTranslator::run() {
  while (in_.valid() && !in_.end()) {
    if (!step()) return in_.error();
  }
  if (in_.valid() && in_.depth() > 0) in_.fail("')'");
  if (!in_.valid()) return in_.error();
  return std::move(out_);
}

bool RegexpTranslator::step() {
  const char c = in_.peek();
  switch (c) {
    case '(':
      return open();
    case ')':
      return close();
    case '|':
      return emit("|", false);
    case '*':
    case '+':
    case '?':
      return quantifiable() && emit(std::string_view(&c, 1), false);
    case '{':
      return quantifiable() && range();
    case '}':
    case ']':
      return in_.fail("an atom (a literal '}' or ']' needs '\\')");
    case '.':
      return emit(R"([^\n\r])", true);
    case '[':
      return bracket();
    case '\\':
      return escape_outside();
    default:
      return normal();
  }
}

bool RegexpTranslator::emit(std::string_view text, bool atom) {
  in_.advance();
  out_ += text;
  atom_ = atom;
  return true;
}

bool RegexpTranslator::open() { return in_.enter() && emit("(?:", false); }

bool RegexpTranslator::close() {
  if (in_.depth() == 0) return in_.fail("'(' before ')'");
  in_.leave();
  return emit(")", true);
}

bool RegexpTranslator::normal() {
  if (in_.peek() == '^' || in_.peek() == '$') return emit(in_.peek() == '^' ? "^" : "$", true);
  append_literal(in_.take_code_point());
  atom_ = true;
  return true;
}

bool RegexpTranslator::range() {
  in_.advance();
  out_ += '{';
  if (!digits()) return false;
  if (in_.take(',')) {
    out_ += ',';
    if (in_.peek() != '}' && !digits()) return false;
  }
  if (!in_.take('}')) return in_.fail("',' or '}'");
  out_ += '}';
  atom_ = false;
  return true;
}

bool RegexpTranslator::digits() {
  const std::size_t from = out_.size();
  while (is_digit(in_.peek())) out_ += in_.advance();
  return out_.size() > from || in_.fail("a number of repetitions");
}

bool RegexpTranslator::escape_outside() {
  atom_ = true;
  if (!at_category()) {
    char32_t c = 0;
    if (!single_escape(c)) return false;
    append_literal(c);
    return true;
  }
  std::string name;
  bool negated = false;
  if (!category(name, negated)) return false;
  if (name != "C" && name != "Cn") {
    append_category(name, negated);
    return true;
  }
  (out_ += negated ? "[" : "[^") += kAssigned;
  if (name == "Cn") out_ += kAssignedOthers;
  out_ += ']';
  return true;
}

}  // namespace headrace::expr::path
