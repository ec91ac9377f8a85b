#include "jsonpath_utf8.hpp"

#include <algorithm>

namespace headrace::expr::path {
namespace {

bool continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

}  // namespace

char32_t utf8_code_point(std::string_view one) {
  const auto first = static_cast<unsigned char>(one.front());
  if (one.size() == 1) return first;
  char32_t c = first & (0xFFU >> (one.size() + 1));
  for (const char next : one.substr(1)) c = (c << 6U) | (static_cast<unsigned char>(next) & 0x3FU);
  return c;
}

std::size_t utf8_length(std::string_view text) {
  if (text.empty()) return 0;
  const auto first = static_cast<unsigned char>(text.front());
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  const std::string_view one = text.substr(0, length);
  if (!std::all_of(one.begin() + 1, one.end(), continuation)) return 0;
  const char32_t c = utf8_code_point(one);
  const bool overlong = c < (length == 4 ? 0x10000U : length == 3 ? 0x800U : 0x80U);
  return overlong || (c >= 0xD800 && c <= 0xDFFF) || c > 0x10FFFF ? 0 : length;
}

std::size_t utf8_count(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return !continuation(c); }));
}

void append_utf8(char32_t c, std::string& out) {
  const auto tail = [&](unsigned shift) { out += static_cast<char>(0x80U | ((c >> shift) & 0x3FU)); };
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xC0U | (c >> 6U));
    tail(0);
  } else if (c < 0x10000) {
    out += static_cast<char>(0xE0U | (c >> 12U));
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xF0U | (c >> 18U));
    tail(12);
    tail(6);
    tail(0);
  }
}

}  // namespace headrace::expr::path
