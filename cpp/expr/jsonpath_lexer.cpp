#include "jsonpath_lexer.hpp"

#include <charconv>
#include <system_error>

#include "headrace/base/utf8.hpp"

namespace headrace::expr::path {
namespace {

std::string found_at(std::string_view text, std::size_t at) {
  if (at >= text.size()) return "the end";
  const auto byte = static_cast<unsigned char>(text[at]);
  const std::size_t length = utf8_length(text, at);
  if (byte >= 0x20 && byte != 0x7F && length > 0) return "'" + std::string(text.substr(at, length)) + "'";
  constexpr std::string_view kHex = "0123456789abcdef";
  return std::string("the byte 0x") + kHex[byte >> 4U] + kHex[byte & 0xFU];
}

bool name_first(char c) { return is_lower(c) || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80; }

}  // namespace

Cursor::Cursor(std::string_view text, std::string_view what) : text_(text), what_(what) {
  if (text.size() > kMaxText) {
    refuse(kMaxText, "expected at most " + std::to_string(kMaxText) + " bytes, found " + std::to_string(text.size()));
    return;
  }
  if (const std::size_t bad = utf8_error(text); bad != std::string_view::npos) fail_at(bad, "UTF-8");
}

bool Cursor::fail_at(std::size_t at, std::string_view expected) {
  return refuse(at, "expected " + std::string(expected) + ", found " + found_at(text_, at));
}

bool Cursor::refuse(std::size_t at, std::string_view message) {
  if (!error_) {
    error_ =
        make_error(ErrorCode::Expression, std::string(message) + " at byte " + std::to_string(at) + " of " + std::string(what_));
  }
  return false;
}

char32_t Cursor::take_code_point() {
  const std::size_t length = utf8_length(text_, at_);
  const auto lead = static_cast<unsigned char>(advance());
  if (length == 1) return lead;
  char32_t c = lead & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) c = (c << 6U) | (static_cast<unsigned char>(advance()) & 0x3FU);
  return c;
}

bool Cursor::take(char c) {
  if (end() || text_[at_] != c) return false;
  ++at_;
  return true;
}

bool Cursor::take(std::string_view token) {
  if (text_.substr(at_, token.size()) != token) return false;
  at_ += token.size();
  return true;
}

void Cursor::skip_space() {
  while (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r') ++at_;
}

bool Cursor::enter() {
  if (depth_ >= kMaxNesting) {
    return refuse(at_, "expected at most " + std::to_string(kMaxNesting) + " nested brackets and parentheses, found more");
  }
  ++depth_;
  return true;
}

bool Cursor::member_name(std::string& out) {
  if (end() || !name_first(peek())) return fail("a name, '*' or '['");
  const std::size_t from = at_;
  while (!end() && (name_first(peek()) || is_digit(peek()))) ++at_;
  out.assign(text_.substr(from, at_ - from));
  return true;
}

bool Cursor::function_name(std::string& out) {
  const std::size_t from = at_;
  if (is_lower(peek())) {
    while (is_lower(peek()) || is_digit(peek()) || peek() == '_') ++at_;
  }
  out.assign(text_.substr(from, at_ - from));
  return !out.empty();
}

bool Cursor::index_number(std::int64_t& out) {
  constexpr std::int64_t kLargest = (std::int64_t{1} << 53) - 1;
  const std::size_t from = at_;
  if (peek() == '-' && peek(1) == '0') return fail("an integer without '-0'");
  take('-');
  if (!is_digit(peek())) return fail("a digit");
  if (peek() == '0' && is_digit(peek(1))) return fail("an integer without leading zero");
  while (is_digit(peek())) ++at_;
  const auto parsed = std::from_chars(text_.data() + from, text_.data() + at_, out);
  if (parsed.ec != std::errc() || out > kLargest || out < -kLargest) {
    return refuse(from, "expected an integer from -(2^53-1) to 2^53-1, found " + std::string(text_.substr(from, at_ - from)));
  }
  return true;
}

bool Cursor::number_literal(Value& out) {
  const std::size_t from = at_;
  bool real = false;
  bool tiny = false;
  take('-');
  if (!is_digit(peek())) return fail("a digit");
  if (peek() == '0' && is_digit(peek(1))) return fail("a number without leading zero");
  while (is_digit(peek())) ++at_;
  if (take('.')) {
    real = true;
    if (!is_digit(peek())) return fail("a digit after '.'");
    while (is_digit(peek())) ++at_;
  }
  if (take('e') || take('E')) {
    real = true;
    tiny = peek() == '-';
    if (!take('-')) take('+');
    if (!is_digit(peek())) return fail("a digit of the exponent");
    while (is_digit(peek())) ++at_;
  }
  const char* first = text_.data() + from;
  const char* last = text_.data() + at_;
  std::int64_t integer = 0;
  if (!real && std::from_chars(first, last, integer).ec == std::errc()) {
    out = Value(integer);
    return true;
  }
  double number = 0;
  if (std::from_chars(first, last, number).ec != std::errc()) {
    if (!tiny) return refuse(from, "expected a number within the range of a double, found a larger one");
    number = 0;
  }
  out = Value(number);
  return true;
}

}  // namespace headrace::expr::path
