#include <compare>

#include "juel_convert.hpp"
#include "juel_operators.hpp"

namespace headrace::expr::juel {
namespace {

std::partial_ordering order(const Number& a, const Number& b) {
  if (!a.real && !b.real) return a.i <=> b.i;
  return a.d <=> b.d;
}

bool is_blank(const Value& v) { return v.is(Kind::String) && v.as_string().empty(); }
bool either(const Value& a, const Value& b, Kind kind) { return a.is(kind) || b.is(kind); }

bool incomparable(const Value& a, const Value& b, std::string& fault) {
  fault = "cannot compare " + describe(a) + " with " + describe(b);
  return false;
}

// Both as the kind that `read` gives.
template <class Read, class Order>
bool both(Read read, Order ordered, const Value& a, const Value& b, std::partial_ordering& out, std::string& fault) {
  const auto left = read(a);
  const auto right = read(b);
  if (!left || !right) return incomparable(a, b, fault);
  out = ordered(*left, *right);
  return true;
}

constexpr auto kThreeWay = [](const auto& x, const auto& y) -> std::partial_ordering { return x <=> y; };

// Neither is null. Two strings are compared as text even when they read as numbers.
bool order(const Value& a, const Value& b, std::partial_ordering& out, std::string& fault) {
  if (a.is_number() || b.is_number()) {
    return both(to_number, [](const Number& x, const Number& y) { return order(x, y); }, a, b, out, fault);
  }
  if (either(a, b, Kind::DateTime)) return both(to_instant, kThreeWay, a, b, out, fault);
  if (either(a, b, Kind::Bool)) return both(to_boolean, kThreeWay, a, b, out, fault);
  if (!a.is(Kind::String) || !b.is(Kind::String)) return incomparable(a, b, fault);
  out = a.as_string() <=> b.as_string();
  return true;
}

bool equal(const Value& a, const Value& b, bool& out, std::string& fault) {
  if (a.is_null() || b.is_null()) {
    out = a.is_null() && b.is_null();
    return true;
  }
  if (a.kind() == b.kind() && !a.is_number()) {
    out = a == b;
    return true;
  }
  // `x != ''` is how models ask whether anything is there: nothing but empty text equals it.
  if (is_blank(a) || is_blank(b)) {
    out = false;
    return true;
  }
  std::partial_ordering ordering = std::partial_ordering::unordered;
  if (!order(a, b, ordering, fault)) return false;
  out = ordering == std::partial_ordering::equivalent;
  return true;
}

bool holds(Op op, std::partial_ordering ordering) {
  switch (op) {
    case Op::Less:
      return ordering < 0;
    case Op::LessEqual:
      return ordering <= 0;
    case Op::Greater:
      return ordering > 0;
    default:
      return ordering >= 0;
  }
}

}  // namespace

bool compare(Op op, const Value& a, const Value& b, Value& out, std::string& fault) {
  if (op == Op::Equal || op == Op::NotEqual) {
    bool same = false;
    if (!equal(a, b, same, fault)) return false;
    out = Value(same == (op == Op::Equal));
    return true;
  }
  if (a.is_null() || b.is_null()) {
    out = Value(a.is_null() && b.is_null() && (op == Op::LessEqual || op == Op::GreaterEqual));
    return true;
  }
  std::partial_ordering ordering = std::partial_ordering::unordered;
  if (!order(a, b, ordering, fault)) return false;
  out = Value(holds(op, ordering));
  return true;
}

}  // namespace headrace::expr::juel
