#pragma once
// The undo journal: what takes changes of evolve() back, newest first (design 1.2). A fresh instance needs none: it is dropped.

#include <cstdint>
#include <variant>
#include <vector>

#include "headrace/core/instance.hpp"

namespace headrace::core {

class Undo {
 public:
  std::size_t mark() const { return entries_.size(); }
  // Takes back everything newer than the mark.
  void roll_back(Instance&, std::size_t mark = 0);
  void clear() { entries_.clear(); }
  bool empty() const { return entries_.empty(); }

  struct Header {
    std::uint64_t sequence;
    std::uint32_t next_token, next_scope;
    InstanceState state;
    bool suspended;
  };
  struct TokenOld {
    Token token;
  };  // put it back (as it was, or because it was consumed)
  struct TokenNew {
    TokenId token;
  };
  struct ScopeOld {
    Scope scope;
  };  // closed
  struct ScopeNew {
    ScopeId scope;
  };
  struct BlockOld {
    ScopeId scope;
    VariableBlock block;
  };
  struct VariableOld {
    ScopeId scope;
    std::uint32_t index;
    Variable variable;
  };
  struct VariableNew {
    ScopeId scope;
  };
  struct CountOld {
    std::uint32_t index;
    ElementCount count;
  };
  struct CountNew {};
  struct ColdOld {
    std::unique_ptr<Cold> cold;
  };

  using Entry = std::variant<Header, TokenOld, TokenNew, ScopeOld, ScopeNew, BlockOld, VariableOld, VariableNew, CountOld,
                             CountNew, ColdOld>;
  void push(Entry e) { entries_.push_back(std::move(e)); }
  // Keeps nothing from now on: for a fresh instance, which is dropped as a whole.
  void off() { off_ = true; }
  void on() { off_ = false; }
  bool is_off() const { return off_; }

 private:
  std::vector<Entry> entries_;
  bool off_ = false;
};

}  // namespace headrace::core
