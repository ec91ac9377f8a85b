#pragma once
// One run of a program.

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "juel_program.hpp"

namespace headrace::expr::juel {

// A value on the stack: its own, or a constant of the program that need not be copied.
struct Slot {
  Value own;
  const Value* at = nullptr;
};

class Machine {
 public:
  Machine(const Node& program, const Variables& variables, Instant now);
  // Nothing when the run has failed; then fault() says why.
  bool run(Value& result);
  std::string& fault() { return fault_; }

 private:
  bool step(const Step&);
  bool load(const std::string& name, std::optional<Value>& out);
  bool push_variable(const std::string& name);
  bool ask(Op);
  bool unary(Op);
  bool binary(Op);
  bool skip(const Step&, bool on);
  bool truth(const Value&, bool& out);
  bool append();
  bool charge(std::size_t steps);
  bool charge_for_text(const Value&);
  bool charge_for_find(const Value& container);
  bool charge_for_tree(const Value&);
  bool fail(std::string why);
  void push(Value value);
  void push_constant(const Value& value);
  Value& replace(std::size_t operands);

  const Value& top(std::size_t below = 0) const { return *stack_[size_ - 1 - below].at; }

  const Node& program_;
  const Variables& variables_;
  Instant now_;
  // Most expressions need a few slots only; those that need more pay with one allocation. Slots point at each other's values, so
  // the room is never moved.
  std::array<Slot, 6> few_;
  std::vector<Slot> many_;
  Slot* stack_;
  std::size_t size_ = 0;
  std::size_t next_ = 0;
  std::size_t taken_ = 0;                              // steps
  std::vector<std::pair<std::string, Value>> loaded_;  // lists and maps: the caller may have to decode them for each find
  std::string built_;
  std::string fault_;
};

}  // namespace headrace::expr::juel
