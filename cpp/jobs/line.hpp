#pragma once
// The jobs of one topic and priority that can be fetched, in order of (ready time, arrival). Nearly all arrive in order and go to
// the end of a list; the others (handed back, retried, resumed) go to a heap beside it. The front is the smaller of both.

#include "indexed_heap.hpp"

namespace headrace::jobs {

class Line {
 public:
  bool empty() const { return head_ == kNil && heap_.empty(); }
  Instant last_ready(const Slab& slab) const {
    return tail_ == kNil ? Instant{std::numeric_limits<std::int64_t>::min()} : slab[tail_].when;
  }

  std::uint32_t front(const Slab& slab) const {
    if (heap_.empty()) return head_;
    if (head_ == kNil || heap_.top_key() < key(slab[head_])) return heap_.top();
    return head_;
  }
  void push(Slab& slab, std::uint32_t i) {
    Record& r = slab[i];
    r.in_line = true;
    r.in_heap = tail_ != kNil && key(r) < key(slab[tail_]);
    if (r.in_heap) return heap_.push(slab, i, key(r));
    r.prev = tail_;
    r.next = kNil;
    (tail_ == kNil ? head_ : slab[tail_].next) = i;
    tail_ = i;
  }
  void erase(Slab& slab, std::uint32_t i) {
    Record& r = slab[i];
    r.in_line = false;
    if (r.in_heap) {
      r.in_heap = false;
      return heap_.erase(slab, i);
    }
    (r.prev == kNil ? head_ : slab[r.prev].next) = r.next;
    (r.next == kNil ? tail_ : slab[r.next].prev) = r.prev;
    r.prev = r.next = kNil;
  }
  std::uint64_t steps() const { return heap_.steps(); }

 private:
  static HeapKey key(const Record& r) { return {r.when, r.sequence}; }
  std::uint32_t head_ = kNil;
  std::uint32_t tail_ = kNil;
  IndexedHeap<&Record::prev> heap_;
};

}  // namespace headrace::jobs
