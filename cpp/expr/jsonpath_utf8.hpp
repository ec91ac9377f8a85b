#pragma once
// The little of UTF-8 that JSONPath needs.

#include <cstddef>
#include <string>
#include <string_view>

namespace headrace::expr::path {

// Bytes of the code point at the start of `text`; 0 when it is no well-formed UTF-8 (overlong, surrogate, cut off) or empty.
std::size_t utf8_length(std::string_view text);
// The code point of one well-formed sequence.
char32_t utf8_code_point(std::string_view one);
// Code points of a well-formed text.
std::size_t utf8_count(std::string_view text);
void append_utf8(char32_t c, std::string& out);

}  // namespace headrace::expr::path
