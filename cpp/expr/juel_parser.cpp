#include "juel_parser.hpp"

#include <limits>
#include <vector>

namespace headrace::expr::juel {
namespace {

struct Binary {
  Tok sign;
  int precedence;
  Op op;
};
constexpr Binary kBinary[] = {{Tok::Or, 1, Op::SkipIfTrue},    {Tok::And, 2, Op::SkipIfFalse},
                              {Tok::Equal, 3, Op::Equal},      {Tok::NotEqual, 3, Op::NotEqual},
                              {Tok::Less, 4, Op::Less},        {Tok::LessEqual, 4, Op::LessEqual},
                              {Tok::Greater, 4, Op::Greater},  {Tok::GreaterEqual, 4, Op::GreaterEqual},
                              {Tok::Plus, 5, Op::Add},         {Tok::Minus, 5, Op::Subtract},
                              {Tok::Star, 6, Op::Multiply},    {Tok::Slash, 6, Op::Divide},
                              {Tok::Percent, 6, Op::Remainder}};

const Binary* binary_of(Tok sign) {
  for (const Binary& b : kBinary) {
    if (b.sign == sign) return &b;
  }
  return nullptr;
}

}  // namespace

bool Parser::run() {
  if (!ternary()) return false;
  end_ = token_.at + token_.size;
  return token_.kind == Tok::CloseBrace || fail("an operator or '}'");
}

// A chain a ? b : c ? d : e is read in a loop: its length is no nesting.
bool Parser::ternary() {
  if (!enter() || !binary(1)) return false;
  std::vector<std::size_t> ends;
  while (take(Tok::Question)) {
    const std::size_t otherwise = emit_.jump(Op::ElseAt, -1);
    if (!ternary() || !expect(Tok::Colon, "':' of a '? :'")) return false;
    ends.push_back(emit_.jump(Op::GoTo, 0));
    emit_.drop();
    emit_.land(otherwise);
    if (!binary(1)) return false;
  }
  for (const std::size_t end : ends) emit_.land(end);
  leave();
  return true;
}

bool Parser::binary(int lowest) {
  if (!unary()) return false;
  for (const Binary* b = binary_of(token_.kind); b != nullptr && b->precedence >= lowest; b = binary_of(token_.kind)) {
    advance();
    if (b->op == Op::SkipIfTrue || b->op == Op::SkipIfFalse) {
      const std::size_t skip = emit_.jump(b->op, -1);
      if (!binary(b->precedence + 1)) return false;
      emit_.emit(Op::ToBoolean, 0);
      emit_.land(skip);
    } else {
      if (!binary(b->precedence + 1)) return false;
      emit_.emit(b->op, -1);
    }
  }
  return true;
}

bool Parser::unary() {
  const Tok sign = token_.kind;
  if (sign != Tok::Minus && sign != Tok::Not && sign != Tok::Empty) return postfix();
  if (!enter()) return false;
  advance();
  // -9223372036854775808 is an integer although what stands behind the sign is none.
  if (sign == Tok::Minus && token_.kind == Tok::Int && token_.magnitude > std::numeric_limits<std::int64_t>::max()) {
    leave();
    return number(true);
  }
  if (!unary()) return false;
  emit_.emit(sign == Tok::Minus ? Op::Negate : sign == Tok::Not ? Op::Not : Op::Empty, 0);
  leave();
  return true;
}

bool Parser::postfix() {
  const bool on_execution = token_.kind == Tok::Name && token_.text == "execution";
  if (!primary()) return false;
  on_execution_ = on_execution;
  while (true) {
    if (take(Tok::Dot)) {
      if (!member()) return false;
    } else if (take(Tok::OpenBracket)) {
      if (!ternary() || !expect(Tok::CloseBracket, "']'")) return false;
      emit_.emit(Op::Index, -1);
      on_execution_ = false;  // what stood in the brackets may have set it
    } else {
      return true;
    }
  }
}

bool Parser::primary() {
  const Token token = token_;
  switch (token.kind) {
    case Tok::Int:
      return number(false);
    case Tok::Real:
      emit_.constant(Value(token.real));
      break;
    case Tok::Text:
      emit_.constant(Value(token.text));
      break;
    case Tok::True:
      emit_.constant(Value(true));
      break;
    case Tok::False:
      emit_.constant(Value(false));
      break;
    case Tok::Null:
      emit_.constant({});
      break;
    case Tok::Name:
      advance();
      if (token_.kind == Tok::OpenParen) return function(token);
      emit_.named(Op::Load, 1, token.text);
      return true;
    case Tok::OpenParen:
      advance();
      return ternary() && expect(Tok::CloseParen, "')'");
    default:
      return fail("a value");
  }
  advance();
  return true;
}

bool Parser::number(bool negative) {
  constexpr auto kLimit = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (!negative && token_.magnitude > kLimit) return refuse(token_, "a value", "an integer of more than 64 bits");
  emit_.constant(Value(static_cast<std::int64_t>(negative ? 0 - token_.magnitude : token_.magnitude)));
  advance();
  return true;
}

}  // namespace headrace::expr::juel
