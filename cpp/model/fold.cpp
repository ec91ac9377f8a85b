#include <algorithm>

#include "code_point.hpp"
#include "fold_table.hpp"
#include "headrace/base/utf8.hpp"
#include "rules.hpp"

namespace headrace::model {

namespace {

const Fold* find_fold(std::uint32_t c) {
  const auto at =
      std::lower_bound(kFolds.begin(), kFolds.end(), c, [](const Fold& f, std::uint32_t wanted) { return f.from < wanted; });
  return at != kFolds.end() && at->from == c ? &*at : nullptr;
}

// A Hangul syllable is its two or three letters (Unicode 3.12).
void append_hangul(std::string& out, std::uint32_t syllable) {
  append_utf8(out, 0x1100 + syllable / 588);
  append_utf8(out, 0x1161 + syllable % 588 / 28);
  if (syllable % 28 != 0) append_utf8(out, 0x11A7 + syllable % 28);
}

void append_folded(std::string& out, std::uint32_t c) {
  std::uint32_t marks[4];  // a letter of the table has at most three marks
  std::size_t count = 0;
  for (const Fold* f = find_fold(c); f != nullptr && count < 4; f = find_fold(c)) {
    c = f->to;
    if (f->mark != 0) marks[count++] = f->mark;
  }
  if (c >= 'A' && c <= 'Z') c += 'a' - 'A';
  append_utf8(out, c);
  while (count > 0) append_utf8(out, marks[--count]);
}

}  // namespace

std::string folded_id(std::string_view id) {
  std::string out;
  for (std::size_t at = 0; at < id.size();) {
    const std::size_t length = utf8_length(id, at);
    if (length == 0) {
      out.push_back(id[at++]);
      continue;
    }
    const std::uint32_t c = code_point(id, at, length);
    if (c >= 0xAC00 && c <= 0xD7A3) {
      append_hangul(out, c - 0xAC00);
    } else {
      append_folded(out, c);
    }
    at += length;
  }
  return out;
}

}  // namespace headrace::model
