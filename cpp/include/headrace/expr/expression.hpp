#pragma once
// Expressions of the model: JUEL as Camunda 7's models use it, `${…}` or `#{…}`, parsed once at deploy and run with limits.
// Grammar: literals, variables, property `a.b` and index `a[b]` access, `empty`, `!`/`not`, arithmetic (+ - * / div % mod),
// comparison
// (< <= > >= == != and lt le gt ge eq ne), `&&`/`and`, `||`/`or`, ternary, text around `${…}` (composite), `now()`. No host
// access: the only methods are the pure length() of strings, size() of lists and maps, isEmpty(), contains(x), get(x), and
// execution.getVariable(name) and execution.hasVariable(name), which read Variables; every other call is refused by name at
// parse. Coercions are JUEL's (EL 2.1): null is 0 in arithmetic, false in logic, and orders with nothing; text that reads as a
// number is one. Stricter than JUEL: text that is no number (also empty text) beside a number, text other than true/false as a
// boolean, and results that overflow or are not finite are errors; empty text equals only empty text. Steps on large values count
// as many. Limits: text 64 KiB, nesting depth 64, 10,000 steps and 1 MiB of built text a run. Pure; safe from any thread.

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "headrace/base/result.hpp"
#include "headrace/base/value.hpp"

namespace headrace::expr {

// Where names come from. `find` answers nothing for an absent name: using it is an error, a null value is not.
class Variables {
 public:
  virtual ~Variables() = default;
  virtual std::optional<Value> find(std::string_view name) const = 0;
};

class Node;  // private

class Expression {
 public:
  Expression() = default;
  // Parses "${…}", "#{…}", a composite, or plain text (a constant string). Error: Expression, with the position.
  static Result<Expression> parse(std::string_view text);
  // `now()` is the step's time. Errors: Expression (unknown variable, wrong kinds, division by zero, overflow of int64, limits),
  // named with the expression's text.
  Result<Value> evaluate(const Variables&, Instant now) const;
  // The same, wanting a boolean: a condition (design 1.2: a condition that is no boolean is a runtime fault).
  Result<bool> evaluate_condition(const Variables&, Instant now) const;
  const std::string& text() const { return text_; }
  bool is_constant() const;  // no variable and no now() in it

 private:
  std::string text_;
  std::shared_ptr<const Node> root_;
};

}  // namespace headrace::expr
