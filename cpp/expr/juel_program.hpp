#pragma once
// What an expression is compiled to: a flat list of steps over a stack of values. Nothing loops and nothing recurses, so the
// length of a chain such as a + b + c + … costs no stack of ours.

#include <cstdint>
#include <vector>

#include "headrace/expr/expression.hpp"

namespace headrace::expr {

namespace juel {

enum class Op : std::uint8_t {
  Constant,  // push constants[arg]
  Load,      // push the variable named constants[arg]
  Now,       // push the step's time
  Lookup,    // name -> the variable or null: execution.getVariable(name)
  Has,       // name -> whether there is such a variable: execution.hasVariable(name)
  Index,     // container, key -> element
  Negate,    // one operand each
  Not,
  Empty,
  ToBoolean,
  Length,
  Size,
  IsEmpty,
  Contains,  // two operands each
  Add,
  Subtract,
  Multiply,
  Divide,
  Remainder,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  Equal,
  NotEqual,
  SkipIfFalse,  // false stays on the stack and the run goes on at arg; true is dropped
  SkipIfTrue,   // the other way
  ElseAt,       // drop the condition; when it is false go on at arg
  GoTo,
  Append,  // take a value, append its text to the built text
  Built,   // push the built text
};

struct Step {
  Op op;
  std::uint32_t arg = 0;
};

inline constexpr std::size_t kMaxText = 64U << 10U;  // bytes of an expression
inline constexpr int kMaxNesting = 64;               // levels
inline constexpr std::uint32_t kMaxSteps = 10'000;   // a run
inline constexpr std::size_t kMaxBuilt = 1U << 20U;  // bytes of text a run builds

}  // namespace juel

class Node {
 public:
  std::vector<juel::Step> steps;
  std::vector<Value> constants;
  std::uint32_t max_stack = 0;
  bool constant = true;  // no variable and no now()
};

}  // namespace headrace::expr
