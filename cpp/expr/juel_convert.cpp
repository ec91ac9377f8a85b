#include "juel_convert.hpp"

#include <charconv>
#include <system_error>

#include "headrace/base/json.hpp"

namespace headrace::expr::juel {
namespace {

bool is_word(const std::string& text, std::string_view lower) {
  if (text.size() != lower.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if ((c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c) != lower[i]) return false;
  }
  return true;
}

template <class T>
bool read_whole(std::string_view text, T& out) {
  const auto read = std::from_chars(text.data(), text.data() + text.size(), out);
  return read.ec == std::errc{} && read.ptr == text.data() + text.size();
}

std::optional<Number> read_number(std::string_view text) {
  // from_chars knows words such as inf, and no plus sign.
  if (text.empty() || text.find_first_not_of("0123456789+-.eE") != std::string_view::npos) return std::nullopt;
  if (text.front() == '+') text.remove_prefix(1);
  if (text.starts_with('+') || (text.starts_with('-') && text.size() > 1 && text[1] == '+')) return std::nullopt;
  Number n;
  n.real = text.find_first_of(".eE") != std::string_view::npos;
  if (n.real) return read_whole(text, n.d) ? std::optional(n) : std::nullopt;
  if (!read_whole(text, n.i)) return std::nullopt;
  n.d = static_cast<double>(n.i);
  return n;
}

}  // namespace

std::optional<Number> to_number(const Value& v) {
  switch (v.kind()) {
    case Kind::Null:
      return Number{};
    case Kind::Int:
      return Number{false, v.as_int(), static_cast<double>(v.as_int())};
    case Kind::Double:
      return Number{true, 0, v.as_double()};
    case Kind::String:
      return read_number(v.as_string());
    default:
      return std::nullopt;
  }
}

std::optional<bool> to_boolean(const Value& v) {
  if (v.is_null()) return false;
  if (v.is(Kind::Bool)) return v.as_bool();
  if (!v.is(Kind::String)) return std::nullopt;
  if (is_word(v.as_string(), "true")) return true;
  if (is_word(v.as_string(), "false")) return false;
  return std::nullopt;
}

std::optional<Instant> to_instant(const Value& v) {
  if (v.is(Kind::DateTime)) return v.as_datetime();
  if (!v.is(Kind::String)) return std::nullopt;
  const auto read = parse_instant(v.as_string());
  return read.ok() ? std::optional(*read) : std::nullopt;
}

std::optional<std::string> to_built_text(const Value& v) {
  switch (v.kind()) {
    case Kind::Null:
      return "";
    case Kind::String:
      return v.as_string();
    case Kind::DateTime:
      return to_text(v.as_datetime());
    case Kind::Bytes:
      return std::nullopt;
    default:
      return json::dump(v);
  }
}

std::string describe(const Value& v) { return std::string(name_of(v.kind())); }

}  // namespace headrace::expr::juel
