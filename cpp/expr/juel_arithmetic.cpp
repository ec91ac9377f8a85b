#include <cmath>
#include <limits>

#include "juel_convert.hpp"
#include "juel_operators.hpp"

namespace headrace::expr::juel {
namespace {

constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();

std::string_view sign_of(Op op) {
  switch (op) {
    case Op::Add:
      return "+";
    case Op::Subtract:
      return "-";
    case Op::Multiply:
      return "*";
    case Op::Divide:
      return "/";
    default:
      return "%";
  }
}

bool overflows(Op op, std::string& fault) {
  fault = "the result of '" + std::string(sign_of(op)) + "' does not fit an integer of 64 bits";
  return false;
}

bool with_integers(Op op, const Number& a, const Number& b, Value& out, std::string& fault) {
  std::int64_t n = 0;
  bool over = false;
  switch (op) {
    case Op::Add:
      over = __builtin_add_overflow(a.i, b.i, &n);
      break;
    case Op::Subtract:
      over = __builtin_sub_overflow(a.i, b.i, &n);
      break;
    case Op::Multiply:
      over = __builtin_mul_overflow(a.i, b.i, &n);
      break;
    default:
      n = a.i % b.i;  // the caller has refused 0, and -1 under the least integer
  }
  if (over) return overflows(op, fault);
  out = Value(n);
  return true;
}

bool with_doubles(Op op, double a, double b, Value& out, std::string& fault) {
  double d = 0;
  switch (op) {
    case Op::Add:
      d = a + b;
      break;
    case Op::Subtract:
      d = a - b;
      break;
    case Op::Multiply:
      d = a * b;
      break;
    case Op::Divide:
      d = a / b;
      break;
    default:
      d = std::fmod(a, b);
  }
  if (!std::isfinite(d)) {
    fault = "the result of '" + std::string(sign_of(op)) + "' is no finite number";
    return false;
  }
  out = Value(d);
  return true;
}

}  // namespace

bool arithmetic(Op op, const Value& a, const Value& b, Value& out, std::string& fault) {
  const auto left = to_number(a);
  const auto right = to_number(b);
  if (!left || !right) {
    fault = "'" + std::string(sign_of(op)) + "' expected numbers, found " + describe(a) + " and " + describe(b);
    return false;
  }
  const bool divides = op == Op::Divide || op == Op::Remainder;
  if (divides && right->d == 0) {
    fault = "division by zero";
    return false;
  }
  const bool integers = !left->real && !right->real;
  if (integers && divides && left->i == kLeast && right->i == -1) return overflows(op, fault);
  if (integers && op != Op::Divide) return with_integers(op, *left, *right, out, fault);
  return with_doubles(op, left->d, right->d, out, fault);
}

bool negate(const Value& a, Value& out, std::string& fault) {
  const auto n = to_number(a);
  if (!n) {
    fault = "'-' expected a number, found " + describe(a);
    return false;
  }
  if (!n->real && n->i == kLeast) return overflows(Op::Subtract, fault);
  out = n->real ? Value(-n->d) : Value(-n->i);
  return true;
}

}  // namespace headrace::expr::juel
