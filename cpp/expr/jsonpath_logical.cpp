// Logical expressions and functions at run time (RFC 9535 2.3.5.2, 2.4.4 to 2.4.8).

#include <algorithm>
#include <string_view>
#include <utility>

#include "jsonpath_run.hpp"

namespace headrace::expr::path {
namespace {

constexpr std::uint64_t kRegexpStepsPerVisit = 256U << 10U;  // bytes of text times instructions
constexpr std::uint64_t kInstructionsPerVisit = 16;
constexpr std::uint64_t kFailedRegexp = 64;
constexpr std::int64_t kBodyRegexpMemory = 1 << 20;

// Stops at the first term that is `wanted`, which is then the answer.
bool first_of(Run& run, const std::vector<Logical>& terms, const Value& current, bool wanted, bool& out) {
  out = !wanted;
  for (const Logical& term : terms) {
    if (!holds(run, term, current, out)) return false;
    if (out == wanted) break;
  }
  return true;
}

bool exists(Run& run, const Query& query, const Value& current, bool& out) {
  if (query.singular) {
    const Value* node = nullptr;
    const bool within = select_one(run, query, current, node);
    out = node != nullptr;
    return within;
  }
  Nodes nodes;
  const bool within = select(run, query, current, nodes);
  out = !nodes.empty();
  return within;
}

bool holds_comparison(Run& run, const Comparison& comparison, const Value& current, bool& out) {
  Value made_left;
  Value made_right;
  const Value* left = nullptr;
  const Value* right = nullptr;
  // Two literals visit no node; without a visit a long chain of them would be free.
  if (std::holds_alternative<Value>(comparison.left.node) && !run.spend(1)) return false;
  return value_of(run, comparison.left, current, made_left, left) &&
         value_of(run, comparison.right, current, made_right, right) && compare(run, comparison.relation, left, right, out);
}

bool regexp_from_body(Run& run, const std::string& pattern, const Regexp*& out) {
  auto known = run.regexps.find(pattern);
  if (known == run.regexps.end()) {
    if (!run.spend(1 + pattern.size())) return false;
    Result<Regexp> compiled = Regexp::compile(pattern, kBodyRegexpMemory);
    if (!run.spend(compiled ? compiled->program_size() / kInstructionsPerVisit : kFailedRegexp)) return false;
    known = run.regexps.emplace(pattern, compiled ? std::optional<Regexp>(*std::move(compiled)) : std::nullopt).first;
  }
  out = known->second ? &*known->second : nullptr;
  return true;
}

std::int64_t code_points(std::string_view text) {
  return std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; });
}

bool length(Run& run, const Value* value, Value& made, const Value*& out) {
  out = &made;
  if (value != nullptr && value->is(Kind::String)) {
    made = Value(code_points(value->as_string()));
    return run.spend(1 + value->as_string().size() / kBytesPerVisit);
  }
  if (value != nullptr && value->is(Kind::List)) {
    made = Value(static_cast<std::int64_t>(value->as_list().size()));
  } else if (value != nullptr && value->is(Kind::Map)) {
    made = Value(static_cast<std::int64_t>(value->as_map().size()));
  } else {
    out = nullptr;
  }
  return run.spend(1);
}

}  // namespace

bool holds(Run& run, const Logical& logical, const Value& current, bool& out) {
  if (const auto* comparison = std::get_if<Comparison>(&logical.node)) return holds_comparison(run, *comparison, current, out);
  if (const auto* any = std::get_if<AnyOf>(&logical.node)) return first_of(run, any->terms, current, true, out);
  if (const auto* all = std::get_if<AllOf>(&logical.node)) return first_of(run, all->terms, current, false, out);
  if (const auto* query = std::get_if<Query>(&logical.node)) return exists(run, *query, current, out);
  if (const auto* call = std::get_if<Call>(&logical.node)) return test(run, *call, current, out);
  if (!holds(run, *std::get<Not>(logical.node).term, current, out)) return false;
  out = !out;
  return true;
}

bool value_of(Run& run, const Operand& operand, const Value& current, Value& made, const Value*& out) {
  if (const auto* literal = std::get_if<Value>(&operand.node)) {
    out = literal;
    return true;
  }
  if (const auto* query = std::get_if<Query>(&operand.node)) return select_one(run, *query, current, out);
  return call_value(run, std::get<Call>(operand.node), current, made, out);
}

bool test(Run& run, const Call& call, const Value& current, bool& out) {
  Value made_text;
  Value made_pattern;
  const Value* text = nullptr;
  const Value* pattern = nullptr;
  out = false;
  if (!run.spend(1) || !value_of(run, call.arguments[0], current, made_text, text) ||
      !value_of(run, call.arguments[1], current, made_pattern, pattern)) {
    return false;
  }
  if (text == nullptr || pattern == nullptr || !text->is(Kind::String) || !pattern->is(Kind::String)) return true;
  const Regexp* regexp = call.regexp ? &*call.regexp : nullptr;
  if (regexp == nullptr && !regexp_from_body(run, pattern->as_string(), regexp)) return false;
  if (regexp == nullptr) return true;
  const std::uint64_t size = text->as_string().size();
  if (!run.spend(size / kBytesPerVisit + size * regexp->program_size() / kRegexpStepsPerVisit)) return false;
  out = call.function == Function::Match ? regexp->matches_all(text->as_string()) : regexp->matches_part(text->as_string());
  return true;
}

bool call_value(Run& run, const Call& call, const Value& current, Value& made, const Value*& out) {
  if (call.function == Function::Length) {
    Value made_argument;
    const Value* argument = nullptr;
    return value_of(run, call.arguments[0], current, made_argument, argument) && length(run, argument, made, out);
  }
  Nodes nodes;
  if (!select(run, std::get<Query>(call.arguments[0].node), current, nodes)) return false;
  if (call.function == Function::Count) {
    made = Value(static_cast<std::int64_t>(nodes.size()));
    out = &made;
  } else {
    out = nodes.size() == 1 ? nodes.front() : nullptr;
  }
  return true;
}

}  // namespace headrace::expr::path
