// What a run may touch: variables and text, and how much of the budget of steps that takes. A step on a large value counts as
// many, so that 10,000 steps are some milliseconds whatever the variables hold.
#include "juel_convert.hpp"
#include "juel_machine.hpp"

namespace headrace::expr::juel {
namespace {

constexpr std::size_t kTextPerStep = 4096;  // bytes copied or compared
constexpr std::size_t kNodesPerStep = 64;   // values or keys visited

// Values in a tree, counted up to `limit`.
std::size_t weigh(const Value& v, std::size_t limit) {
  std::size_t sum = 1;
  if (v.is(Kind::String)) sum += v.as_string().size() / kNodesPerStep;
  if (v.is(Kind::List)) {
    for (const Value& item : v.as_list()) {
      if (sum >= limit) break;
      sum += weigh(item, limit - sum);
    }
  } else if (v.is(Kind::Map)) {
    for (const auto& entry : v.as_map()) {
      if (sum >= limit) break;
      sum += weigh(entry.second, limit - sum);
    }
  }
  return sum;
}

}  // namespace

bool Machine::charge(std::size_t steps) {
  taken_ += steps;
  if (taken_ <= kMaxSteps) return true;
  return fail("the limit of " + std::to_string(kMaxSteps) + " steps is used up");
}

bool Machine::charge_for_text(const Value& v) {
  if (v.is(Kind::String)) return charge(v.as_string().size() / kTextPerStep);
  return !v.is(Kind::Bytes) || charge(v.as_bytes().data.size() / kTextPerStep);
}

bool Machine::charge_for_find(const Value& container) {
  return !container.is(Kind::Map) || charge(container.as_map().size() / kNodesPerStep);
}

bool Machine::charge_for_tree(const Value& v) {
  if (!v.is(Kind::List) && !v.is(Kind::Map)) return true;
  return charge(weigh(v, kMaxSteps * kNodesPerStep) / kNodesPerStep);
}

// False when the budget is used up; `out` stays empty when there is no such variable.
bool Machine::load(const std::string& name, std::optional<Value>& out) {
  for (const auto& [known, value] : loaded_) {
    if (known == name) {
      out = value;
      return true;
    }
  }
  out = variables_.find(name);
  if (!out) return true;
  if (out->is(Kind::List) || out->is(Kind::Map)) loaded_.emplace_back(name, *out);
  return charge_for_text(*out);
}

bool Machine::ask(Op op) {
  if (!top().is(Kind::String)) return fail("the name of a variable is a string, found " + describe(top()));
  std::optional<Value> found;
  if (!load(top().as_string(), found)) return false;
  replace(1) = op == Op::Has ? Value(found.has_value()) : found ? std::move(*found) : Value();
  return true;
}

bool Machine::append() {
  const auto text = to_built_text(top());
  if (!text) return fail("a value of kind " + std::string(name_of(top().kind())) + " has no text");
  if (text->size() > kMaxBuilt - built_.size()) return fail("the limit of 1 MiB of built text is passed");
  built_ += *text;
  --size_;
  return true;
}

}  // namespace headrace::expr::juel
