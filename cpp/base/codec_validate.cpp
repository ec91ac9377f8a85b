// The check of foreign bytes. It recurses at most kMaxDepth deep and looks at each byte once; only then may the readers of
// codec.cpp trust the lengths they find.
#include <algorithm>
#include <vector>

#include "codec_bytes.hpp"
#include "headrace/base/codec.hpp"
#include "headrace/base/utf8.hpp"

namespace headrace::codec {
namespace {

class Checker {
 public:
  explicit Checker(std::string_view all) : all_(all) {}

  Status run() {
    if (all_.size() > kMaxPayload) return fail("at most 4 MiB", std::to_string(all_.size()) + " bytes");
    std::string_view rest = all_;
    if (!value(rest, 0)) return std::move(error_);
    if (!rest.empty()) return fail("the end", std::to_string(rest.size()) + " more bytes", rest);
    return Ok{};
  }

 private:
  Error fail(std::string_view expected, const std::string& found, std::string_view at = {}) const {
    std::string message = "expected " + std::string(expected) + " in an encoded value, found " + found;
    if (at.data() != nullptr) message += " at byte " + std::to_string(at.data() - all_.data());
    return make_error(ErrorCode::Validation, std::move(message));
  }
  bool refuse(std::string_view expected, const std::string& found, std::string_view at) {
    error_ = fail(expected, found, at);
    return false;
  }

  bool skip(std::string_view& in, std::size_t size) {
    if (in.size() < size) return refuse(std::to_string(size) + " bytes", std::to_string(in.size()), in);
    in.remove_prefix(size);
    return true;
  }

  bool counted(std::string_view& in, std::string_view& bytes) {
    if (in.size() < 4) return refuse("a length", "the end", in);
    const std::size_t size = take_u32(in);
    bytes = in.substr(0, size);
    return skip(in, size);
  }

  bool text(std::string_view& in, std::string_view& bytes) {
    if (!counted(in, bytes)) return false;
    const std::size_t bad = utf8_error(bytes);
    return bad == std::string_view::npos || refuse("UTF-8 text", "another byte", bytes.substr(bad));
  }

  bool value(std::string_view& in, int depth) {
    if (in.empty()) return refuse("a value", "the end", in);
    const std::string_view start = in;
    const auto tag = static_cast<unsigned char>(in.front());
    in.remove_prefix(1);
    std::string_view bytes;
    switch (static_cast<Tag>(tag)) {
      case Tag::Null:
      case Tag::False:
      case Tag::True:
        return true;
      case Tag::Int:
      case Tag::Double:
      case Tag::DateTime:
        return skip(in, 8);
      case Tag::String:
        return text(in, bytes);
      case Tag::Bytes:
        return counted(in, bytes);
      case Tag::List:
      case Tag::Map: {
        if (depth == kMaxDepth) return refuse("at most 128 levels", "a deeper one", start);
        if (!counted(in, bytes)) return false;
        return tag == static_cast<unsigned char>(Tag::Map) ? map(bytes, depth + 1) : list(bytes, depth + 1);
      }
    }
    return refuse("a tag of 0 to 9", std::to_string(tag), start);
  }

  bool count_of(std::string_view& in, std::uint32_t& count) {
    if (in.size() < 4) return refuse("a count", "the end", in);
    count = take_u32(in);
    // Each item has at least one byte: a count that cannot be true must not make anyone reserve memory for it.
    return count <= in.size() || refuse("at most " + std::to_string(in.size()) + " items", std::to_string(count), in);
  }

  bool list(std::string_view in, int depth) {
    std::uint32_t count = 0;
    if (!count_of(in, count)) return false;
    for (; count > 0; --count) {
      if (!value(in, depth)) return false;
    }
    return in.empty() || refuse("the end of a list", std::to_string(in.size()) + " more bytes", in);
  }

  bool map(std::string_view in, int depth) {
    std::uint32_t count = 0;
    if (!count_of(in, count)) return false;
    const std::string_view start = in;
    std::vector<std::string_view> keys;
    keys.reserve(count);
    for (; count > 0; --count) {
      std::string_view key;
      if (!text(in, key) || !value(in, depth)) return false;
      keys.push_back(key);
    }
    if (!in.empty()) return refuse("the end of a map", std::to_string(in.size()) + " more bytes", in);
    std::sort(keys.begin(), keys.end());
    const auto twice = std::adjacent_find(keys.begin(), keys.end());
    return twice == keys.end() || refuse("unique keys", "'" + std::string(*twice) + "' twice", start);
  }

  std::string_view all_;
  Error error_;
};

}  // namespace

Status validate(std::string_view one) { return Checker(one).run(); }

}  // namespace headrace::codec
