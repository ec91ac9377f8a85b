#include "runtime/agenda.hpp"

namespace headrace::runtime {

void Agenda::put(AgendaKey key, Instant due) {
  bool earlier = false;
  {
    const std::lock_guard lock(mutex_);
    const auto known = index_.find(key);
    if (known != index_.end()) {
      order_.erase(known->second);
      index_.erase(known);
    }
    earlier = order_.empty() || due < order_.begin()->first;
    index_.emplace(key, order_.emplace(due, key));
  }
  if (earlier && earlier_) earlier_();
}

void Agenda::remove(AgendaKey key) {
  const std::lock_guard lock(mutex_);
  const auto known = index_.find(key);
  if (known == index_.end()) return;
  order_.erase(known->second);
  index_.erase(known);
}

std::vector<AgendaKey> Agenda::take_due(Instant now) {
  std::vector<AgendaKey> due;
  const std::lock_guard lock(mutex_);
  while (!order_.empty() && order_.begin()->first <= now) {
    due.push_back(order_.begin()->second);
    index_.erase(order_.begin()->second);
    order_.erase(order_.begin());
  }
  return due;
}

Instant Agenda::next() const {
  const std::lock_guard lock(mutex_);
  return order_.empty() ? Instant::never() : order_.begin()->first;
}

std::size_t Agenda::size() const {
  const std::lock_guard lock(mutex_);
  return order_.size();
}

}  // namespace headrace::runtime
