#pragma once
// Roots of a shard by id: open addressing with linear probing and backward-shift deletion, one array, no node per entry (a
// million parked instances).

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
    for (std::size_t i = home(root);; i = next(i)) {
      if (!slots_[i]) return nullptr;
      if (slots_[i]->root == root) return slots_[i];
    }
  }
  void put(CellPtr cell) {
    if ((size_ + 1) * 4 > slots_.size() * 3) grow();
    std::size_t i = home(cell->root);
    while (slots_[i]) {
      if (slots_[i]->root == cell->root) return;
      i = next(i);
    }
    slots_[i] = std::move(cell);
    ++size_;
  }
  void erase(std::uint64_t root) {
    if (slots_.empty()) return;
    std::size_t i = home(root);
    while (slots_[i] && slots_[i]->root != root) i = next(i);
    if (!slots_[i]) return;
    const CellPtr gone = std::move(slots_[i]);  // destroyed when the table is in order again
    --size_;
    for (std::size_t k = next(i); slots_[k]; k = next(k)) {
      const std::size_t h = home(slots_[k]->root);
      // moves back unless its home lies cyclically in (i, k]
      const bool stays = i <= k ? (i < h && h <= k) : (i < h || h <= k);
      if (stays) continue;
      slots_[i] = std::move(slots_[k]);
      i = k;
    }
  }
  template <class F>
  void each(F f) const {
    for (const CellPtr& c : slots_) {
      if (c) f(c);
    }
  }

 private:
  std::size_t home(std::uint64_t root) const { return static_cast<std::size_t>((root * 0x9E3779B97F4A7C15ULL) >> shift_); }
  std::size_t next(std::size_t i) const { return (i + 1) & (slots_.size() - 1); }
  void grow() {
    std::vector<CellPtr> old;
    old.swap(slots_);
    slots_.resize(old.empty() ? 16 : old.size() * 2);
    shift_ = old.empty() ? 60 : shift_ - 1;
    size_ = 0;
    for (CellPtr& c : old) {
      if (c) put(std::move(c));
    }
  }
  std::vector<CellPtr> slots_;
  std::size_t size_ = 0;
  int shift_ = 64;
};

}  // namespace headrace::runtime
