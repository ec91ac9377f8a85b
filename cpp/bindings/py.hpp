#pragma once
// The few helpers that raw CPython code needs: an owning reference, and the GIL given up for a while. Private to the bindings.

#define PY_SSIZE_T_CLEAN
#include <Python.h>
// after Python.h, which it does not include
#include <structmember.h>

#include <string>
#include <string_view>
#include <utility>

#include "ending.hpp"

namespace headrace::bindings {

// Owns one reference; null is allowed. Needs the GIL wherever it counts. Lets nothing go once the interpreter has ended: a thread
// that Python ends unwinds through here without the GIL.
class Ref {
 public:
  Ref() = default;
  static Ref steal(PyObject* o) { return Ref(o); }
  static Ref borrow(PyObject* o) {
    Py_XINCREF(o);
    return Ref(o);
  }
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ref& operator=(Ref&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  Ref(const Ref&) = delete;
  Ref& operator=(const Ref&) = delete;
  ~Ref() {
    if (!interpreter_ended()) Py_XDECREF(object_);
  }
  PyObject* get() const { return object_; }
  PyObject* release() { return std::exchange(object_, nullptr); }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  explicit Ref(PyObject* o) : object_(o) {}
  PyObject* object_ = nullptr;
};

// The ways in and out of Python; a thread for which Python is gone stays in them for ever.
PyThreadState* give_gil();
void take_gil(PyThreadState*) noexcept;
PyGILState_STATE enter_python() noexcept;
void leave_python(PyGILState_STATE) noexcept;

// Gives the GIL up for the block: before any engine call, which may lock or wait (design 1.8).
class GilReleased {
 public:
  // AtTheEnd::Returns: for threads that the end of the interpreter waits for.
  enum class AtTheEnd : std::uint8_t { Waits, Returns };
  explicit GilReleased(AtTheEnd at_the_end = AtTheEnd::Waits) : state_(give_gil()), at_the_end_(at_the_end) {}
  ~GilReleased() {
    if (at_the_end_ == AtTheEnd::Waits && life.load(std::memory_order_relaxed) != Life::Running) wait_for_the_end();
    take_gil(state_);
  }
  GilReleased(const GilReleased&) = delete;
  GilReleased& operator=(const GilReleased&) = delete;

 private:
  PyThreadState* state_;
  AtTheEnd at_the_end_;
};

// A thread of ours keeps its Python thread state from its first callback to its end: a new one for each callback costs two system
// calls and the page tables of every processor. No effect on Python's own threads.
void keep_thread_state();

// Takes the GIL on a thread that may or may not have it: callbacks from the engine's pool.
class GilTaken {
 public:
  GilTaken() : state_(enter_python()) {}
  ~GilTaken() { leave_python(state_); }
  GilTaken(const GilTaken&) = delete;
  GilTaken& operator=(const GilTaken&) = delete;

 private:
  PyGILState_STATE state_;
};

inline Ref text(std::string_view s) {
  return Ref::steal(PyUnicode_DecodeUTF8(s.data(), static_cast<Py_ssize_t>(s.size()), "replace"));
}

// The UTF-8 text of a str; false with a ValidationError or TypeError that names `what` (a lone surrogate is no text).
bool text_of(PyObject* o, const char* what, std::string_view& out);

}  // namespace headrace::bindings
