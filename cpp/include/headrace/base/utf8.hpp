#pragma once
// Strict UTF-8 (RFC 3629): overlong forms, surrogates and code points above U+10FFFF are errors. Pure.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace headrace {

// The position of the first byte that begins no valid sequence; std::string_view::npos when all is valid.
std::size_t utf8_error(std::string_view text);
inline bool is_utf8(std::string_view text) { return utf8_error(text) == std::string_view::npos; }
// Bytes of the valid sequence at `at`, 0 when there is none.
std::size_t utf8_length(std::string_view text, std::size_t at);
// Appends the sequence of a code point (not a surrogate, <= U+10FFFF: the caller guarantees it).
void append_utf8(std::string& out, std::uint32_t code_point);

}  // namespace headrace
