#pragma once
// Variables of a scope as a small copy-on-write array of encoded entries. A block is shared by reference (a job's input, a
// published snapshot) and cloned only when a shared one is written. An entry is one Slice `keylen key value` (the form it has
// inside an encoded map), so start variables cost one allocation for all.

#include <cstdint>
#include <string_view>
#include <utility>

#include "headrace/base/codec.hpp"
#include "headrace/base/hash.hpp"
#include "headrace/base/slice.hpp"

namespace headrace {

class Variable {
 public:
  Variable() = default;
  // `entry` is keylen, key, value as in an encoded map.
  Variable(Slice entry, std::uint32_t written_by) : hash_(0), written_by_(written_by), entry_(std::move(entry)) {
    hash_ = hash32(name());
  }
  static Variable of(std::string_view name, std::string_view encoded_value, std::uint32_t written_by);

  std::uint32_t hash() const { return hash_; }
  // The index of the node that wrote it last, or kNobody (start, API).
  std::uint32_t written_by() const { return written_by_; }
  std::string_view name() const;
  std::string_view encoded() const;  // the value's bytes
  const Slice& entry() const { return entry_; }
  static constexpr std::uint32_t kNobody = 0xFFFFFFFFU;

 private:
  std::uint32_t hash_ = 0;
  std::uint32_t written_by_ = kNobody;
  Slice entry_;
};

class VariableBlock {
 public:
  VariableBlock() = default;
  VariableBlock(const VariableBlock& other) noexcept;
  VariableBlock(VariableBlock&& other) noexcept : rep_(std::exchange(other.rep_, nullptr)) {}
  VariableBlock& operator=(VariableBlock other) noexcept {
    std::swap(rep_, other.rep_);
    return *this;
  }
  ~VariableBlock() {  // here: blocks travel inside commands and outcomes, and most that die have been moved from
    if (rep_ != nullptr) drop();
  }

  std::uint32_t size() const;
  const Variable& at(std::uint32_t i) const;
  const Variable* find(std::string_view name) const;
  const Variable* find(std::uint32_t hash, std::string_view name) const;
  // Makes room for n entries in one allocation.
  void reserve(std::uint32_t n);
  // Adds or replaces by name. Clones first when the block is shared. Returns the index and whether it was there; the old entry
  // goes to *old when given.
  struct Put {
    std::uint32_t index;
    bool replaced;
  };
  Put set(Variable v, Variable* old = nullptr);
  void replace_at(std::uint32_t i, Variable v);
  void pop_back();  // takes back the last added entry
  bool shared() const;
  bool same_as(const VariableBlock& o) const { return rep_ == o.rep_; }
  // The entries as one encoded map, in order.
  Slice to_payload() const;
  // Splits an encoded map (well-formed) without copying values.
  static VariableBlock from_payload(const Slice& map, std::uint32_t written_by = Variable::kNobody);

 private:
  struct Rep;
  void drop() noexcept;
  void unshare(std::uint32_t capacity);
  Rep* rep_ = nullptr;
};

}  // namespace headrace
