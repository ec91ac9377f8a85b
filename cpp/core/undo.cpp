#include "headrace/core/undo.hpp"

namespace headrace::core {

namespace {

template <class Items, class Item>
void insert_sorted(Items& items, Item item) {
  std::uint32_t at = items.size();
  while (at > 0 && items[at - 1].id > item.id) --at;
  items.insert_at(at, std::move(item));
}

struct Reverter {
  Instance& inst;

  void operator()(Undo::Header& h) const {
    inst.sequence = h.sequence;
    inst.next_token = h.next_token;
    inst.next_scope = h.next_scope;
    inst.state = h.state;
    inst.suspended = h.suspended;
    if (h.state == InstanceState::Active) inst.ended_at = kNone;
  }
  void operator()(Undo::TokenOld& e) const {
    if (Token* t = inst.token(e.token.id)) {
      *t = e.token;
      return;
    }
    ++inst.scope(e.token.scope)->live;
    insert_sorted(inst.tokens, e.token);
  }
  void operator()(Undo::TokenNew& e) const {
    for (std::uint32_t i = inst.tokens.size(); i-- > 0;) {
      if (inst.tokens[i].id != e.token) continue;
      --inst.scope(inst.tokens[i].scope)->live;
      inst.tokens.erase_at(i);
      return;
    }
  }
  void operator()(Undo::ScopeOld& e) const { insert_sorted(inst.scopes, std::move(e.scope)); }
  void operator()(Undo::ScopeNew& e) const {
    for (std::uint32_t i = inst.scopes.size(); i-- > 0;) {
      if (inst.scopes[i].id != e.scope) continue;
      inst.scopes.erase_at(i);
      return;
    }
  }
  void operator()(Undo::BlockOld& e) const { inst.scope(e.scope)->variables = std::move(e.block); }
  void operator()(Undo::VariableOld& e) const { inst.scope(e.scope)->variables.replace_at(e.index, std::move(e.variable)); }
  void operator()(Undo::VariableNew& e) const { inst.scope(e.scope)->variables.pop_back(); }
  void operator()(Undo::CountOld& e) const { inst.counts[e.index] = e.count; }
  void operator()(Undo::CountNew&) const { inst.counts.pop_back(); }
  void operator()(Undo::ColdOld& e) const { inst.cold = std::move(e.cold); }
};

}  // namespace

void Undo::roll_back(Instance& inst, std::size_t mark) {
  while (entries_.size() > mark) {
    std::visit(Reverter{inst}, entries_.back());
    entries_.pop_back();
  }
}

}  // namespace headrace::core
