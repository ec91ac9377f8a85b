#include "headrace/base/utf8.hpp"

#include <cstring>

namespace headrace {
namespace {

unsigned at_byte(std::string_view text, std::size_t i) { return static_cast<unsigned char>(text[i]); }
bool continues(std::string_view text, std::size_t i) { return i < text.size() && (at_byte(text, i) & 0xC0U) == 0x80U; }

}  // namespace

std::size_t utf8_length(std::string_view text, std::size_t at) {
  const unsigned lead = at_byte(text, at);
  if (lead < 0x80U) return 1;
  if (lead < 0xC2U || lead > 0xF4U || !continues(text, at + 1)) return 0;
  if (lead < 0xE0U) return 2;
  const unsigned second = at_byte(text, at + 1);
  if (!continues(text, at + 2)) return 0;
  if (lead < 0xF0U) {
    const bool overlong = lead == 0xE0U && second < 0xA0U;
    const bool surrogate = lead == 0xEDU && second > 0x9FU;
    return overlong || surrogate ? 0 : 3;
  }
  if (!continues(text, at + 3)) return 0;
  const bool overlong = lead == 0xF0U && second < 0x90U;
  const bool too_high = lead == 0xF4U && second > 0x8FU;
  return overlong || too_high ? 0 : 4;
}

std::size_t utf8_error(std::string_view text) {
  std::size_t i = 0;
  while (i < text.size()) {
    // Most text is ASCII: eight bytes at a time.
    std::uint64_t word = 0;
    while (i + sizeof word <= text.size()) {
      std::memcpy(&word, text.data() + i, sizeof word);
      if ((word & 0x8080808080808080ULL) != 0) break;
      i += sizeof word;
    }
    if (i == text.size()) break;
    const std::size_t length = utf8_length(text, i);
    if (length == 0) return i;
    i += length;
  }
  return std::string_view::npos;
}

void append_utf8(std::string& out, std::uint32_t cp) {
  const auto put = [&out](std::uint32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (cp < 0x80U) {
    put(cp);
  } else if (cp < 0x800U) {
    put(0xC0U | (cp >> 6));
    put(0x80U | (cp & 0x3FU));
  } else if (cp < 0x10000U) {
    put(0xE0U | (cp >> 12));
    put(0x80U | ((cp >> 6) & 0x3FU));
    put(0x80U | (cp & 0x3FU));
  } else {
    put(0xF0U | (cp >> 18));
    put(0x80U | ((cp >> 12) & 0x3FU));
    put(0x80U | ((cp >> 6) & 0x3FU));
    put(0x80U | (cp & 0x3FU));
  }
}

}  // namespace headrace
