// Values to text. A double always keeps a point or an exponent, so that it comes back as a double and not as an integer.
#include <charconv>
#include <cmath>

#include "headrace/base/json.hpp"
#include "headrace/base/utf8.hpp"

namespace headrace::json {
namespace {

void append_escaped(std::string& out, char c) {
  constexpr std::string_view kHex = "0123456789abcdef";
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\b':
      out += "\\b";
      return;
    case '\f':
      out += "\\f";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      break;
  }
  const auto byte = static_cast<unsigned char>(c);
  if (byte >= 0x20U) {
    out += c;
    return;
  }
  out += "\\u00";
  out += kHex[byte >> 4];
  out += kHex[byte & 15U];
}

void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  std::size_t i = 0;
  while (i < text.size()) {
    const std::size_t length = utf8_length(text, i);
    if (length == 1) {
      append_escaped(out, text[i]);
    } else if (length == 0) {
      out += "\xEF\xBF\xBD";  // text that is no UTF-8 must not make the record unreadable
    } else {
      out.append(text, i, length);
    }
    i += length == 0 ? 1 : length;
  }
  out += '"';
}

void append_double(std::string& out, double d) {
  if (!std::isfinite(d)) {
    out += "null";
    return;
  }
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, d).ptr;
  const std::string_view text(digits, static_cast<std::size_t>(end - digits));
  out += text;
  if (text.find_first_of(".e") == std::string_view::npos) out += ".0";
}

void append_base64(std::string& out, std::string_view data) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  out += '"';
  for (std::size_t i = 0; i < data.size(); i += 3) {
    const std::size_t left = data.size() - i;
    const auto byte = [&](std::size_t n) {
      return n < left ? static_cast<unsigned>(static_cast<unsigned char>(data[i + n])) : 0U;
    };
    const unsigned group = byte(0) << 16 | byte(1) << 8 | byte(2);
    out += kDigits[group >> 18];
    out += kDigits[group >> 12 & 63U];
    out += left > 1 ? kDigits[group >> 6 & 63U] : '=';
    out += left > 2 ? kDigits[group & 63U] : '=';
  }
  out += '"';
}

class Dumper {
 public:
  explicit Dumper(int indent) : indent_(indent) {}

  void value(const Value& v) {
    switch (v.kind()) {
      case Kind::Null:
        out += "null";
        return;
      case Kind::Bool:
        out += v.as_bool() ? "true" : "false";
        return;
      case Kind::Int:
        out += std::to_string(v.as_int());
        return;
      case Kind::Double:
        append_double(out, v.as_double());
        return;
      case Kind::String:
        append_quoted(out, v.as_string());
        return;
      case Kind::Bytes:
        append_base64(out, v.as_bytes().data);
        return;
      case Kind::DateTime:
        append_quoted(out, to_text(v.as_datetime()));
        return;
      case Kind::List:
        list(v.as_list());
        return;
      case Kind::Map:
        map(v.as_map());
        return;
    }
  }

  std::string out;

 private:
  void list(const ValueList& items) {
    out += '[';
    ++level_;
    for (std::size_t i = 0; i < items.size(); ++i) {
      separate(i);
      value(items[i]);
    }
    finish(items.empty(), ']');
  }
  void map(const ValueMap& entries) {
    out += '{';
    ++level_;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      separate(i);
      append_quoted(out, entries[i].first);
      out += indent_ > 0 ? ": " : ":";
      value(entries[i].second);
    }
    finish(entries.empty(), '}');
  }
  void separate(std::size_t i) {
    if (i > 0) out += ',';
    line();
  }
  void finish(bool empty, char bracket) {
    --level_;
    if (!empty) line();
    out += bracket;
  }
  void line() {
    if (indent_ <= 0) return;
    out += '\n';
    out.append(static_cast<std::size_t>(level_ * indent_), ' ');
  }

  int indent_;
  int level_ = 0;
};

}  // namespace

std::string dump(const Value& value, int indent) {
  Dumper dumper(indent);
  dumper.value(value);
  return std::move(dumper.out);
}

std::string quote(std::string_view text) {
  std::string out;
  append_quoted(out, text);
  return out;
}

}  // namespace headrace::json
