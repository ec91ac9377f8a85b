#pragma once
// A look around before a thread goes to sleep: to be woken costs some 50 us on an idle machine, which is longer than most of what
// is waited for here.

#include <chrono>
#include <mutex>
#include <thread>

namespace headrace::runtime {

inline constexpr std::chrono::microseconds kPatience{50};

inline void breathe() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Asks `ready` for a short while, giving the processor to any thread that wants it; its last answer. Asks once where there is
// one processor.
template <class Ready>
bool soon(Ready ready) {
  static const bool alone = std::thread::hardware_concurrency() < 2;
  if (ready()) return true;
  if (alone) return false;
  const auto end = std::chrono::steady_clock::now() + kPatience;
  do {
    for (int i = 0; i < 64; ++i) {
      if (ready()) return true;
      breathe();
    }
    std::this_thread::yield();
  } while (std::chrono::steady_clock::now() < end);
  return ready();
}

// A mutex for sections of a microsecond: tries for about as long before it sleeps.
class BriefMutex {
 public:
  void lock() {
    for (int i = 0; i < 100; ++i) {
      if (mutex_.try_lock()) return;
      for (int k = 0; k < 8; ++k) breathe();
    }
    mutex_.lock();
  }
  bool try_lock() { return mutex_.try_lock(); }
  void unlock() { mutex_.unlock(); }

 private:
  std::mutex mutex_;
};

}  // namespace headrace::runtime
