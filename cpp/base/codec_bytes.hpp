#pragma once
// Little-endian numbers and counted bytes, read without regard to alignment.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace headrace::codec {

inline std::uint32_t load_u32(const char* p) {
  const auto byte = [p](int i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(p[i])); };
  return byte(0) | byte(1) << 8 | byte(2) << 16 | byte(3) << 24;
}
inline std::uint64_t load_u64(const char* p) { return load_u32(p) | static_cast<std::uint64_t>(load_u32(p + 4)) << 32; }

inline void store_u32(char* p, std::uint32_t n) {
  for (int i = 0; i < 4; ++i) p[i] = static_cast<char>(n >> (8 * i));
}
inline void append_u32(std::string& out, std::uint32_t n) {
  char raw[4];
  store_u32(raw, n);
  out.append(raw, sizeof raw);
}
inline void append_u64(std::string& out, std::uint64_t n) {
  char raw[8];
  store_u32(raw, static_cast<std::uint32_t>(n));
  store_u32(raw + 4, static_cast<std::uint32_t>(n >> 32));
  out.append(raw, sizeof raw);
}

// These take from the front of well-formed bytes.
inline std::uint32_t take_u32(std::string_view& in) {
  const std::uint32_t n = load_u32(in.data());
  in.remove_prefix(4);
  return n;
}
inline std::uint64_t take_u64(std::string_view& in) {
  const std::uint64_t n = load_u64(in.data());
  in.remove_prefix(8);
  return n;
}
inline std::string_view take_counted(std::string_view& in) {
  const std::size_t size = take_u32(in);
  const std::string_view bytes = in.substr(0, size);
  in.remove_prefix(size);
  return bytes;
}

}  // namespace headrace::codec
