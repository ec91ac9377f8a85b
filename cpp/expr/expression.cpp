#include "headrace/expr/expression.hpp"

#include "headrace/base/utf8.hpp"
#include "juel_convert.hpp"
#include "juel_machine.hpp"
#include "juel_text.hpp"

namespace headrace::expr {
namespace {

// The text for messages: cut where it is long, between characters.
std::string shown(const std::string& text) {
  constexpr std::size_t kShown = 200;
  if (text.size() <= kShown) return text;
  std::size_t cut = kShown;
  while (cut > 0 && utf8_length(text, cut) == 0) --cut;
  return text.substr(0, cut) + "…";
}

Error error_of(const std::string& text, const std::string& what) {
  return make_error(ErrorCode::Expression, "expression '" + shown(text) + "': " + what);
}

}  // namespace

Result<Expression> Expression::parse(std::string_view text) {
  Expression e;
  e.text_ = std::string(text);
  auto program = std::make_shared<Node>();
  std::string problem;
  if (!juel::compile(text, *program, problem)) return error_of(e.text_, problem);
  e.root_ = std::move(program);
  return e;
}

Result<Value> Expression::evaluate(const Variables& variables, Instant now) const {
  if (root_ == nullptr) return Value("");
  juel::Machine machine(*root_, variables, now);
  Value result;
  if (!machine.run(result)) return error_of(text_, machine.fault());
  return result;
}

Result<bool> Expression::evaluate_condition(const Variables& variables, Instant now) const {
  auto result = evaluate(variables, now);
  if (!result.ok()) return result.error();
  if (result->is(Kind::Bool)) return result->as_bool();
  return error_of(text_, "a condition gives a boolean, found " + juel::describe(*result));
}

bool Expression::is_constant() const { return root_ == nullptr || root_->constant; }

}  // namespace headrace::expr
