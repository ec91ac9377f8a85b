#include "headrace/base/value.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace headrace {
namespace {

bool same_double(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

using Entry = const std::pair<std::string, Value>*;

std::vector<Entry> by_key(const ValueMap& map) {
  std::vector<Entry> entries;
  entries.reserve(map.size());
  for (const auto& entry : map) entries.push_back(&entry);
  std::sort(entries.begin(), entries.end(), [](Entry a, Entry b) { return a->first < b->first; });
  return entries;
}

bool same_map(const ValueMap& a, const ValueMap& b) {
  if (a.size() != b.size()) return false;
  // Maps from one source are in one order; only otherwise is sorting needed.
  const bool in_order =
      std::equal(a.begin(), a.end(), b.begin(), [](const auto& x, const auto& y) { return x.first == y.first; });
  if (in_order)
    return std::equal(a.begin(), a.end(), b.begin(), [](const auto& x, const auto& y) { return x.second == y.second; });
  const auto left = by_key(a);
  const auto right = by_key(b);
  return std::equal(left.begin(), left.end(), right.begin(), [](Entry x, Entry y) { return *x == *y; });
}

}  // namespace

std::string_view name_of(Kind kind) {
  constexpr std::string_view kNames[] = {"null", "boolean", "integer", "double", "string", "bytes", "datetime", "list", "map"};
  return kNames[static_cast<std::size_t>(kind)];
}

const Value* Value::find(std::string_view key) const {
  if (!is(Kind::Map)) return nullptr;
  for (const auto& [name, value] : as_map()) {
    if (name == key) return &value;
  }
  return nullptr;
}

bool operator==(const Value& a, const Value& b) {
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case Kind::Null:
      return true;
    case Kind::Bool:
      return a.as_bool() == b.as_bool();
    case Kind::Int:
      return a.as_int() == b.as_int();
    case Kind::Double:
      return same_double(a.as_double(), b.as_double());
    case Kind::String:
      return a.as_string() == b.as_string();
    case Kind::Bytes:
      return a.as_bytes() == b.as_bytes();
    case Kind::DateTime:
      return a.as_datetime() == b.as_datetime();
    case Kind::List:
      return &a.as_list() == &b.as_list() || a.as_list() == b.as_list();
    case Kind::Map:
      return &a.as_map() == &b.as_map() || same_map(a.as_map(), b.as_map());
  }
  return false;
}

}  // namespace headrace
