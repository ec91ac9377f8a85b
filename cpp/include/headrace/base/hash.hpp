#pragma once
// A quick hash of short text for tables and shards: FNV-1a with a final mix, the same on every build and machine. Not for hostile
// keys in an open table without a limit, and not for security.

#include <cstdint>
#include <string_view>

namespace headrace {

constexpr std::uint32_t hash32(std::string_view text) {
  std::uint64_t h = 0xCBF29CE484222325ULL;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
  h ^= h >> 32;
  h *= 0x9E3779B97F4A7C15ULL;
  return static_cast<std::uint32_t>(h >> 32);
}

}  // namespace headrace
