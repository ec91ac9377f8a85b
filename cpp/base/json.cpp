// Text to values. nlohmann's event parser does the lexing (it keeps no stack of calls, so depth costs nothing); this file adds
// our limits before anything is built from them.
#include "headrace/base/json.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "headrace/base/codec.hpp"
#include "headrace/base/utf8.hpp"

namespace headrace::json {
namespace {

struct Frame {
  bool is_map = false;
  ValueList list;
  ValueMap map;
  std::string key;
};

std::string shown(std::string_view token) {
  constexpr std::size_t kShown = 40;
  return token.empty() ? "the end" : quote(token.substr(0, kShown)) + (token.size() > kShown ? "…" : "");
}

// The name of a key that stands twice; empty view when all are unique.
const std::string* key_twice(const ValueMap& map) {
  std::vector<const std::string*> keys;
  keys.reserve(map.size());
  for (const auto& entry : map) keys.push_back(&entry.first);
  std::sort(keys.begin(), keys.end(), [](const auto* a, const auto* b) { return *a < *b; });
  const auto at = std::adjacent_find(keys.begin(), keys.end(), [](const auto* a, const auto* b) { return *a == *b; });
  return at == keys.end() ? nullptr : *at;
}

// Counts what the lexer has consumed, so that our own refusals can name a place.
class Counting {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;
  Counting(const char* at, const char** consumed) : at_(at), consumed_(consumed) {}
  reference operator*() const { return *at_; }
  Counting& operator++() {
    *consumed_ = ++at_;
    return *this;
  }
  friend bool operator==(const Counting& a, const Counting& b) { return a.at_ == b.at_; }

 private:
  const char* at_;
  const char** consumed_;
};

class Builder : public nlohmann::json::json_sax_t {
 public:
  Builder(const char* begin, const char* const* consumed) : begin_(begin), consumed_(consumed) {}

  bool null() override { return put({}); }
  bool boolean(bool b) override { return put(Value(b)); }
  bool number_integer(std::int64_t i) override { return put(Value(i)); }
  bool number_unsigned(std::uint64_t u) override {
    if (u > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return refuse(std::to_string(u), kIntRange);
    return put(Value(static_cast<std::int64_t>(u)));
  }
  bool number_float(double d, const std::string& text) override {
    // An integer that does not fit comes as a float, too.
    if (text.find_first_of(".eE") == std::string::npos) return refuse(text, kIntRange);
    if (!std::isfinite(d)) return refuse(text, "a number in the range of doubles");
    return put(Value(d));
  }
  bool string(std::string& s) override { return put(Value(std::move(s))); }
  bool binary(nlohmann::json::binary_t& /*bytes*/) override { return refuse("binary", "JSON"); }
  bool key(std::string& k) override {
    frames_.back().key = std::move(k);
    return true;
  }
  bool start_object(std::size_t /*size*/) override { return open(true); }
  bool start_array(std::size_t /*size*/) override { return open(false); }
  bool end_object() override {
    if (const std::string* twice = key_twice(frames_.back().map)) {
      return refuse("the key " + shown(*twice) + " twice", "JSON with unique keys", true);
    }
    return close();
  }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t position, const std::string& token, const nlohmann::json::exception& ex) override {
    const std::size_t at = position == 0 ? 0 : position - 1;
    // Number 406 is out_of_range of a number.
    const std::string_view expected = ex.id == 406 ? "a number in the range of doubles" : "JSON";
    message_ = "expected " + std::string(expected) + ", found " + shown(token) + " at byte " + std::to_string(at);
    return false;
  }

  std::string& message() { return message_; }
  Value& result() { return result_; }

 private:
  static constexpr std::string_view kIntRange = "an integer of 64 bits";

  bool refuse(const std::string& found, std::string_view expected, bool as_is = false) {
    message_ = "expected " + std::string(expected) + ", found " + (as_is ? found : shown(found)) + " before byte " +
               std::to_string(*consumed_ - begin_);
    return false;
  }
  bool open(bool is_map) {
    if (frames_.size() == static_cast<std::size_t>(codec::kMaxDepth)) {
      return refuse("a deeper one", "JSON of at most 128 levels", true);
    }
    frames_.push_back({is_map, {}, {}, {}});
    return true;
  }
  bool close() {
    Frame frame = std::move(frames_.back());
    frames_.pop_back();
    return put(frame.is_map ? Value(std::move(frame.map)) : Value(std::move(frame.list)));
  }
  bool put(Value value) {
    if (frames_.empty()) {
      result_ = std::move(value);
    } else if (Frame& top = frames_.back(); top.is_map) {
      top.map.emplace_back(std::move(top.key), std::move(value));
    } else {
      top.list.push_back(std::move(value));
    }
    return true;
  }

  const char* begin_;
  const char* const* consumed_;
  std::vector<Frame> frames_;
  Value result_;
  std::string message_;
};

Error refused(std::string message) { return make_error(ErrorCode::Validation, std::move(message)); }

}  // namespace

Result<Value> parse(std::string_view text) {
  if (text.size() > codec::kMaxPayload) {
    return refused("expected JSON of at most 4 MiB, found " + std::to_string(text.size()) + " bytes");
  }
  if (text.starts_with("\xEF\xBB\xBF")) return refused("expected JSON, found a byte order mark at byte 0");
  // The lexer takes a zero byte for the end of the input; text behind it would pass unseen.
  if (const std::size_t zero = text.find('\0'); zero != std::string_view::npos) {
    return refused("expected JSON, found a zero byte at byte " + std::to_string(zero));
  }
  const char* consumed = text.data();
  Builder builder(text.data(), &consumed);
  const Counting first(text.data(), &consumed);
  const Counting last(text.data() + text.size(), &consumed);
  if (!nlohmann::json::sax_parse(first, last, &builder)) return refused(std::move(builder.message()));
  return std::move(builder.result());
}

}  // namespace headrace::json
