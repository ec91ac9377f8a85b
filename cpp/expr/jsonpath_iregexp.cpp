// The grammar of I-Regexp (RFC 9485, figure 1) in one pass without recursion, writing RE2's syntax as it goes.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "jsonpath_lexer.hpp"
#include "jsonpath_regexp.hpp"

namespace headrace::expr::path {
namespace {

constexpr std::string_view kAssigned = R"(\p{L}\p{M}\p{N}\p{P}\p{S}\p{Z})";
constexpr std::string_view kAssignedOthers = R"(\p{Cc}\p{Cf}\p{Co})";

// IsCategory: the letters that may follow the first one.
constexpr std::array<std::pair<char, std::string_view>, 7> kCategories = {
    {{'L', "lmotu"}, {'M', "cen"}, {'N', "dlo"}, {'P', "cdefios"}, {'Z', "lps"}, {'S', "ckmo"}, {'C', "cfno"}}};

class Translator {
 public:
  explicit Translator(std::string_view pattern) : in_(pattern, "the regular expression") {}

  Result<std::string> run() {
    while (in_.valid() && !in_.end()) {
      if (!step()) return in_.error();
    }
    if (in_.valid() && in_.depth() > 0) in_.fail("')'");
    if (!in_.valid()) return in_.error();
    return std::move(out_);
  }

 private:
  bool step() {
    const char c = in_.peek();
    switch (c) {
      case '(': return open();
      case ')':
        if (in_.depth() == 0) return in_.fail("no ')' without '('");
        in_.leave();
        return emit(")", true);
      case '|': return emit("|", false);
      case '*':
      case '+':
      case '?': return quantifiable() && emit(std::string_view(&c, 1), false);
      case '{': return quantifiable() && range();
      case '}':
      case ']': return in_.fail("an atom (a literal '}' or ']' needs '\\')");
      case '.': return emit(R"([^\n\r])", true);
      case '[': return bracket();
      case '\\': return escape_outside();
      default: return normal();
    }
  }

  // Takes one byte and writes its translation.
  bool emit(std::string_view text, bool atom) {
    in_.advance();
    out_ += text;
    atom_ = atom;
    return true;
  }
  bool quantifiable() { return atom_ || in_.fail("an atom before a quantifier"); }
  bool open() {
    if (!in_.enter()) return false;
    return emit("(?:", false);
  }
  bool normal() {
    const char32_t c = in_.take_code_point();
    append_literal(c, c != U'^' && c != U'$');
    atom_ = true;
    return true;
  }

  void append_literal(char32_t c, bool escape) {
    if (c < 0x20 || c == 0x7F) {
      constexpr std::string_view kHex = "0123456789ABCDEF";
      out_ += "\\x";
      out_ += kHex[c >> 4U];
      out_ += kHex[c & 0xFU];
      return;
    }
    const bool word = (c >= U'0' && c <= U'9') || (c >= U'A' && c <= U'Z') || (c >= U'a' && c <= U'z') || c == U'_' || c >= 0x80;
    if (escape && !word) out_ += '\\';
    append_utf8(c, out_);
  }

  bool range() {
    in_.advance();
    out_ += '{';
    if (!digits()) return false;
    if (in_.take(',')) {
      out_ += ',';
      if (in_.peek() != '}' && !digits()) return false;
    }
    if (!in_.take('}')) return in_.fail("',' or '}'");
    out_ += '}';
    atom_ = false;
    return true;
  }
  bool digits() {
    const std::size_t from = out_.size();
    while (is_digit(in_.peek())) out_ += in_.advance();
    return out_.size() > from || in_.fail("a number of repetitions");
  }

  bool escape_outside() {
    if (in_.peek(1) == 'p' || in_.peek(1) == 'P') {
      std::string name;
      bool negated = false;
      if (!category(name, negated)) return false;
      if (name == "C") {
        out_ += negated ? "[" : "[^";
        (out_ += kAssigned) += ']';
      } else if (name == "Cn") {
        out_ += negated ? "[" : "[^";
        ((out_ += kAssigned) += kAssignedOthers) += ']';
      } else {
        append_category(name, negated);
      }
    } else {
      char32_t c = 0;
      if (!single_escape(c)) return false;
      append_literal(c, true);
    }
    atom_ = true;
    return true;
  }

  void append_category(std::string_view name, bool negated) {
    out_ += negated ? "\\P{" : "\\p{";
    (out_ += name) += '}';
  }

  // \p{…} or \P{…}
  bool category(std::string& name, bool& negated) {
    in_.advance();
    negated = in_.advance() == 'P';
    if (!in_.take('{')) return in_.fail("'{'");
    for (const auto& [first, rest] : kCategories) {
      if (in_.peek() != first) continue;
      name += in_.advance();
      if (in_.peek() != '}' && rest.find(in_.peek()) != std::string_view::npos) name += in_.advance();
      return in_.take('}') || in_.fail("'}' after a general category");
    }
    return in_.fail("a general category of Unicode such as L or Lu");
  }

  // SingleCharEsc; `c` becomes the character it stands for.
  bool single_escape(char32_t& c) {
    constexpr std::string_view kAllowed = "()*+-.?[\\]^nrt{|}";
    const char letter = in_.peek(1);
    if (letter == '\0' || kAllowed.find(letter) == std::string_view::npos) {
      in_.advance();
      return in_.fail("one of ( ) * + - . ? [ \\ ] ^ { | } n r t p{…} P{…} after '\\'");
    }
    in_.advance();
    in_.advance();
    c = letter == 'n' ? U'\n' : letter == 'r' ? U'\r' : letter == 't' ? U'\t' : static_cast<char32_t>(letter);
    return true;
  }

  // charClassExpr = "[" [ "^" ] ( "-" / CCE1 ) *CCE1 [ "-" ] "]"
  bool bracket() {
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

  bool bracket_item() {
    if (in_.peek() == '\\' && (in_.peek(1) == 'p' || in_.peek(1) == 'P')) return bracket_category();
    char32_t low = 0;
    char32_t high = 0;
    const std::size_t from = in_.at();
    if (!bracket_char(low)) return false;
    append_literal(low, true);
    if (in_.peek() != '-' || in_.peek(1) == ']') return true;
    in_.advance();
    if (!bracket_char(high)) return false;
    if (high < low) return in_.fail_at(from, "a range whose end is not before its start");
    out_ += '-';
    append_literal(high, true);
    return true;
  }

  bool bracket_category() {
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

  bool bracket_char(char32_t& c) {
    const char next = in_.peek();
    if (next == '\\') return single_escape(c);
    if (in_.end() || next == '[' || next == ']' || next == '-') return in_.fail("a character or '\\' in brackets");
    c = in_.take_code_point();
    return true;
  }

  Cursor in_;
  std::string out_;
  bool atom_ = false;  // the last thing written may take a quantifier
};

}  // namespace

Result<std::string> to_re2(std::string_view pattern) { return Translator(pattern).run(); }

}  // namespace headrace::expr::path
