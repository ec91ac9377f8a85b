#include "headrace/core/instance.hpp"

#include <algorithm>

namespace headrace::core {

std::string_view name_of(InstanceState s) {
  constexpr std::string_view kNames[] = {"active", "completed", "failed", "cancelled"};
  return kNames[static_cast<std::size_t>(s)];
}

std::string_view name_of(ActivityState s) {
  constexpr std::string_view kNames[] = {"",       "Ready",       "Active",     "Completing", "Completed",    "Failing",
                                         "Failed", "Terminating", "Terminated", "Withdrawn",  "Compensating", "Compensated"};
  return kNames[static_cast<std::size_t>(s)];
}

std::string_view name_of(IncidentKind k) {
  constexpr std::string_view kNames[] = {"failedStep", "failedExternalTask", "failedOperation", "failedJob"};
  return kNames[static_cast<std::size_t>(k)];
}

namespace {
template <class Items, class IdType>
auto find_by_id(Items& items, IdType id) -> decltype(items.begin()) {
  // ids ascend, and most instances have one or two items
  auto it = items.size() < 8
                ? std::find_if(
                      items.begin(), items.end(), [id](const auto& x) { return x.id >= id; })
                : std::lower_bound(items.begin(), items.end(), id, [](const auto& x, IdType wanted) { return x.id < wanted; });
  return it != items.end() && it->id == id ? it : nullptr;
}
}  // namespace

const Token* Instance::token(TokenId id) const { return find_by_id(tokens, id); }
Token* Instance::token(TokenId id) { return find_by_id(tokens, id); }
const Scope* Instance::scope(ScopeId id) const { return find_by_id(scopes, id); }
Scope* Instance::scope(ScopeId id) { return find_by_id(scopes, id); }

const Incident* Instance::incident(std::uint32_t number) const {
  if (!cold) return nullptr;
  for (const IncidentPtr& i : cold->incidents) {
    if (i->number == number) return i.get();
  }
  return nullptr;
}

const Timer* Instance::timer(std::uint32_t id) const {
  if (!cold) return nullptr;
  for (const Timer& t : cold->timers) {
    if (t.id == id) return &t;
  }
  return nullptr;
}

VariableView Instance::view(ScopeId id) const {
  const Scope* own = scope(id);
  if (own->parent == kNone) return VariableView(own->variables);
  auto outer = std::make_shared<std::vector<VariableBlock>>();
  for (const Scope* s = scope(own->parent);; s = scope(s->parent)) {
    outer->push_back(s->variables);
    if (s->parent == kNone) break;
  }
  return VariableView(own->variables, std::move(outer));
}

}  // namespace headrace::core
