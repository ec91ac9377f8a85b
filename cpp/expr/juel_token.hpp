#pragma once
// The words and signs inside `${…}`.

#include <cstdint>
#include <string>
#include <string_view>

namespace headrace::expr::juel {

enum class Tok : std::uint8_t {
  Int,
  Real,
  Text,
  Name,
  True,
  False,
  Null,
  Empty,
  Not,
  Plus,
  Minus,
  Star,
  Slash,
  Percent,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  Equal,
  NotEqual,
  And,
  Or,
  Question,
  Colon,
  Dot,
  Comma,
  OpenParen,
  CloseParen,
  OpenBracket,
  CloseBracket,
  CloseBrace,
  End,  // of the whole text
  Bad,  // `text` says what is wrong
};

struct Token {
  Tok kind = Tok::End;
  std::size_t at = 0;           // byte in the whole text
  std::size_t size = 0;         // bytes of it
  std::uint64_t magnitude = 0;  // Int: at most 2^63
  double real = 0;              // Real
  std::string text;             // Name; Text with its escapes resolved; Bad
};

class Lexer {
 public:
  // Reads `text` from byte `at` on.
  Lexer(std::string_view text, std::size_t at) : text_(text), at_(at) {}
  Token next();

 private:
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  Token number();
  Token string(char quote);
  Token name();
  Token sign();

  std::string_view text_;
  std::size_t at_;
};

}  // namespace headrace::expr::juel
