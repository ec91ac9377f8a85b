#include <algorithm>

#include "juel_convert.hpp"
#include "juel_operators.hpp"

namespace headrace::expr::juel {
namespace {

// Java counts text in UTF-16 units: a sequence of four bytes is two of them.
std::int64_t utf16_length(const std::string& text) {
  std::int64_t units = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xC0U) != 0x80U) units += byte >= 0xF0U ? 2 : 1;
  }
  return units;
}

std::size_t count_of(const Value& v) { return v.is(Kind::List) ? v.as_list().size() : v.as_map().size(); }

bool none(const Value& container, const std::string& what, std::string& fault) {
  fault = "a value of kind " + std::string(name_of(container.kind())) + " has no " + what;
  return false;
}

// The place in a list; nothing when the key is no whole number.
std::optional<std::int64_t> place_of(const Value& key) {
  if (key.is_null()) return std::nullopt;
  const auto n = to_number(key);
  if (!n) return std::nullopt;
  if (!n->real) return n->i;
  const bool small = n->d > -1e9 && n->d < 1e9;
  return small && n->d == static_cast<double>(static_cast<std::int64_t>(n->d)) ? std::optional(static_cast<std::int64_t>(n->d))
                                                                               : std::nullopt;
}

}  // namespace

bool index(const Value& container, const Value& key, Value& out, std::string& fault) {
  if (container.is(Kind::Map)) {
    if (!key.is(Kind::String)) {
      fault = "the key of a map is a string, found " + describe(key);
      return false;
    }
    const Value* found = container.find(key.as_string());
    out = found == nullptr ? Value() : *found;
    return true;
  }
  if (container.is(Kind::List)) {
    const auto place = place_of(key);
    if (!place) {
      fault = "the index of a list is an integer, found " + describe(key);
      return false;
    }
    const ValueList& list = container.as_list();
    // Behind the end is null, not a fault: Camunda 7 records it so.
    out = *place >= 0 && *place < static_cast<std::int64_t>(list.size()) ? list[static_cast<std::size_t>(*place)] : Value();
    return true;
  }
  return none(container, "property or element for " + describe(key), fault);
}

bool is_empty(const Value& v) {
  switch (v.kind()) {
    case Kind::Null:
      return true;
    case Kind::String:
      return v.as_string().empty();
    case Kind::Bytes:
      return v.as_bytes().data.empty();
    case Kind::List:
    case Kind::Map:
      return count_of(v) == 0;
    default:
      return false;
  }
}

bool measure(Op op, const Value& a, Value& out, std::string& fault) {
  const bool text = a.is(Kind::String);
  const bool container = a.is(Kind::List) || a.is(Kind::Map);
  if (op == Op::Length && text) {
    out = Value(utf16_length(a.as_string()));
  } else if (op == Op::Size && container) {
    out = Value(static_cast<std::int64_t>(count_of(a)));
  } else if (op == Op::IsEmpty && (text || container)) {
    out = Value(is_empty(a));
  } else {
    return none(a, op == Op::Length ? "method length()" : op == Op::Size ? "method size()" : "method isEmpty()", fault);
  }
  return true;
}

bool contains(const Value& container, const Value& part, Value& out, std::string& fault) {
  if (container.is(Kind::List)) {
    const ValueList& list = container.as_list();
    out = Value(std::find(list.begin(), list.end(), part) != list.end());
    return true;
  }
  if (!container.is(Kind::String)) return none(container, "method contains()", fault);
  if (!part.is(Kind::String)) {
    fault = "contains() expected a string, found " + describe(part);
    return false;
  }
  out = Value(container.as_string().find(part.as_string()) != std::string::npos);
  return true;
}

}  // namespace headrace::expr::juel
