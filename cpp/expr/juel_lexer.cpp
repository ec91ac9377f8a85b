#include <charconv>
#include <system_error>

#include "juel_token.hpp"

namespace headrace::expr::juel {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
// Java's identifiers, as far as ASCII goes; beyond that every character is taken for a letter.
bool starts_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || static_cast<unsigned char>(c) >= 0x80U;
}

Token token(Tok kind, std::size_t at, std::size_t size, std::string text = {}) {
  Token t;
  t.kind = kind;
  t.at = at;
  t.size = size;
  t.text = std::move(text);
  return t;
}

struct Word {
  std::string_view text;
  Tok kind;
};
constexpr Word kKeywords[] = {{"true", Tok::True},    {"false", Tok::False}, {"null", Tok::Null},      {"empty", Tok::Empty},
                              {"not", Tok::Not},      {"and", Tok::And},     {"or", Tok::Or},          {"div", Tok::Slash},
                              {"mod", Tok::Percent},  {"eq", Tok::Equal},    {"ne", Tok::NotEqual},    {"lt", Tok::Less},
                              {"le", Tok::LessEqual}, {"gt", Tok::Greater},  {"ge", Tok::GreaterEqual}};
// Longer signs stand before their beginnings.
constexpr Word kSigns[] = {{"&&", Tok::And},        {"||", Tok::Or},          {"<=", Tok::LessEqual}, {">=", Tok::GreaterEqual},
                           {"==", Tok::Equal},      {"!=", Tok::NotEqual},    {"<", Tok::Less},       {">", Tok::Greater},
                           {"!", Tok::Not},         {"+", Tok::Plus},         {"-", Tok::Minus},      {"*", Tok::Star},
                           {"/", Tok::Slash},       {"%", Tok::Percent},      {"?", Tok::Question},   {":", Tok::Colon},
                           {".", Tok::Dot},         {",", Tok::Comma},        {"(", Tok::OpenParen},  {")", Tok::CloseParen},
                           {"[", Tok::OpenBracket}, {"]", Tok::CloseBracket}, {"}", Tok::CloseBrace}};

}  // namespace

Token Lexer::next() {
  while (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r') ++at_;
  if (at_ >= text_.size()) return token(Tok::End, at_, 0);
  const char c = peek();
  if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return number();
  if (c == '\'' || c == '"') return string(c);
  if (starts_name(c)) return name();
  return sign();
}

Token Lexer::number() {
  const std::size_t start = at_;
  bool real = false;
  while (is_digit(peek())) ++at_;
  if (peek() == '.') {
    real = true;
    ++at_;
    while (is_digit(peek())) ++at_;
  }
  const std::size_t sign = peek(1) == '+' || peek(1) == '-' ? 2 : 1;
  if ((peek() == 'e' || peek() == 'E') && is_digit(peek(sign))) {
    real = true;
    at_ += sign;
    while (is_digit(peek())) ++at_;
  }
  Token t = token(real ? Tok::Real : Tok::Int, start, at_ - start);
  const char* first = text_.data() + start;
  const char* last = text_.data() + at_;
  if (real) {
    if (std::from_chars(first, last, t.real).ec == std::errc{}) return t;
    return token(Tok::Bad, start, t.size, "a number out of the range of doubles");
  }
  const auto read = std::from_chars(first, last, t.magnitude);
  if (read.ec != std::errc{} || t.magnitude > (1ULL << 63U))
    return token(Tok::Bad, start, t.size, "an integer of more than 64 bits");
  return t;
}

Token Lexer::string(char quote) {
  const std::size_t start = at_++;
  std::string text;
  for (; at_ < text_.size(); ++at_) {
    const char c = text_[at_];
    if (c == quote) {
      ++at_;
      return token(Tok::Text, start, at_ - start, std::move(text));
    }
    if (c == '\\') {
      ++at_;
      if (peek() != '\\' && peek() != '\'' && peek() != '"')
        return token(Tok::Bad, at_ - 1, 2, "an escape other than \\\\, \\' and \\\"");
    }
    text += text_[at_];
  }
  return token(Tok::Bad, start, at_ - start, "a string without its closing quote");
}

Token Lexer::name() {
  const std::size_t start = at_;
  while (starts_name(peek()) || is_digit(peek())) ++at_;
  const std::string_view word = text_.substr(start, at_ - start);
  for (const Word& keyword : kKeywords) {
    if (keyword.text == word) return token(keyword.kind, start, word.size(), std::string(word));
  }
  return token(Tok::Name, start, word.size(), std::string(word));
}

Token Lexer::sign() {
  for (const Word& s : kSigns) {
    if (text_.substr(at_).starts_with(s.text)) {
      const std::size_t start = at_;
      at_ += s.text.size();
      return token(s.kind, start, s.text.size());
    }
  }
  const bool control = static_cast<unsigned char>(peek()) < 0x20U || peek() == '\x7F';
  return token(Tok::Bad, at_, 1, control ? "a control character" : std::string("the sign '") + peek() + "'");
}

}  // namespace headrace::expr::juel
