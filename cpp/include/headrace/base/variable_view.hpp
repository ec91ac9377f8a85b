#pragma once
// The variables that are visible from a scope: its own block and those of the enclosing scopes, innermost first. A view is a
// snapshot: blocks are copy-on-write, so it never changes under its reader. Copying costs two reference counts. Safe from any
// thread as a value.

#include <memory>
#include <string_view>
#include <vector>

#include "headrace/base/variables.hpp"

namespace headrace {

class VariableView {
 public:
  VariableView() = default;
  explicit VariableView(VariableBlock own) : own_(std::move(own)) {}
  VariableView(VariableBlock own, std::shared_ptr<const std::vector<VariableBlock>> outer)
      : own_(std::move(own)), outer_(std::move(outer)) {}

  const Variable* find(std::string_view name) const {
    const std::uint32_t h = hash32(name);
    if (const Variable* v = own_.find(h, name)) return v;
    if (outer_) {
      for (const VariableBlock& b : *outer_) {
        if (const Variable* v = b.find(h, name)) return v;
      }
    }
    return nullptr;
  }
  const VariableBlock& own() const { return own_; }
  // All visible variables in one block; an inner one hides outer ones of its name. Shares the own block when it stands alone.
  VariableBlock flatten() const {
    if (!outer_) return own_;
    VariableBlock all;
    for (auto it = outer_->rbegin(); it != outer_->rend(); ++it) add(all, *it);
    add(all, own_);
    return all;
  }

 private:
  static void add(VariableBlock& to, const VariableBlock& from) {
    for (std::uint32_t i = 0; i < from.size(); ++i) to.set(from.at(i));
  }
  VariableBlock own_;
  std::shared_ptr<const std::vector<VariableBlock>> outer_;
};

}  // namespace headrace
