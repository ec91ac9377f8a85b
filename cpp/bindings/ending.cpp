#include "ending.hpp"

#include <pthread.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "py.hpp"

namespace headrace::bindings {

namespace {

std::atomic<pthread_t> ending_thread{};
thread_local bool is_ours = false;
thread_local int callbacks = 0;  // that this thread is inside of: the engine may wait for them

bool someone_else_ends() {
  return life.load(std::memory_order_acquire) != Life::Running && pthread_equal(ending_thread.load(), pthread_self()) == 0;
}

bool finalizing() {
#if PY_VERSION_HEX >= 0x030D0000
  return Py_IsFinalizing() != 0;
#else
  return _Py_IsFinalizing() != 0;
#endif
}

}  // namespace

void interpreter_is_ending() {
  ending_thread.store(pthread_self());
  if (life.load() == Life::Running) life.store(Life::Ending);
}
void interpreter_ends() { life.store(Life::Ended); }

bool python_is_gone() { return someone_else_ends() && finalizing(); }

void sleep_for_ever() {
  for (;;) ::pause();
}

void wait_for_the_end() {
  constexpr auto kLook = std::chrono::milliseconds(5);
  constexpr int kLooks = 400;
  if (is_ours || callbacks > 0 || !someone_else_ends()) return;
  for (int looks = 0; looks < kLooks; looks += interpreter_ended() ? 1 : 0) {
    if (finalizing()) sleep_for_ever();
    std::this_thread::sleep_for(kLook);
  }
}

void this_thread_is_ours() { is_ours = true; }

// What Python does to a thread that comes too late is an exception that must not be swallowed: it ends here, in its handler.
PyThreadState* give_gil() {
  if (python_is_gone()) sleep_for_ever();
  return PyEval_SaveThread();
}

void take_gil(PyThreadState* state) noexcept {
  try {
    if (python_is_gone()) sleep_for_ever();
    PyEval_RestoreThread(state);
  } catch (...) {
    sleep_for_ever();
  }
}

PyGILState_STATE enter_python() noexcept {
  try {
    if (python_is_gone()) sleep_for_ever();
    keep_thread_state();
    const PyGILState_STATE state = PyGILState_Ensure();
    ++callbacks;
    return state;
  } catch (...) {
    sleep_for_ever();
  }
}

void leave_python(PyGILState_STATE state) noexcept {
  if (python_is_gone()) sleep_for_ever();
  --callbacks;
  PyGILState_Release(state);
}

}  // namespace headrace::bindings
