// Where data goes (design 4.10): output fields, the status variable, and the in message of an operation.

#include "core/moves/moves.hpp"

namespace headrace::core::moves {

namespace {

// The nearest scope from `from` outwards that has the name; nullptr when it is not visible.
const Scope* scope_with(const Instance& inst, ScopeId from, std::string_view name) {
  for (const Scope* s = inst.scope(from); s != nullptr; s = s->parent == kNone ? nullptr : inst.scope(s->parent)) {
    if (s->variables.find(name) != nullptr) return s;
  }
  return nullptr;
}

}  // namespace

std::optional<Value> ViewVariables::find(std::string_view name) const {
  const Variable* v = view_.find(name);
  if (v == nullptr) return std::nullopt;
  return codec::decode(v->encoded());
}

void write_output(const Activation& a, const VariableBlock& fields) {
  for (std::uint32_t i = 0; i < fields.size(); ++i) {
    const Variable& field = fields.at(i);
    const Scope* target = scope_with(a.instance, a.token.scope, field.name());
    a.emit(VariableSet{target != nullptr ? target->id : ScopeId{0}, Variable(field.entry(), a.node.index)});
  }
}

Status write_status(const Activation& a, const policy::StatusTarget& status, const Slice& value) {
  const Scope* holder = scope_with(a.instance, a.token.scope, status.name);
  if (holder != nullptr && !status.overwrite) {
    const Variable* there = holder->variables.find(status.name);
    if (there->written_by() != a.node.index) {
      const std::string writer = there->written_by() == Variable::kNobody
                                     ? "the start or the API"
                                     : "'" + a.definition().node(there->written_by()).id + "'";
      return make_error(ErrorCode::Technical, "status of '" + a.node.id + "' collides: variable '" + status.name +
                                                  "' was written by " + writer + " already and WithStatus does not overwrite");
    }
  }
  a.emit(VariableSet{holder != nullptr ? holder->id : a.token.scope, Variable::of(status.name, value.view(), a.node.index)});
  return Ok{};
}

Result<VariableBlock> bind_input(const Activation& a, const model::Operation& operation) {
  VariableBlock bound;
  if (!operation.in_message) return bound;
  const VariableView view = a.instance.view(a.token.scope);
  // the whole own scope, when it is just the message: shared instead of copied
  bool whole = view.own().size() == operation.in_message->fields.size();
  std::string wrong;
  bound.reserve(static_cast<std::uint32_t>(operation.in_message->fields.size()));
  for (const policy::Field& field : operation.in_message->fields) {
    const Variable* v = view.find(field.name);
    if (v == nullptr) {
      whole = false;
      if (!field.optional) wrong += (wrong.empty() ? "" : "; ") + ("field '" + field.name + "' is absent");
      continue;
    }
    if (!policy::fits(field, v->encoded())) {
      wrong += (wrong.empty() ? "" : "; ") + ("field '" + field.name + "' is no " + std::string(policy::name_of(field.type)));
      continue;
    }
    if (field.type == policy::FieldType::Float && codec::tag_of(v->encoded()) == codec::Tag::Int) {
      whole = false;
      const Slice wide = policy::widened(field, *v);
      bound.set(Variable::of(field.name, wide.view(), v->written_by()));
      continue;
    }
    bound.set(*v);
  }
  if (!wrong.empty()) {
    return make_error(ErrorCode::Technical,
                      "input of '" + a.node.id + "' does not fit message '" + operation.in_message->name + "': " + wrong);
  }
  for (std::uint32_t i = 0; whole && i < bound.size(); ++i)
    whole = view.own().find(bound.at(i).hash(), bound.at(i).name()) != nullptr;
  if (whole) return view.own();
  return bound;
}

const policy::PolicyPtr& in_process_policy(const Activation& a) {
  static const policy::PolicyPtr kPlain = std::make_shared<const policy::Policy>();
  const policy::PolicyPtr& own = a.node.service().in_process_policy;
  return own ? own : kPlain;
}

}  // namespace headrace::core::moves
