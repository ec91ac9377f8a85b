#pragma once
// Roots of a shard by id: open addressing with linear probing and backward-shift deletion, one array, no node per entry (a
// million parked instances). The ids stand in the array: probing touches no instance.

#include <cstdint>
#include <utility>
#include <vector>

#include "runtime/cell.hpp"

namespace headrace::runtime {

class RootMap {
 public:
  std::size_t size() const { return size_; }
  CellPtr find(std::uint64_t root) const {
    if (slots_.empty()) return nullptr;
    for (std::size_t i = home(root); slots_[i].cell; i = next(i)) {
      if (slots_[i].root == root) return slots_[i].cell;
    }
    return nullptr;
  }
  void put(CellPtr cell) {
    if ((size_ + 1) * 4 > slots_.size() * 3) grow();
    place({cell->root, std::move(cell)});
  }
  void erase(std::uint64_t root) {
    if (slots_.empty()) return;
    std::size_t i = home(root);
    while (slots_[i].cell && slots_[i].root != root) i = next(i);
    if (!slots_[i].cell) return;
    const CellPtr gone = std::move(slots_[i].cell);  // destroyed when the table is in order again
    --size_;
    for (std::size_t k = next(i); slots_[k].cell; k = next(k)) {
      const std::size_t h = home(slots_[k].root);
      // moves back unless its home lies cyclically in (i, k]
      const bool stays = i <= k ? (i < h && h <= k) : (i < h || h <= k);
      if (stays) continue;
      slots_[i] = std::move(slots_[k]);
      i = k;
    }
  }
  template <class F>
  void each(F f) const {
    for (const Slot& s : slots_) {
      if (s.cell) f(s.cell);
    }
  }

 private:
  struct Slot {
    std::uint64_t root = 0;
    CellPtr cell;
  };
  std::size_t home(std::uint64_t root) const { return static_cast<std::size_t>((root * 0x9E3779B97F4A7C15ULL) >> shift_); }
  std::size_t next(std::size_t i) const { return (i + 1) & (slots_.size() - 1); }
  void place(Slot slot) {
    std::size_t i = home(slot.root);
    while (slots_[i].cell) {
      if (slots_[i].root == slot.root) return;
      i = next(i);
    }
    slots_[i] = std::move(slot);
    ++size_;
  }
  void grow() {
    std::vector<Slot> old;
    old.swap(slots_);
    slots_.resize(old.empty() ? 16 : old.size() * 2);
    shift_ = old.empty() ? 60 : shift_ - 1;
    size_ = 0;
    for (Slot& s : old) {
      if (s.cell) place(std::move(s));
    }
  }
  std::vector<Slot> slots_;
  std::size_t size_ = 0;
  int shift_ = 64;
};

}  // namespace headrace::runtime
