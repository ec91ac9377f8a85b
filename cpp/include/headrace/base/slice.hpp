#pragma once
// Reference-counted immutable bytes and a part of them: 16 bytes, copied without touching the content. A whole payload is one
// allocation; each variable in it is a Slice of that. Copies may be handed between threads; one Slice object may not be
// written by two threads at once.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <string_view>
#include <utility>

namespace headrace {

class Slice {
 public:
  Slice() = default;
  // Copies `bytes`.
  static Slice copy_of(std::string_view bytes) {
    Slice s = uninitialised(bytes.size());
    if (!bytes.empty()) std::memcpy(s.writable(), bytes.data(), bytes.size());
    return s;
  }
  // A fresh buffer of `size` bytes that nobody else sees yet; fill it by writable() before sharing it.
  static Slice uninitialised(std::size_t size) {
    Slice s;
    if (size == 0) return s;
    void* raw = ::operator new(sizeof(Buffer) + size);
    s.buffer_ = new (raw) Buffer;
    s.size_ = static_cast<std::uint32_t>(size);
    return s;
  }

  Slice(const Slice& other) noexcept : buffer_(other.buffer_), offset_(other.offset_), size_(other.size_) { retain(); }
  Slice(Slice&& other) noexcept
      : buffer_(std::exchange(other.buffer_, nullptr)),
        offset_(std::exchange(other.offset_, 0)),
        size_(std::exchange(other.size_, 0)) {}
  Slice& operator=(Slice other) noexcept {
    std::swap(buffer_, other.buffer_);
    std::swap(offset_, other.offset_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~Slice() { release(); }

  // [offset, offset + size) of this slice; the caller guarantees the range.
  Slice part(std::size_t offset, std::size_t size) const {
    Slice s(*this);
    s.offset_ += static_cast<std::uint32_t>(offset);
    s.size_ = static_cast<std::uint32_t>(size);
    return s;
  }

  const char* data() const { return buffer_ == nullptr ? nullptr : buffer_->bytes() + offset_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::string_view view() const { return {data(), size_}; }
  char* writable() { return buffer_ == nullptr ? nullptr : buffer_->bytes() + offset_; }
  friend bool operator==(const Slice& a, const Slice& b) { return a.view() == b.view(); }

 private:
  struct Buffer {
    std::atomic<std::uint32_t> refs{1};
    char* bytes() { return reinterpret_cast<char*>(this + 1); }
  };
  void retain() const noexcept {
    if (buffer_ != nullptr) buffer_->refs.fetch_add(1, std::memory_order_relaxed);
  }
  void release() noexcept {
    if (buffer_ != nullptr && buffer_->refs.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      buffer_->~Buffer();
      ::operator delete(static_cast<void*>(buffer_));
    }
  }
  Buffer* buffer_ = nullptr;
  std::uint32_t offset_ = 0;
  std::uint32_t size_ = 0;
};

}  // namespace headrace
