#pragma once
// Recursive descent over what stands between `${` and `}`; binary operators by precedence. Emits steps as it reads.

#include <string>
#include <string_view>

#include "juel_program.hpp"
#include "juel_token.hpp"

namespace headrace::expr::juel {

// Appends steps to a program and keeps account of the stack they need.
class Emitter {
 public:
  explicit Emitter(Node& program) : program_(program) {}
  void emit(Op op, int stack_change, std::uint32_t arg = 0);
  void constant(Value value);
  void named(Op op, int stack_change, std::string name);
  // The place of a jump whose target is not known yet, and the fixing of it to the next step.
  std::size_t jump(Op op, int stack_change);
  void land(std::size_t jump);
  void drop() { --depth_; }  // the other branch of a ternary pushes the same result
  // Takes back the last step, a Load that no jump passes.
  void take_back_load();
  Node& program() { return program_; }

 private:
  std::uint32_t add(Value value);
  Node& program_;
  int depth_ = 0;
};

class Parser {
 public:
  // `at` is the byte behind "${".
  Parser(std::string_view text, std::size_t at, Emitter& emitter) : lexer_(text, at), emit_(emitter), text_(text) { advance(); }
  // Reads up to and with the closing brace.
  bool run();
  std::size_t end() const { return end_; }
  // What was expected, what was found and where, when run() says no.
  std::string& problem() { return problem_; }

 private:
  bool ternary();
  bool binary(int lowest);
  bool unary();
  bool postfix();
  bool primary();
  bool function(const Token& name);
  bool member();
  bool method(const Token& name, bool on_execution);
  bool argument();
  bool number(bool negative);

  void advance() { token_ = lexer_.next(); }
  bool take(Tok kind);
  bool expect(Tok kind, std::string_view what);
  bool enter();
  void leave() { --nesting_; }
  bool fail(std::string_view expected);
  bool refuse(const Token& at, std::string_view expected, const std::string& found);

  Lexer lexer_;
  Emitter& emit_;
  std::string_view text_;
  Token token_;
  std::size_t end_ = 0;
  int nesting_ = 0;
  bool on_execution_ = false;  // the last step loads the bare name `execution`
  std::string problem_;
};

}  // namespace headrace::expr::juel
