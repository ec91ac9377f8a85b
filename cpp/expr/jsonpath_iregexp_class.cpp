#include <array>
#include <utility>

#include "headrace/base/utf8.hpp"
#include "jsonpath_iregexp.hpp"

namespace headrace::expr::path {
namespace {

// IsCategory: the first letter, and those that may follow it.
constexpr std::array<std::pair<char, std::string_view>, 7> kCategories = {
    {{'L', "lmotu"}, {'M', "cen"}, {'N', "dlo"}, {'P', "cdefios"}, {'Z', "lps"}, {'S', "ckmo"}, {'C', "cfno"}}};

}  // namespace

bool RegexpTranslator::bracket() {
  in_.advance();
  out_ += in_.take('^') ? "[^" : "[";
  if (in_.take('-')) {
    out_ += "\\-";
  } else if (!bracket_item()) {
    return false;
  }
  while (in_.peek() != ']') {
    if (in_.peek() == '-' && in_.peek(1) == ']') {
      in_.advance();
      out_ += "\\-";
    } else if (!bracket_item()) {
      return false;
    }
  }
  return emit("]", true);
}

bool RegexpTranslator::bracket_item() {
  if (at_category()) return bracket_category();
  char32_t low = 0;
  char32_t high = 0;
  const std::size_t from = in_.at();
  if (!bracket_char(low)) return false;
  append_literal(low);
  if (in_.peek() != '-' || in_.peek(1) == ']') return true;
  in_.advance();
  if (!bracket_char(high)) return false;
  if (high < low) return in_.fail_at(from, "a range whose end is not before its start");
  out_ += '-';
  append_literal(high);
  return true;
}

bool RegexpTranslator::bracket_category() {
  const std::size_t from = in_.at();
  std::string name;
  bool negated = false;
  if (!category(name, negated)) return false;
  if (name != "C" && name != "Cn") {
    append_category(name, negated);
  } else if (negated) {
    out_ += kAssigned;
    if (name == "Cn") out_ += kAssignedOthers;
  } else {
    return in_.fail_at(from, "\\p{C} and \\p{Cn} outside brackets only");
  }
  return true;
}

bool RegexpTranslator::bracket_char(char32_t& c) {
  const char next = in_.peek();
  if (next == '\\') return single_escape(c);
  if (in_.end() || next == '[' || next == ']' || next == '-') return in_.fail("a character or '\\' in brackets");
  c = in_.take_code_point();
  return true;
}

bool RegexpTranslator::category(std::string& name, bool& negated) {
  in_.advance();
  negated = in_.advance() == 'P';
  if (!in_.take('{')) return in_.fail("'{'");
  for (const auto& [first, rest] : kCategories) {
    if (in_.peek() != first) continue;
    name += in_.advance();
    if (rest.find(in_.peek()) != std::string_view::npos) name += in_.advance();
    return in_.take('}') || in_.fail("'}' after a general category");
  }
  return in_.fail("a general category of Unicode such as L or Lu");
}

bool RegexpTranslator::single_escape(char32_t& c) {
  constexpr std::string_view kAllowed = "()*+-.?[\\]^nrt{|}";
  in_.advance();
  if (in_.end() || kAllowed.find(in_.peek()) == std::string_view::npos) {
    return in_.fail("one of ( ) * + - . ? [ \\ ] ^ { | } n r t p{…} P{…} after '\\'");
  }
  const char letter = in_.advance();
  c = letter == 'n' ? U'\n' : letter == 'r' ? U'\r' : letter == 't' ? U'\t' : static_cast<unsigned char>(letter);
  return true;
}

void RegexpTranslator::append_literal(char32_t c) {
  if (c < 0x20 || c == 0x7F) {
    constexpr std::string_view kHex = "0123456789ABCDEF";
    ((out_ += "\\x") += kHex[c >> 4U]) += kHex[c & 0xFU];
    return;
  }
  const bool word = (c >= U'0' && c <= U'9') || (c >= U'A' && c <= U'Z') || (c >= U'a' && c <= U'z') || c == U'_' || c >= 0x80;
  if (!word) out_ += '\\';
  append_utf8(out_, c);
}

void RegexpTranslator::append_category(std::string_view name, bool negated) {
  ((out_ += negated ? "\\P{" : "\\p{") += name) += '}';
}

}  // namespace headrace::expr::path
