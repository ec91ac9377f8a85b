#include <algorithm>

#include "juel_parser.hpp"

namespace headrace::expr::juel {

void Emitter::emit(Op op, int stack_change, std::uint32_t arg) {
  program_.steps.push_back({op, arg});
  depth_ += stack_change;
  program_.max_stack = std::max(program_.max_stack, static_cast<std::uint32_t>(depth_));
  if (op == Op::Load || op == Op::Now || op == Op::Lookup || op == Op::Has) program_.constant = false;
}

std::uint32_t Emitter::add(Value value) {
  program_.constants.push_back(std::move(value));
  return static_cast<std::uint32_t>(program_.constants.size() - 1);
}

void Emitter::constant(Value value) { emit(Op::Constant, 1, add(std::move(value))); }

void Emitter::named(Op op, int stack_change, std::string name) { emit(op, stack_change, add(Value(std::move(name)))); }

std::size_t Emitter::jump(Op op, int stack_change) {
  emit(op, stack_change);
  return program_.steps.size() - 1;
}

void Emitter::land(std::size_t jump) { program_.steps[jump].arg = static_cast<std::uint32_t>(program_.steps.size()); }

void Emitter::take_back_load() {
  program_.steps.pop_back();
  program_.constants.pop_back();
  --depth_;
}

}  // namespace headrace::expr::juel
