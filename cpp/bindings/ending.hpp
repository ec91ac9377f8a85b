#pragma once
// The end of the interpreter. Python ends with daemon threads alive: one that asks for the GIL too late is ended inside that
// call, by an unwinding that no destructor of C++ may see. Such a thread sleeps for ever instead, until the process is gone.

#include <atomic>
#include <cstdint>

namespace headrace::bindings {

// Running until the atexit function; Ending while it closes the engines; Ended from then on: nothing of Python is let go any
// more.
enum class Life : std::uint8_t { Running, Ending, Ended };
inline std::atomic<Life> life{Life::Running};

// Called by the atexit function, on the thread that ends the interpreter.
void interpreter_is_ending();
void interpreter_ends();
inline bool interpreter_ended() { return life.load(std::memory_order_acquire) == Life::Ended; }

// Whether this thread may not touch Python any more: the interpreter is being taken down, and by another thread.
bool python_is_gone();
// Sleeps until the process ends.
[[noreturn]] void sleep_for_ever();
// While the atexit functions run, threads that come back from a bound call wait here for the end, so that engines which are
// closed under them cause no tracebacks. Not for ever: once the engines are closed, an atexit function may wait for such a
// thread. A thread that is inside a callback does not wait: the engine waits for it.
void wait_for_the_end();
// A thread of the engine's pool: close() waits for it, so it never waits for the end.
void this_thread_is_ours();

}  // namespace headrace::bindings
