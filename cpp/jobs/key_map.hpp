#pragma once
// Job key -> record, by open addressing with linear probing. A slot is a tag and an index, 8 bytes; keys stay in the records.

#include <vector>

#include "record.hpp"

namespace headrace::jobs {

class KeyMap {
 public:
  std::uint32_t find(const Slab& slab, const JobKey& key) const {
    if (slots_.empty()) return kNil;
    const std::uint32_t tag = tag_of(key);
    for (std::size_t i = tag & mask();; i = (i + 1) & mask()) {
      const Slot& s = slots_[i];
      if (s.index == kNil) return kNil;
      if (s.tag == tag && slab[s.index].job.key == key) return s.index;
    }
  }
  void expect(const JobKey& key) const {
    if (!slots_.empty()) __builtin_prefetch(&slots_[tag_of(key) & mask()], 1);
  }
  void insert(const JobKey& key, std::uint32_t index) {
    if ((size_ + 1) * 10 > slots_.size() * 7) grow();
    place({tag_of(key), index});
    ++size_;
  }
  void erase(const JobKey& key, std::uint32_t index) {
    std::size_t hole = tag_of(key) & mask();
    while (slots_[hole].index != index) hole = (hole + 1) & mask();
    // the entries behind the hole move up, as far as their own place allows
    for (std::size_t i = (hole + 1) & mask(); slots_[i].index != kNil; i = (i + 1) & mask()) {
      const std::size_t home = slots_[i].tag & mask();
      if (((i - home) & mask()) < ((i - hole) & mask())) continue;
      slots_[hole] = slots_[i];
      hole = i;
    }
    slots_[hole] = {};
    --size_;
  }
  std::size_t size() const { return size_; }
  std::size_t bytes() const { return slots_.size() * sizeof(Slot); }
  template <class F>
  void each(F f) const {
    for (const Slot& s : slots_) {
      if (s.index != kNil) f(s.index);
    }
  }

 private:
  struct Slot {
    std::uint32_t tag = 0;
    std::uint32_t index = kNil;
  };
  static std::uint32_t tag_of(const JobKey& key) {
    std::uint64_t h = JobKeyHash{}(key);
    h = (h ^ (h >> 32)) * 0xD6E8FEB86659FD93ULL;
    return static_cast<std::uint32_t>(h >> 32);
  }
  std::size_t mask() const { return slots_.size() - 1; }
  void place(Slot s) {
    std::size_t i = s.tag & mask();
    while (slots_[i].index != kNil) i = (i + 1) & mask();
    slots_[i] = s;
  }
  void grow() {
    std::vector<Slot> old(slots_.empty() ? 64 : slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& s : old) {
      if (s.index != kNil) place(s);
    }
  }
  std::vector<Slot> slots_;
  std::size_t size_ = 0;
};

}  // namespace headrace::jobs
