#pragma once
// A place in a text, with the tokens of RFC 9535 that need more than one look, the count of open brackets and the first error.
// Functions that return bool return false after a failure, which error() then tells.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "headrace/base/result.hpp"
#include "headrace/base/value.hpp"

namespace headrace::expr::path {

inline constexpr std::size_t kMaxText = 64U << 10U;  // bytes
inline constexpr int kMaxNesting = 64;               // brackets and parentheses

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_lower(char c) { return c >= 'a' && c <= 'z'; }

class Cursor {
 public:
  // Checks length and UTF-8: on a failure valid() is false. `what` names the text in messages.
  Cursor(std::string_view text, std::string_view what);

  bool valid() const { return !error_.has_value(); }
  Error error() const { return *error_; }
  // "expected <expected>, found <what stands there> at byte <at> of <what>". The first failure stays.
  bool fail(std::string_view expected) { return fail_at(at_, expected); }
  bool fail_at(std::size_t at, std::string_view expected);
  // A failure with a message of its own.
  bool refuse(std::size_t at, std::string_view message);

  std::size_t at() const { return at_; }
  void seek(std::size_t at) { at_ = at; }
  bool end() const { return at_ >= text_.size(); }
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  char advance() { return text_[at_++]; }
  char32_t take_code_point();
  bool take(char c);
  bool take(std::string_view token);
  void skip_space();

  int depth() const { return depth_; }
  bool enter();  // false and an error when that is too deep
  void leave() { --depth_; }

  bool member_name(std::string& out);     // member-name-shorthand
  bool function_name(std::string& out);   // empty when there is none
  bool string_literal(std::string& out);  // from the quote on
  bool index_number(std::int64_t& out);   // int, within +-(2^53-1)
  bool number_literal(Value& out);        // int, or int / "-0" with fraction or exponent

 private:
  bool escape(char quote, std::string& out);
  bool unicode_escape(std::string& out);
  bool hex4(char32_t& out);

  std::string_view text_;
  std::string_view what_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::optional<Error> error_;
};

}  // namespace headrace::expr::path
