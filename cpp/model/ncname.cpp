#include <array>
#include <cstdint>

#include "code_point.hpp"
#include "headrace/base/utf8.hpp"
#include "rules.hpp"

namespace headrace::model {

namespace {

struct Range {
  std::uint32_t first, last;
};

// NameStartChar of XML 1.0 (fifth edition) without the colon.
constexpr std::array<Range, 15> kStart = {{{'A', 'Z'},
                                           {'_', '_'},
                                           {'a', 'z'},
                                           {0xC0, 0xD6},
                                           {0xD8, 0xF6},
                                           {0xF8, 0x2FF},
                                           {0x370, 0x37D},
                                           {0x37F, 0x1FFF},
                                           {0x200C, 0x200D},
                                           {0x2070, 0x218F},
                                           {0x2C00, 0x2FEF},
                                           {0x3001, 0xD7FF},
                                           {0xF900, 0xFDCF},
                                           {0xFDF0, 0xFFFD},
                                           {0x10000, 0xEFFFF}}};
// What NameChar adds.
constexpr std::array<Range, 5> kMore = {{{'-', '.'}, {'0', '9'}, {0xB7, 0xB7}, {0x300, 0x36F}, {0x203F, 0x2040}}};

template <std::size_t N>
bool within(const std::array<Range, N>& ranges, std::uint32_t c) {
  for (const Range& r : ranges) {
    if (c >= r.first && c <= r.last) return true;
  }
  return false;
}

}  // namespace

bool is_ncname(std::string_view text) {
  if (text.empty()) return false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text, at);
    if (length == 0) return false;
    const std::uint32_t c = code_point(text, at, length);
    if (!within(kStart, c) && (at == 0 || !within(kMore, c))) return false;
    at += length;
  }
  return true;
}

}  // namespace headrace::model
