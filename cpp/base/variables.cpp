#include "headrace/base/variables.hpp"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cstring>
#include <memory>
#include <new>

#include "codec_bytes.hpp"

namespace headrace {

static_assert(sizeof(Variable) == 24, "a million parked instances: 24 bytes a variable");

Variable Variable::of(std::string_view name, std::string_view encoded_value, std::uint32_t written_by) {
  Slice entry = Slice::uninitialised(4 + name.size() + encoded_value.size());
  char* out = entry.writable();
  codec::store_u32(out, static_cast<std::uint32_t>(name.size()));
  if (!name.empty()) std::memcpy(out + 4, name.data(), name.size());
  if (!encoded_value.empty()) std::memcpy(out + 4 + name.size(), encoded_value.data(), encoded_value.size());
  return {std::move(entry), written_by};
}

std::string_view Variable::name() const {
  if (entry_.empty()) return {};
  return entry_.view().substr(4, codec::load_u32(entry_.data()));
}

std::string_view Variable::encoded() const {
  if (entry_.empty()) return {};
  return entry_.view().substr(4 + std::size_t{codec::load_u32(entry_.data())});
}

// The entries stand right behind the header, in the same allocation.
struct VariableBlock::Rep {
  std::atomic<std::uint32_t> refs{1};
  std::uint32_t size = 0;
  std::uint32_t capacity = 0;
  std::uint32_t unused = 0;

