#include "headrace/base/codec.hpp"

#include <bit>

#include "codec_bytes.hpp"

namespace headrace::codec {
namespace {

void encode_list(const ValueList& list, Writer& w) {
  const std::size_t mark = w.begin_list();
  for (const Value& item : list) encode(item, w.out());
  w.end(mark, static_cast<std::uint32_t>(list.size()));
}

void encode_map(const ValueMap& map, Writer& w) {
  const std::size_t mark = w.begin_map();
  for (const auto& [key, value] : map) {
    w.key(key);
    encode(value, w.out());
  }
  w.end(mark, static_cast<std::uint32_t>(map.size()));
}

void write(const Value& value, Writer& w) {
  switch (value.kind()) {
    case Kind::Null:
      return w.null();
    case Kind::Bool:
      return w.boolean(value.as_bool());
    case Kind::Int:
      return w.integer(value.as_int());
    case Kind::Double:
      return w.real(value.as_double());
    case Kind::String:
      return w.string(value.as_string());
    case Kind::Bytes:
      return w.bytes(value.as_bytes().data);
    case Kind::DateTime:
      return w.datetime(value.as_datetime());
    case Kind::List:
      return encode_list(value.as_list(), w);
    case Kind::Map:
      return encode_map(value.as_map(), w);
  }
}

// Takes one value from the front of `in`.
Value read(std::string_view& in);

Value read_list(std::string_view& in) {
  const std::uint32_t count = take_u32(in);
  ValueList list;
  list.reserve(count);
  for (std::uint32_t i = 0; i < count; ++i) list.push_back(read(in));
  return Value(std::move(list));
}

Value read_map(std::string_view& in) {
  const std::uint32_t count = take_u32(in);
  ValueMap map;
  map.reserve(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    std::string key(take_counted(in));
    map.emplace_back(std::move(key), read(in));
  }
  return Value(std::move(map));
}

Value read(std::string_view& in) {
  const Tag tag = tag_of(in);
  in.remove_prefix(1);
  switch (tag) {
    case Tag::Null:
      return {};
    case Tag::False:
      return Value(false);
    case Tag::True:
      return Value(true);
    case Tag::Int:
      return Value(static_cast<std::int64_t>(take_u64(in)));
    case Tag::Double:
      return Value(std::bit_cast<double>(take_u64(in)));
    case Tag::String:
      return Value(take_counted(in));
    case Tag::Bytes:
      return Value(Bytes{std::string(take_counted(in))});
    case Tag::DateTime:
      return Value(Instant{static_cast<std::int64_t>(take_u64(in))});
    case Tag::List:
      take_u32(in);
      return read_list(in);
    case Tag::Map:
      take_u32(in);
      return read_map(in);
  }
  return {};
}

}  // namespace

void encode(const Value& value, std::string& out) {
  // The writer borrows the buffer for the moment, so that nested values need no copies.
  Writer w;
  w.out().swap(out);
  write(value, w);
  w.out().swap(out);
}

Slice encode(const Value& value) {
  Writer w;
  write(value, w);
  return w.take();
}

Value decode(std::string_view one) {
  if (one.empty()) return {};
  return read(one);
}

std::size_t encoded_size(std::string_view in) {
  switch (tag_of(in)) {
    case Tag::Null:
    case Tag::False:
    case Tag::True:
      return 1;
    case Tag::Int:
    case Tag::Double:
    case Tag::DateTime:
      return 9;
    case Tag::String:
    case Tag::Bytes:
    case Tag::List:
    case Tag::Map:
      return 5 + std::size_t{load_u32(in.data() + 1)};
  }
  return in.size();
}

MapCursor::MapCursor(std::string_view map) {
  if (map.empty() || tag_of(map) != Tag::Map) return;
  rest_ = map.substr(5);
  left_ = take_u32(rest_);
}

bool MapCursor::next(std::string_view& key, std::string_view& value) {
  if (left_ == 0) return false;
  --left_;
  key = take_counted(rest_);
  value = rest_.substr(0, encoded_size(rest_));
  rest_.remove_prefix(value.size());
  return true;
}

std::string_view find(std::string_view map, std::string_view key) {
  MapCursor cursor(map);
  std::string_view name;
  std::string_view value;
  while (cursor.next(name, value)) {
    if (name == key) return value;
  }
  return {};
}

Slice empty_map() {
  static const Slice kEmpty = encode(Value(ValueMap{}));
  return kEmpty;
}

}  // namespace headrace::codec
