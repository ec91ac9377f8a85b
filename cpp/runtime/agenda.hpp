#pragma once
// What is due when: timers of instances, time limits of operations, repeated deliveries. Ordered by time, then by arrival. Safe
// from any thread.

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "headrace/base/small_function.hpp"
#include "headrace/base/time.hpp"

namespace headrace::runtime {

// Names an entry: a timer of a root, or (root 0) something of the shell's own.
struct AgendaKey {
  std::uint64_t root = 0;
  std::uint64_t id = 0;
  friend bool operator==(const AgendaKey&, const AgendaKey&) = default;
};
struct AgendaKeyHash {
  std::size_t operator()(const AgendaKey& k) const { return static_cast<std::size_t>(k.root * 0x9E3779B97F4A7C15ULL ^ k.id); }
};

class Agenda {
 public:
  // Replaces an entry of the same key. `changed` (set once) is called without locks when the earliest time moves forward.
  void put(AgendaKey, Instant due);
  void remove(AgendaKey);
  // Takes what is due at `now`, earliest first.
  std::vector<AgendaKey> take_due(Instant now);
  Instant next() const;
  std::size_t size() const;
  void on_earlier(UniqueFunction<void()> changed) { earlier_ = std::move(changed); }

 private:
  using Order = std::multimap<Instant, AgendaKey>;
  mutable std::mutex mutex_;
  Order order_;
  std::unordered_map<AgendaKey, Order::iterator, AgendaKeyHash> index_;
  UniqueFunction<void()> earlier_;
};

}  // namespace headrace::runtime
