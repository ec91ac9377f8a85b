#pragma once
// A vector with room for N items inside itself, for the few tokens and scopes that most instances have. Not thread-safe.

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace headrace {

template <class T, std::uint32_t N>
class SmallVector {
  static_assert(std::is_nothrow_move_constructible_v<T>);

 public:
  SmallVector() = default;
  SmallVector(const SmallVector& o) {
    reserve(o.size_);
    for (const T& item : o) push_back(item);
  }
  SmallVector(SmallVector&& o) noexcept { take(std::move(o)); }
  SmallVector& operator=(const SmallVector& o) {
    if (this != &o) {
      SmallVector copy(o);
      *this = std::move(copy);
    }
    return *this;
  }
  SmallVector& operator=(SmallVector&& o) noexcept {
    if (this != &o) {
      destroy();
      take(std::move(o));
    }
    return *this;
  }
  ~SmallVector() { destroy(); }

  std::uint32_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  T& operator[](std::uint32_t i) { return data()[i]; }
  const T& operator[](std::uint32_t i) const { return data()[i]; }
  T& back() { return data()[size_ - 1]; }
  const T& back() const { return data()[size_ - 1]; }

  void push_back(T item) {
    if (size_ == capacity_) reserve(capacity_ * 2);
    new (data() + size_) T(std::move(item));
    ++size_;
  }
  void pop_back() {
    --size_;
    std::destroy_at(data() + size_);
  }
  void erase_at(std::uint32_t i) {
    for (std::uint32_t k = i; k + 1 < size_; ++k) data()[k] = std::move(data()[k + 1]);
    pop_back();
  }
  void insert_at(std::uint32_t i, T item) {
    push_back(std::move(item));
    for (std::uint32_t k = size_ - 1; k > i; --k) std::swap(data()[k], data()[k - 1]);
  }
  void clear() {
    while (size_ > 0) pop_back();
  }
  void reserve(std::uint32_t n) {
    if (n <= capacity_) return;
    T* fresh = static_cast<T*>(::operator new(sizeof(T) * n));
    T* old = data();
    for (std::uint32_t i = 0; i < size_; ++i) {
      new (fresh + i) T(std::move(old[i]));
      std::destroy_at(old + i);
    }
    release_heap();
    heap_ = fresh;
    capacity_ = n;
  }

 private:
  T* data() { return heap_ != nullptr ? heap_ : reinterpret_cast<T*>(inline_); }
  const T* data() const { return heap_ != nullptr ? heap_ : reinterpret_cast<const T*>(inline_); }
  void release_heap() {
    if (heap_ != nullptr) ::operator delete(static_cast<void*>(heap_));
    heap_ = nullptr;
  }
  void destroy() {
    clear();
    release_heap();
    capacity_ = N;
  }
  void take(SmallVector&& o) {
    if (o.heap_ != nullptr) {
      heap_ = std::exchange(o.heap_, nullptr);
      size_ = std::exchange(o.size_, 0);
      capacity_ = std::exchange(o.capacity_, N);
      return;
    }
    for (std::uint32_t i = 0; i < o.size_; ++i) new (reinterpret_cast<T*>(inline_) + i) T(std::move(o.data()[i]));
    size_ = o.size_;
    o.clear();
  }
  T* heap_ = nullptr;
  std::uint32_t size_ = 0;
  std::uint32_t capacity_ = N;
  alignas(T) unsigned char inline_[sizeof(T) * N];
};

}  // namespace headrace
