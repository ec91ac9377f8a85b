// What stands in tests, comparisons and calls, and the types of RFC 9535 2.4.1 to 2.4.3.

#include <string>
#include <utility>

#include "jsonpath_parser.hpp"

namespace headrace::expr::path {
namespace {

struct Signature {
  std::string_view name;
  Function function;
  std::size_t arity;
  bool takes_nodes;    // NodesType, else ValueType
  bool gives_logical;  // LogicalType, else ValueType
};
constexpr Signature kSignatures[] = {{"length", Function::Length, 1, false, false},
                                     {"count", Function::Count, 1, true, false},
                                     {"match", Function::Match, 2, false, true},
                                     {"search", Function::Search, 2, false, true},
                                     {"value", Function::Value, 1, true, false}};

const Signature& signature_of(Function function) { return kSignatures[static_cast<std::size_t>(function)]; }

}  // namespace

bool Parser::operand(Operand& out) {
  const char c = in_.peek();
  if (c == '$' || c == '@') return query(out.node.emplace<Query>());
  if (c == '\'' || c == '"' || c == '-' || is_digit(c)) return literal(out);
  const std::size_t from = in_.at();
  std::string name;
  if (!in_.function_name(name)) return in_.fail("'$', '@', a literal, a function or '('");
  if (in_.peek() == '(') return call(out.node.emplace<Call>(), from, name);
  in_.seek(from);
  return literal(out);
}

bool Parser::literal(Operand& out) {
  const char c = in_.peek();
  if (c == '\'' || c == '"') {
    std::string text;
    if (!in_.string_literal(text)) return false;
    out.node = Value(std::move(text));
    return true;
  }
  if (c == '-' || is_digit(c)) return in_.number_literal(out.node.emplace<Value>());
  const std::size_t from = in_.at();
  std::string word;
  in_.function_name(word);
  if (word == "null") {
    out.node = Value();
  } else if (word == "true" || word == "false") {
    out.node = Value(word == "true");
  } else {
    return in_.refuse(from, "expected true, false, null or a function with '(', found '" + word + "'");
  }
  return true;
}

bool Parser::call(Call& out, std::size_t from, std::string_view name) {
  const Signature* signature = nullptr;
  for (const Signature& known : kSignatures) {
    if (known.name == name) signature = &known;
  }
  if (signature == nullptr) {
    return in_.refuse(from,
                      "expected one of the functions length, count, match, search, value, found '" + std::string(name) + "'");
  }
  if (!in_.enter()) return false;
  in_.advance();
  out.function = signature->function;
  std::size_t last = from;
  for (std::size_t i = 0; i < signature->arity; ++i) {
    in_.skip_space();
    if (i > 0 && !in_.take(',')) return in_.fail("',' and another argument of " + std::string(name));
    in_.skip_space();
    last = in_.at();
    if (!argument(out.arguments.emplace_back(), signature->takes_nodes)) return false;
  }
  in_.skip_space();
  if (!in_.take(')')) return in_.fail("')' after the arguments of " + std::string(name));
  in_.leave();
  return !signature->gives_logical || static_regexp(out, last);
}

bool Parser::argument(Operand& out, bool nodes) {
  const std::size_t from = in_.at();
  if (!nodes) return operand(out) && comparable(out, from);
  if (in_.peek() != '$' && in_.peek() != '@') return in_.fail("a query ('$' or '@') as argument");
  return operand(out);
}

// A literal pattern is compiled once, so that a wrong one is refused here and does not silently match nothing.
bool Parser::static_regexp(Call& out, std::size_t from) {
  const Value* pattern = std::get_if<Value>(&out.arguments[1].node);
  if (pattern == nullptr || !pattern->is(Kind::String)) return true;
  Result<Regexp> compiled = Regexp::compile(pattern->as_string());
  if (!compiled) return in_.refuse(from, compiled.error().message + ", a string that opens");
  out.regexp = *std::move(compiled);
  return true;
}

bool Parser::comparable(const Operand& operand, std::size_t from) {
  if (const Query* query = std::get_if<Query>(&operand.node); query != nullptr && !query->singular) {
    return in_.refuse(
        from, "expected a query that selects at most one node, found one that may select more (value(…) makes one of it)");
  }
  if (const Call* call = std::get_if<Call>(&operand.node); call != nullptr && signature_of(call->function).gives_logical) {
    return in_.refuse(
        from, "expected a value, found " + std::string(signature_of(call->function).name) + ", which is true or false only");
  }
  return true;
}

bool Parser::testable(const Operand& operand, std::size_t from) {
  if (std::holds_alternative<Value>(operand.node)) return in_.refuse(from, "expected a comparison, found a literal on its own");
  if (const Call* call = std::get_if<Call>(&operand.node); call != nullptr && !signature_of(call->function).gives_logical) {
    return in_.refuse(from, "expected a comparison, found " + std::string(signature_of(call->function).name) + " on its own");
  }
  return true;
}

}  // namespace headrace::expr::path
