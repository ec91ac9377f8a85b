#pragma once
// A 4-ary heap of records by (time, sequence); each record knows its position, so it can be taken out of the middle.

#include <utility>
#include <vector>

#include "record.hpp"

namespace headrace::jobs {

struct HeapKey {
  Instant time;
  std::uint64_t sequence = 0;
  friend auto operator<=>(const HeapKey&, const HeapKey&) = default;
};

template <std::uint32_t Record::* Position>
class IndexedHeap {
 public:
  bool empty() const { return entries_.empty(); }
  const HeapKey& top_key() const { return entries_.front().key; }
  std::uint32_t top() const { return entries_.front().index; }
  std::uint64_t steps() const { return steps_; }

  void push(Slab& slab, std::uint32_t index, HeapKey key) {
    entries_.push_back({key, index});
    up(slab, entries_.size() - 1);
  }
  void erase(Slab& slab, std::uint32_t index) {
    const std::size_t at = slab[index].*Position;
    slab[index].*Position = kNil;
    const Entry last = entries_.back();
    entries_.pop_back();
    if (at == entries_.size()) return;
    entries_[at] = last;
    if (at > 0 && last.key < entries_[(at - 1) / 4].key) {
      up(slab, at);
    } else {
      down(slab, at);
    }
  }

 private:
  struct Entry {
    HeapKey key;
    std::uint32_t index;
  };
  void set(Slab& slab, std::size_t at, const Entry& e) {
    entries_[at] = e;
    slab[e.index].*Position = static_cast<std::uint32_t>(at);
  }
  void up(Slab& slab, std::size_t at) {
    const Entry e = entries_[at];
    while (at > 0 && e.key < entries_[(at - 1) / 4].key) {
      set(slab, at, entries_[(at - 1) / 4]);
      at = (at - 1) / 4;
      ++steps_;
    }
    set(slab, at, e);
  }
  void down(Slab& slab, std::size_t at) {
    const Entry e = entries_[at];
    for (;; ++steps_) {
      std::size_t best = at * 4 + 1;
      if (best >= entries_.size()) break;
      const std::size_t end = std::min(best + 4, entries_.size());
      for (std::size_t i = best + 1; i < end; ++i) {
        if (entries_[i].key < entries_[best].key) best = i;
      }
      if (!(entries_[best].key < e.key)) break;
      set(slab, at, entries_[best]);
      at = best;
    }
    set(slab, at, e);
  }
  std::vector<Entry> entries_;
  std::uint64_t steps_ = 0;
};

}  // namespace headrace::jobs
