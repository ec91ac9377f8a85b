// String literals of RFC 9535 2.3.1.1.

#include "headrace/base/utf8.hpp"
#include "jsonpath_lexer.hpp"

namespace headrace::expr::path {

bool Cursor::string_literal(std::string& out) {
  const std::size_t opened = at_;
  const char quote = advance();
  out.clear();
  while (true) {
    if (end()) return fail("the closing quote of the string that opens at byte " + std::to_string(opened));
    const char c = peek();
    if (static_cast<unsigned char>(c) < 0x20) return fail("no control character in a string (an escape such as \\n instead)");
    advance();
    if (c == quote) return true;
    if (c != '\\') {
      out += c;
    } else if (!escape(quote, out)) {
      return false;
    }
  }
}

bool Cursor::escape(char quote, std::string& out) {
  const char c = peek();
  switch (c) {
    case 'b':
      out += '\b';
      break;
    case 'f':
      out += '\f';
      break;
    case 'n':
      out += '\n';
      break;
    case 'r':
      out += '\r';
      break;
    case 't':
      out += '\t';
      break;
    case '/':
    case '\\':
      out += c;
      break;
    case 'u':
      return unicode_escape(out);
    default:
      if (end() || c != quote) return fail("an escape: b f n r t / \\ u or the string's own quote");
      out += c;
  }
  advance();
  return true;
}

bool Cursor::unicode_escape(std::string& out) {
  const std::size_t from = at_ - 1;
  char32_t c = 0;
  if (!hex4(c)) return false;
  if (c >= 0xDC00 && c <= 0xDFFF) return refuse(from, "expected a high surrogate first, found a low surrogate");
  if (c >= 0xD800 && c <= 0xDBFF) {
    char32_t low = 0;
    if (peek() != '\\' || peek(1) != 'u') return fail("the low surrogate of a pair");
    advance();
    if (!hex4(low)) return false;
    if (low < 0xDC00 || low > 0xDFFF) return refuse(from, "expected a high and a low surrogate, found something else");
    c = 0x10000 + ((c - 0xD800) << 10U) + (low - 0xDC00);
  }
  append_utf8(out, c);
  return true;
}

// From the 'u' on.
bool Cursor::hex4(char32_t& out) {
  advance();
  out = 0;
  for (int i = 0; i < 4; ++i) {
    const char c = peek();
    const char folded = static_cast<char>(c | 0x20);
    if (is_digit(c)) {
      out = out * 16 + static_cast<char32_t>(c - '0');
    } else if (folded >= 'a' && folded <= 'f') {
      out = out * 16 + static_cast<char32_t>(folded - 'a' + 10);
    } else {
      return fail("four hexadecimal digits after \\u");
    }
    advance();
  }
  return true;
}

}  // namespace headrace::expr::path
