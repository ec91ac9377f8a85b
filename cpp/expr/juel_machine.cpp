#include "juel_machine.hpp"

#include "juel_convert.hpp"
#include "juel_operators.hpp"

namespace headrace::expr::juel {

Machine::Machine(const Node& program, const Variables& variables, Instant now)
    : program_(program), variables_(variables), now_(now), stack_(few_.data()) {
  if (program.max_stack <= few_.size()) return;
  many_.resize(program.max_stack);
  stack_ = many_.data();
}

bool Machine::run(Value& result) {
  while (next_ < program_.steps.size()) {
    if (!charge(1) || !step(program_.steps[next_++])) return false;
  }
  Slot& last = stack_[size_ - 1];
  if (last.at == &last.own) {
    result = std::move(last.own);
  } else {
    result = *last.at;
  }
  return true;
}

bool Machine::step(const Step& s) {
  switch (s.op) {
    case Op::Constant:
      push_constant(program_.constants[s.arg]);
      return true;
    case Op::Load:
      return push_variable(program_.constants[s.arg].as_string());
    case Op::Now:
      push(Value(now_));
      return true;
    case Op::Lookup:
    case Op::Has:
      return ask(s.op);
    case Op::Negate:
    case Op::Not:
    case Op::Empty:
    case Op::ToBoolean:
    case Op::Length:
    case Op::Size:
    case Op::IsEmpty:
      return unary(s.op);
    case Op::SkipIfFalse:
      return skip(s, false);
    case Op::SkipIfTrue:
      return skip(s, true);
    case Op::ElseAt: {
      bool yes = false;
      if (!truth(top(), yes)) return false;
      --size_;
      if (!yes) next_ = s.arg;
      return true;
    }
    case Op::GoTo:
      next_ = s.arg;
      return true;
    case Op::Append:
      return append();
    case Op::Built:
      push(Value(std::move(built_)));
      return true;
    default:
      return binary(s.op);
  }
}

void Machine::push(Value value) {
  Slot& slot = stack_[size_++];
  slot.own = std::move(value);
  slot.at = &slot.own;
}

void Machine::push_constant(const Value& value) { stack_[size_++].at = &value; }

// Makes the top `operands` slots one slot with a value of its own, to be written by the caller.
Value& Machine::replace(std::size_t operands) {
  size_ -= operands - 1;
  Slot& slot = stack_[size_ - 1];
  slot.at = &slot.own;
  return slot.own;
}

bool Machine::push_variable(const std::string& name) {
  std::optional<Value> found;
  if (!load(name, found)) return false;
  if (!found) return fail("there is no variable '" + name + "'");
  push(std::move(*found));
  return true;
}

bool Machine::unary(Op op) {
  Value out;
  bool yes = false;
  switch (op) {
    case Op::Negate:
      if (!negate(top(), out, fault_)) return false;
      break;
    case Op::Empty:
      out = Value(is_empty(top()));
      break;
    case Op::Not:
    case Op::ToBoolean:
      if (!truth(top(), yes)) return false;
      out = Value(yes == (op == Op::ToBoolean));
      break;
    default:
      if (!measure(op, top(), out, fault_)) return false;
  }
  replace(1) = std::move(out);
  return true;
}

bool Machine::binary(Op op) {
  const Value& a = top(1);
  const Value& b = top();
  Value out;
  bool done = false;
  if (op == Op::Index) {
    done = charge_for_find(a) && index(a, b, out, fault_) && charge_for_text(out);
  } else if (op == Op::Contains) {
    done = charge_for_tree(a) && contains(a, b, out, fault_);
  } else if (op >= Op::Less) {
    done = charge_for_tree(a) && compare(op, a, b, out, fault_);
  } else {
    done = arithmetic(op, a, b, out, fault_);
  }
  if (done) replace(2) = std::move(out);
  return done;
}

bool Machine::skip(const Step& s, bool on) {
  bool yes = false;
  if (!truth(top(), yes)) return false;
  if (yes != on) {
    --size_;
    return true;
  }
  replace(1) = Value(yes);
  next_ = s.arg;
  return true;
}

bool Machine::truth(const Value& v, bool& out) {
  const auto yes = to_boolean(v);
  if (!yes) return fail("expected a boolean, found " + describe(v));
  out = *yes;
  return true;
}

bool Machine::fail(std::string why) {
  fault_ = std::move(why);
  return false;
}

}  // namespace headrace::expr::juel
