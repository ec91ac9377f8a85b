#include "support/allocations/count.hpp"

#include <cstdlib>
#include <new>

namespace {
thread_local std::size_t count = 0;
}  // namespace

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HEADRACE_SANITIZER_COUNTS
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HEADRACE_SANITIZER_COUNTS
#endif
#endif

#ifdef HEADRACE_SANITIZER_COUNTS
// A sanitizer's runtime has an operator new of its own and must keep it; it calls this hook instead.
extern "C" void __sanitizer_malloc_hook(const volatile void*, std::size_t) { ++count; }
extern "C" void __sanitizer_free_hook(const volatile void*) {}
#else
// The other forms of new and delete end in these.
void* operator new(std::size_t size) {
  ++count;
  void* raw = std::malloc(size == 0 ? 1 : size);
  if (raw == nullptr) throw std::bad_alloc();
  return raw;
}
void operator delete(void* raw) noexcept { std::free(raw); }
void operator delete(void* raw, std::size_t) noexcept { std::free(raw); }
#endif

namespace headrace::test {

std::size_t allocations() { return count; }

}  // namespace headrace::test
