#pragma once
// The grammar of I-Regexp (RFC 9485, figure 1) in one pass without recursion, writing RE2's syntax as it goes.

#include <string>
#include <string_view>

#include "headrace/base/result.hpp"
#include "jsonpath_lexer.hpp"

namespace headrace::expr::path {

class RegexpTranslator {
 public:
  explicit RegexpTranslator(std::string_view pattern) : in_(pattern, "the regular expression") {}
  Result<std::string> run();

 private:
  // Outside brackets (jsonpath_iregexp.cpp)
  bool step();
  bool emit(std::string_view text, bool atom);  // takes one byte and writes its translation
  bool quantifiable() { return atom_ || in_.fail("an atom before a quantifier"); }
  bool open();
  bool close();
  bool normal();
  bool range();
  bool digits();
  bool escape_outside();

  // Brackets: charClassExpr = "[" [ "^" ] ( "-" / CCE1 ) *CCE1 [ "-" ] "]" (jsonpath_iregexp_class.cpp)
  bool bracket();
  bool bracket_item();
  bool bracket_category();
  bool bracket_char(char32_t& c);

  // Both (jsonpath_iregexp_class.cpp)
  bool at_category() const { return in_.peek() == '\\' && (in_.peek(1) == 'p' || in_.peek(1) == 'P'); }
  bool category(std::string& name, bool& negated);  // \p{…} or \P{…}
  bool single_escape(char32_t& c);                  // SingleCharEsc, to the character it stands for
  void append_literal(char32_t c);
  void append_category(std::string_view name, bool negated);

  Cursor in_;
  std::string out_;
  bool atom_ = false;  // the last thing written may take a quantifier
};

// RE2 does not know unassigned characters (Cn), and counts them to no category; they are what is not in these.
inline constexpr std::string_view kAssigned = R"(\p{L}\p{M}\p{N}\p{P}\p{S}\p{Z})";
inline constexpr std::string_view kAssignedOthers = R"(\p{Cc}\p{Cf}\p{Co})";

}  // namespace headrace::expr::path