  static Rep* make(std::uint32_t capacity) {
    void* raw = ::operator new(sizeof(Rep) + std::size_t{capacity} * sizeof(Variable));
    Rep* rep = new (raw) Rep;
    rep->capacity = capacity;
    return rep;
  }
  static void release(Rep* rep) noexcept {
    if (rep == nullptr || rep->refs.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    std::destroy_n(rep->entries(), rep->size);
    rep->~Rep();
    ::operator delete(static_cast<void*>(rep));
  }

  Variable* entries() { return reinterpret_cast<Variable*>(this + 1); }
  Variable* end() { return entries() + size; }
  void append(Variable v) {
    assert(size < capacity);
    new (static_cast<void*>(end())) Variable(std::move(v));
    ++size;
  }
  void shrink(std::uint32_t n) {
    std::destroy(entries() + n, end());
    size = n;
  }
  std::uint32_t index_of(std::uint32_t hash, std::string_view name) {
    std::uint32_t i = 0;
    for (const Variable* v = entries(); i < size; ++i, ++v) {
      if (v->hash() == hash && v->name() == name) break;
    }
    return i;
  }
};

namespace {

// Room for one more: grows by half; an odd number of entries fills the allocator's 16-byte steps without a remainder.
std::uint32_t grown(std::uint32_t size, bool shared) { return (shared ? size + 1 : size + size / 2 + 1) | 1U; }

// Above this many entries equal keys are found by sorting, so that a payload of many keys does not cost their square.
constexpr std::uint32_t kScanned = 64;

// Of entries with equal names only the last one stays, at its own place. All entries are parts of one buffer, so their
// addresses are their order. Returns how many remain.
std::uint32_t keep_last_of_equals(Variable* first, std::uint32_t count) {
  Variable* last = first + count;
  std::sort(first, last, [](const Variable& a, const Variable& b) {
    if (a.hash() != b.hash()) return a.hash() < b.hash();
    if (const int order = a.name().compare(b.name()); order != 0) return order < 0;
    return a.entry().data() > b.entry().data();
  });
  last =
      std::unique(first, last, [](const Variable& a, const Variable& b) { return a.hash() == b.hash() && a.name() == b.name(); });
  std::sort(first, last, [](const Variable& a, const Variable& b) { return a.entry().data() < b.entry().data(); });
  return static_cast<std::uint32_t>(last - first);
}

}  // namespace

VariableBlock::VariableBlock(const VariableBlock& other) noexcept : rep_(other.rep_) {
  static_assert(sizeof(Rep) == 16, "the header of a block stays small");
  if (rep_ != nullptr) rep_->refs.fetch_add(1, std::memory_order_relaxed);
}

void VariableBlock::drop() noexcept { Rep::release(rep_); }

std::uint32_t VariableBlock::size() const { return rep_ == nullptr ? 0 : rep_->size; }

const Variable& VariableBlock::at(std::uint32_t i) const {
  assert(i < size());
  return rep_->entries()[i];
}

const Variable* VariableBlock::find(std::string_view name) const { return find(hash32(name), name); }

const Variable* VariableBlock::find(std::uint32_t hash, std::string_view name) const {
  if (rep_ == nullptr) return nullptr;
  const std::uint32_t i = rep_->index_of(hash, name);
  return i < rep_->size ? rep_->entries() + i : nullptr;
}

bool VariableBlock::shared() const { return rep_ != nullptr && rep_->refs.load(std::memory_order_acquire) != 1; }

// Afterwards the block is this object's alone, with room for `capacity` entries in all.
void VariableBlock::unshare(std::uint32_t capacity) {
  const bool others = shared();
  if (rep_ != nullptr && !others && rep_->capacity >= capacity) return;
  Rep* fresh = Rep::make(std::max(capacity, size()));
  if (rep_ != nullptr && others) std::uninitialized_copy_n(rep_->entries(), rep_->size, fresh->entries());
  if (rep_ != nullptr && !others) std::uninitialized_move_n(rep_->entries(), rep_->size, fresh->entries());
  fresh->size = size();
  Rep::release(std::exchange(rep_, fresh));
}

void VariableBlock::reserve(std::uint32_t n) {
  if (n > (rep_ == nullptr ? 0 : rep_->capacity)) unshare(n);
}

VariableBlock::Put VariableBlock::set(Variable v, Variable* old) {
  const std::uint32_t count = size();
  const std::uint32_t i = rep_ == nullptr ? 0 : rep_->index_of(v.hash(), v.name());
  if (i < count) {
    unshare(count);
    Variable was = std::exchange(rep_->entries()[i], std::move(v));
    if (old != nullptr) *old = std::move(was);
    return {i, true};
  }
  if (rep_ == nullptr || shared() || count == rep_->capacity) unshare(grown(count, shared()));
  rep_->append(std::move(v));
  return {count, false};
}

void VariableBlock::replace_at(std::uint32_t i, Variable v) {
  assert(i < size());
  unshare(size());
  rep_->entries()[i] = std::move(v);
}

void VariableBlock::pop_back() {
  if (size() == 0) return;
  unshare(size());
  rep_->shrink(rep_->size - 1);
}

Slice VariableBlock::to_payload() const {
  const std::uint32_t count = size();
  if (count == 0) return codec::empty_map();
  std::size_t bytes = 4;
  for (std::uint32_t i = 0; i < count; ++i) bytes += at(i).entry().size();
  Slice map = Slice::uninitialised(5 + bytes);
  char* out = map.writable();
  *out = static_cast<char>(codec::Tag::Map);
  codec::store_u32(out + 1, static_cast<std::uint32_t>(bytes));
  codec::store_u32(out + 5, count);
  out += 9;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::string_view entry = at(i).entry().view();
    if (!entry.empty()) std::memcpy(out, entry.data(), entry.size());
    out += entry.size();
  }
  return map;
}

VariableBlock VariableBlock::from_payload(const Slice& map, std::uint32_t written_by) {
  VariableBlock block;
  codec::MapCursor cursor(map.view());
  const std::uint32_t count = cursor.left();
  if (count == 0) return block;
  block.rep_ = Rep::make(count);
  Rep& rep = *block.rep_;
  std::string_view key;
  std::string_view value;
  while (cursor.next(key, value)) {
    const char* begin = key.data() - 4;
    const auto size = static_cast<std::size_t>(value.data() + value.size() - begin);
    Variable v(map.part(static_cast<std::size_t>(begin - map.data()), size), written_by);
    if (count <= kScanned) {
      if (const std::uint32_t i = rep.index_of(v.hash(), v.name()); i < rep.size) {
        std::move(rep.entries() + i + 1, rep.end(), rep.entries() + i);
        rep.shrink(rep.size - 1);
      }
    }
    rep.append(std::move(v));
  }
  if (count > kScanned) rep.shrink(keep_last_of_equals(rep.entries(), rep.size));
  return block;
}

}  // namespace headrace
