// Comparisons (RFC 9535 2.3.5.2.2). An integer and a double compare by their exact values. Kinds that JSON does not have (bytes,
// datetime) are equal by content and have no order.

#include <algorithm>
#include <cmath>
#include <utility>

#include "jsonpath_run.hpp"

namespace headrace::expr::path {
namespace {

using Pairs = std::vector<std::pair<const Value*, const Value*>>;

// -1, 0, 1, or 2 when they have no order (NaN).
int order(std::int64_t a, double b) {
  constexpr double kTwo63 = 9223372036854775808.0;
  if (std::isnan(b)) return 2;
  if (b >= kTwo63) return -1;
  if (b < -kTwo63) return 1;
  const double floor = std::floor(b);
  const auto whole = static_cast<std::int64_t>(floor);
  if (a != whole) return a < whole ? -1 : 1;
  return floor < b ? -1 : 0;
}

int order(const Value& a, const Value& b) {
  if (a.is(Kind::Int) && b.is(Kind::Int)) return a.as_int() < b.as_int() ? -1 : a.as_int() > b.as_int() ? 1 : 0;
  if (a.is(Kind::Double) && b.is(Kind::Double)) {
    const double x = a.as_double();
    const double y = b.as_double();
    return x < y ? -1 : x > y ? 1 : x == y ? 0 : 2;
  }
  if (a.is(Kind::Int)) return order(a.as_int(), b.as_double());
  const int turned = order(b.as_int(), a.as_double());
  return turned == 2 ? 2 : -turned;
}

bool spend_for_strings(Run& run, const Value& a, const Value& b) {
  return run.spend(std::min(a.as_string().size(), b.as_string().size()) / kBytesPerVisit);
}

std::vector<const ValueMap::value_type*> sorted(const ValueMap& map) {
  std::vector<const ValueMap::value_type*> members;
  for (const auto& member : map) members.push_back(&member);
  std::sort(members.begin(), members.end(), [](const auto* a, const auto* b) { return a->first < b->first; });
  return members;
}

// Pairs the members of two maps of one size; false when their names differ. Mostly they stand in the same order.
bool pair_members(const ValueMap& a, const ValueMap& b, Pairs& out) {
  const bool same_order =
      std::equal(a.begin(), a.end(), b.begin(), [](const auto& x, const auto& y) { return x.first == y.first; });
  if (same_order) {
    for (std::size_t i = 0; i < a.size(); ++i) out.emplace_back(&a[i].second, &b[i].second);
    return true;
  }
  const auto left = sorted(a);
  const auto right = sorted(b);
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (left[i]->first != right[i]->first) return false;
    out.emplace_back(&left[i]->second, &right[i]->second);
  }
  return true;
}

// Whether the two may still be equal: what is inside them goes onto `todo`.
bool same_so_far(Run& run, const Value& a, const Value& b, Pairs& todo, bool& same) {
  same = false;
  if (a.is_number() && b.is_number()) {
    same = order(a, b) == 0;
    return true;
  }
  if (a.kind() != b.kind()) return true;
  if (a.is(Kind::List)) {
    const ValueList& x = a.as_list();
    const ValueList& y = b.as_list();
    same = x.size() == y.size();
    if (!same || &x == &y) return true;
    if (!run.spend(x.size())) return false;
    for (std::size_t i = 0; i < x.size(); ++i) todo.emplace_back(&x[i], &y[i]);
    return true;
  }
  if (a.is(Kind::Map)) {
    same = a.as_map().size() == b.as_map().size();
    if (!same || &a.as_map() == &b.as_map()) return true;
    if (!run.spend(a.as_map().size())) return false;
    same = pair_members(a.as_map(), b.as_map(), todo);
    return true;
  }
  if (a.is(Kind::String) && !spend_for_strings(run, a, b)) return false;
  same = a == b;
  return true;
}

bool equal(Run& run, const Value* left, const Value* right, bool& same) {
  same = left == right;
  if (left == nullptr || right == nullptr) return true;
  Pairs todo;
  if (!same_so_far(run, *left, *right, todo, same)) return false;
  while (same && !todo.empty()) {
    const auto [a, b] = todo.back();
    todo.pop_back();
    if (!same_so_far(run, *a, *b, todo, same)) return false;
  }
  return true;
}

bool less(Run& run, const Value* left, const Value* right, bool& out) {
  out = false;
  if (left == nullptr || right == nullptr) return true;
  if (left->is_number() && right->is_number()) {
    out = order(*left, *right) == -1;
  } else if (left->is(Kind::String) && right->is(Kind::String)) {
    // UTF-8 sorts by bytes as its code points do.
    out = left->as_string() < right->as_string();
    return spend_for_strings(run, *left, *right);
  }
  return true;
}

}  // namespace

bool compare(Run& run, Relation relation, const Value* left, const Value* right, bool& out) {
  switch (relation) {
    case Relation::Equal:
      return equal(run, left, right, out);
    case Relation::NotEqual: {
      const bool within = equal(run, left, right, out);
      out = !out;
      return within;
    }
    case Relation::Less:
      return less(run, left, right, out);
    case Relation::Greater:
      return less(run, right, left, out);
    case Relation::LessEqual:
      return less(run, left, right, out) && (out || equal(run, left, right, out));
    case Relation::GreaterEqual:
      return less(run, right, left, out) && (out || equal(run, left, right, out));
  }
  return true;
}

}  // namespace headrace::expr::path
