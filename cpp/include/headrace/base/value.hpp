#pragma once
// A variable's value as a tree: what JSON holds, plus bytes and datetime, integers exact to 64 bits. Copying is cheap (lists and
// maps are shared and immutable). Maps keep insertion order; keys are unique.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "headrace/base/time.hpp"

namespace headrace {

class Value;
using ValueList = std::vector<Value>;
using ValueMap = std::vector<std::pair<std::string, Value>>;

struct Bytes {
  std::string data;
  friend bool operator==(const Bytes&, const Bytes&) = default;
};

enum class Kind : std::uint8_t { Null, Bool, Int, Double, String, Bytes, DateTime, List, Map };
// "null", "boolean", "integer", "double", "string", "bytes", "datetime", "list", "map": the words of error messages.
std::string_view name_of(Kind);

class Value {
 public:
  Value() = default;
  Value(std::nullptr_t) {}                                                              // NOLINT(google-explicit-constructor)
  Value(bool b) : data_(b) {}                                                           // NOLINT(google-explicit-constructor)
  Value(std::int64_t i) : data_(i) {}                                                   // NOLINT(google-explicit-constructor)
  Value(int i) : data_(static_cast<std::int64_t>(i)) {}                                 // NOLINT(google-explicit-constructor)
  Value(double d) : data_(d) {}                                                         // NOLINT(google-explicit-constructor)
  Value(std::string s) : data_(std::move(s)) {}                                         // NOLINT(google-explicit-constructor)
  Value(std::string_view s) : data_(std::string(s)) {}                                  // NOLINT(google-explicit-constructor)
  Value(const char* s) : data_(std::string(s)) {}                                       // NOLINT(google-explicit-constructor)
  Value(Bytes b) : data_(std::move(b)) {}                                               // NOLINT(google-explicit-constructor)
  Value(Instant t) : data_(t) {}                                                        // NOLINT(google-explicit-constructor)
  Value(ValueList list) : data_(std::make_shared<const ValueList>(std::move(list))) {}  // NOLINT(google-explicit-constructor)
  Value(ValueMap map) : data_(std::make_shared<const ValueMap>(std::move(map))) {}      // NOLINT(google-explicit-constructor)

  Kind kind() const { return static_cast<Kind>(data_.index()); }
  bool is(Kind k) const { return kind() == k; }
  bool is_null() const { return is(Kind::Null); }
  bool is_number() const { return is(Kind::Int) || is(Kind::Double); }
  // The accessors want the right kind (asserted).
  bool as_bool() const { return *std::get_if<bool>(&data_); }
  std::int64_t as_int() const { return *std::get_if<std::int64_t>(&data_); }
  double as_double() const { return *std::get_if<double>(&data_); }
  const std::string& as_string() const { return *std::get_if<std::string>(&data_); }
  const Bytes& as_bytes() const { return *std::get_if<Bytes>(&data_); }
  Instant as_datetime() const { return *std::get_if<Instant>(&data_); }
  const ValueList& as_list() const { return **std::get_if<ListPtr>(&data_); }
  const ValueMap& as_map() const { return **std::get_if<MapPtr>(&data_); }
  // The member of a map, or nullptr when absent or when this is no map.
  const Value* find(std::string_view key) const;

  // Same kind and content; doubles by bits except that 0.0 == -0.0 is false and NaN == NaN is true; maps in any order.
  friend bool operator==(const Value&, const Value&);

 private:
  using ListPtr = std::shared_ptr<const ValueList>;
  using MapPtr = std::shared_ptr<const ValueMap>;
  std::variant<std::monostate, bool, std::int64_t, double, std::string, Bytes, Instant, ListPtr, MapPtr> data_;
};

}  // namespace headrace
