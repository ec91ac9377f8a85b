// Counts what this test program asks operator new for. A file of its own: where the compiler sees both, it takes the pair for a
// mistake.
#include <cstdlib>
#include <new>

namespace {
thread_local std::size_t count = 0;
}  // namespace

// The other forms of new and delete end in these.
void* operator new(std::size_t size) {
  ++count;
  void* raw = std::malloc(size == 0 ? 1 : size);
  if (raw == nullptr) throw std::bad_alloc();
  return raw;
}
void operator delete(void* raw) noexcept { std::free(raw); }
void operator delete(void* raw, std::size_t) noexcept { std::free(raw); }

namespace headrace::expr::testing {

std::size_t allocation_count() { return count; }

}  // namespace headrace::expr::testing
