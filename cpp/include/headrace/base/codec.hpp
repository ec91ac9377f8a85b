#pragma once
// The codec of stored values (version 1). One value is a tag byte and its content; lengths are 32-bit little endian, integers,
// doubles and instants 64-bit little endian, so each value can be skipped without being read and equal trees written by one
// writer give equal bytes.
//
//   0 null | 1 false | 2 true | 3 int64 | 4 double (bits) | 5 string len bytes | 6 bytes len bytes | 7 datetime int64 us
//   8 list  size count value*          | 9 map size count (keylen key value)*       (size: bytes after the size field)
//
// A payload (start variables, a job's input, a report's output) is one encoded map, split at its top level by MapCursor
// without touching what is inside (design 1.9). All functions are pure and safe from any thread.

#include <cstdint>
#include <string>
#include <string_view>

#include "headrace/base/result.hpp"
#include "headrace/base/slice.hpp"
#include "headrace/base/value.hpp"

namespace headrace::codec {

enum class Tag : std::uint8_t { Null, False, True, Int, Double, String, Bytes, DateTime, List, Map };

// Limits on what enters from outside (reference/invariants.md 4.3).
inline constexpr std::size_t kMaxPayload = 4U << 20U;  // bytes of one encoded payload
inline constexpr int kMaxDepth = 128;

// Appends the encoding of a value to `out`.
void encode(const Value&, std::string& out);
Slice encode(const Value&);
// The tree of one encoded value. The bytes must be well-formed (ours, or checked by validate).
Value decode(std::string_view one);
// Checks foreign bytes: well-formed, UTF-8 text, unique keys, depth and size within the limits. Error: Validation.
Status validate(std::string_view one);

// Bytes of the encoded value at the start of `in` (which must be well-formed).
std::size_t encoded_size(std::string_view in);
inline Tag tag_of(std::string_view one) { return static_cast<Tag>(one.front()); }

// A writer for code that has its data elsewhere (Python objects, JSON text): begin_map … key … value … end.
class Writer {
 public:
  void null() { out_.push_back(static_cast<char>(Tag::Null)); }
  void boolean(bool b) { out_.push_back(static_cast<char>(b ? Tag::True : Tag::False)); }
  void integer(std::int64_t i) { fixed(Tag::Int, static_cast<std::uint64_t>(i)); }
  void real(double d);
  void string(std::string_view s) { counted(Tag::String, s); }
  void bytes(std::string_view s) { counted(Tag::Bytes, s); }
  void datetime(Instant t) { fixed(Tag::DateTime, static_cast<std::uint64_t>(t.us)); }
  void raw(std::string_view encoded) { out_.append(encoded); }  // one value that is encoded already
  void key(std::string_view k);                                 // inside a map, before each value
  // Returns a mark to give back to end() with the number of items.
  std::size_t begin_list() { return begin(Tag::List); }
  std::size_t begin_map() { return begin(Tag::Map); }
  void end(std::size_t mark, std::uint32_t count);
  std::string& out() { return out_; }
  void clear() { out_.clear(); }
  Slice take() const { return Slice::copy_of(out_); }

 private:
  void fixed(Tag tag, std::uint64_t bits);
  void counted(Tag tag, std::string_view s);
  std::size_t begin(Tag tag);
  std::string out_;
};

// Walks the entries of an encoded map (or of an empty view: no entries), each key and value as views into it.
class MapCursor {
 public:
  explicit MapCursor(std::string_view map);
  std::uint32_t left() const { return left_; }
  bool next(std::string_view& key, std::string_view& value);

 private:
  std::string_view rest_;
  std::uint32_t left_ = 0;
};

// The encoded value of a key of an encoded map; empty view when absent.
std::string_view find(std::string_view map, std::string_view key);
// An encoded map with no entries.
Slice empty_map();

}  // namespace headrace::codec
