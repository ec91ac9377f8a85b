// The calls an expression may make: a fixed list, each of them pure. Everything else is refused by name at parse, so that no
// model reaches into the host.
#include <utility>

#include "juel_parser.hpp"

namespace headrace::expr::juel {
namespace {

struct Method {
  std::string_view name;
  bool argument;
  Op op;
};
constexpr Method kMethods[] = {{"length", false, Op::Length},
                               {"size", false, Op::Size},
                               {"isEmpty", false, Op::IsEmpty},
                               {"contains", true, Op::Contains},
                               {"get", true, Op::Index}};

// Property names may be words that are operators elsewhere: order.empty.
bool is_word(const Token& t) { return t.kind != Tok::Text && t.kind != Tok::Bad && !t.text.empty(); }

}  // namespace

bool Parser::function(const Token& name) {
  if (name.text != "now") return refuse(name, "a function that exists (only now() does)", "'" + name.text + "()'");
  advance();
  if (!expect(Tok::CloseParen, "')' after 'now('")) return false;
  emit_.emit(Op::Now, 1);
  return true;
}

bool Parser::member() {
  if (!is_word(token_)) return fail("a property name");
  const Token name = token_;
  const bool on_execution = std::exchange(on_execution_, false);
  advance();
  if (token_.kind == Tok::OpenParen) return method(name, on_execution);
  emit_.constant(Value(name.text));
  emit_.emit(Op::Index, -1);
  return true;
}

bool Parser::argument() { return ternary() && expect(Tok::CloseParen, "')'"); }

bool Parser::method(const Token& name, bool on_execution) {
  advance();
  const bool lookup = name.text == "getVariable";
  if (on_execution && (lookup || name.text == "hasVariable")) {
    emit_.take_back_load();
    if (!argument()) return false;
    emit_.emit(lookup ? Op::Lookup : Op::Has, 0);
    return true;
  }
  for (const Method& m : kMethods) {
    if (m.name != name.text) continue;
    if (!m.argument) {
      if (!expect(Tok::CloseParen, "')'")) return false;
      emit_.emit(m.op, 0);
      return true;
    }
    if (!argument()) return false;
    emit_.emit(m.op, -1);
    return true;
  }
  return refuse(
      name, "a property or one of the methods length, size, isEmpty, contains, get, execution.getVariable, execution.hasVariable",
      "'." + name.text + "()'");
}

bool Parser::take(Tok kind) {
  if (token_.kind != kind) return false;
  advance();
  return true;
}

bool Parser::expect(Tok kind, std::string_view what) { return take(kind) || fail(what); }

bool Parser::enter() {
  // The whole expression is level 0.
  if (++nesting_ <= kMaxNesting + 1) return true;
  return refuse(token_, "at most " + std::to_string(kMaxNesting) + " levels of nesting", "a deeper one");
}

bool Parser::fail(std::string_view expected) {
  if (token_.kind == Tok::End) return refuse(token_, expected, "the end");
  if (token_.kind == Tok::Bad) return refuse(token_, expected, token_.text);
  constexpr std::size_t kShown = 40;
  if (token_.size > kShown) return refuse(token_, expected, "a long word");
  return refuse(token_, expected, "'" + std::string(text_.substr(token_.at, token_.size)) + "'");
}

bool Parser::refuse(const Token& at, std::string_view expected, const std::string& found) {
  problem_ = "expected " + std::string(expected) + ", found " + found + " at byte " + std::to_string(at.at);
  return false;
}

}  // namespace headrace::expr::juel
