// Logical expressions (RFC 9535 2.3.5.1): `||` binds weakest, then `&&`, then `!` and parentheses, then comparisons and tests.

#include <string>
#include <utility>

#include "jsonpath_parser.hpp"

namespace headrace::expr::path {

Result<Logical> Parser::whole_clause() {
  Logical out;
  if (!in_.valid()) return in_.error();
  in_.skip_space();
  if (logical(out)) {
    in_.skip_space();
    if (!in_.end()) in_.fail("'&&', '||' or the end");
  }
  if (!in_.valid()) return in_.error();
  return out;
}

bool Parser::logical(Logical& out) {
  if (!conjunction(out)) return false;
  AnyOf any;
  while (true) {
    const std::size_t before_space = in_.at();
    in_.skip_space();
    if (!in_.take("||")) {
      in_.seek(before_space);
      break;
    }
    in_.skip_space();
    if (any.terms.empty()) any.terms.push_back(std::move(out));
    if (!conjunction(any.terms.emplace_back())) return false;
  }
  if (!any.terms.empty()) out.node = std::move(any);
  return true;
}

bool Parser::conjunction(Logical& out) {
  if (!basic(out)) return false;
  AllOf all;
  while (true) {
    const std::size_t before_space = in_.at();
    in_.skip_space();
    if (!in_.take("&&")) {
      in_.seek(before_space);
      break;
    }
    in_.skip_space();
    if (all.terms.empty()) all.terms.push_back(std::move(out));
    if (!basic(all.terms.emplace_back())) return false;
  }
  if (!all.terms.empty()) out.node = std::move(all);
  return true;
}

bool Parser::basic(Logical& out) {
  if (in_.peek() == '(') return parenthesised(out);
  if (in_.peek() == '!') return negation(out);
  return test_or_comparison(out);
}

bool Parser::parenthesised(Logical& out) {
  if (!in_.enter()) return false;
  in_.advance();
  in_.skip_space();
  if (!logical(out)) return false;
  in_.skip_space();
  if (!in_.take(')')) return in_.fail("'&&', '||' or ')'");
  in_.leave();
  return true;
}

// "!" applies to parentheses, a query or a call; never to a comparison without parentheses.
bool Parser::negation(Logical& out) {
  in_.advance();
  in_.skip_space();
  Logical term;
  if (in_.peek() == '(') {
    if (!parenthesised(term)) return false;
  } else {
    const std::size_t from = in_.at();
    Operand tested;
    if (!operand(tested) || !testable(tested, from)) return false;
    if (auto* query = std::get_if<Query>(&tested.node)) term.node = std::move(*query);
    if (auto* call = std::get_if<Call>(&tested.node)) term.node = std::move(*call);
  }
  out.node = Not{std::make_shared<const Logical>(std::move(term))};
  return true;
}

bool Parser::test_or_comparison(Logical& out) {
  const std::size_t from = in_.at();
  Operand left;
  if (!operand(left)) return false;
  const std::size_t before_space = in_.at();
  in_.skip_space();
  Relation between{};
  if (!relation(between)) {
    in_.seek(before_space);
    if (!testable(left, from)) return false;
    if (auto* query = std::get_if<Query>(&left.node)) out.node = std::move(*query);
    if (auto* call = std::get_if<Call>(&left.node)) out.node = std::move(*call);
    return true;
  }
  if (!comparable(left, from)) return false;
  in_.skip_space();
  const std::size_t second = in_.at();
  Operand right;
  if (!operand(right) || !comparable(right, second)) return false;
  out.node = Comparison{between, std::move(left), std::move(right)};
  return true;
}

bool Parser::relation(Relation& out) {
  constexpr std::pair<std::string_view, Relation> kRelations[] = {{"==", Relation::Equal},     {"!=", Relation::NotEqual},
                                                                  {"<=", Relation::LessEqual}, {">=", Relation::GreaterEqual},
                                                                  {"<", Relation::Less},       {">", Relation::Greater}};
  for (const auto& [token, relation] : kRelations) {
    if (!in_.take(token)) continue;
    out = relation;
    return true;
  }
  return false;
}

}  // namespace headrace::expr::path
