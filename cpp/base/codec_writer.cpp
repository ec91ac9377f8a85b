#include <bit>

#include "codec_bytes.hpp"
#include "headrace/base/codec.hpp"

namespace headrace::codec {

void Writer::real(double d) { fixed(Tag::Double, std::bit_cast<std::uint64_t>(d)); }

void Writer::key(std::string_view k) {
  append_u32(out_, static_cast<std::uint32_t>(k.size()));
  out_.append(k);
}

void Writer::fixed(Tag tag, std::uint64_t bits) {
  out_.push_back(static_cast<char>(tag));
  append_u64(out_, bits);
}

void Writer::counted(Tag tag, std::string_view s) {
  out_.push_back(static_cast<char>(tag));
  append_u32(out_, static_cast<std::uint32_t>(s.size()));
  out_.append(s);
}

std::size_t Writer::begin(Tag tag) {
  out_.push_back(static_cast<char>(tag));
  const std::size_t mark = out_.size();
  out_.append(8, '\0');
  return mark;
}

void Writer::end(std::size_t mark, std::uint32_t count) {
  store_u32(out_.data() + mark, static_cast<std::uint32_t>(out_.size() - mark - 4));
  store_u32(out_.data() + mark + 4, count);
}

}  // namespace headrace::codec
