#pragma once

#include <cstdint>
#include <string_view>

namespace headrace::model {

// The code point of the valid UTF-8 sequence of `length` bytes at `at`.
inline std::uint32_t code_point(std::string_view text, std::size_t at, std::size_t length) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[at + i])); };
  if (length == 1) return byte(0);
  std::uint32_t c = byte(0) & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) c = (c << 6U) | (byte(i) & 0x3FU);
  return c;
}

}  // namespace headrace::model
