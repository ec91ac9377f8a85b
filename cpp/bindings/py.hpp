#pragma once
// The few helpers that raw CPython code needs: an owning reference, and the GIL given up for a while. Private to the bindings.

#define PY_SSIZE_T_CLEAN
#include <Python.h>
// after Python.h, which it does not include
#include <structmember.h>

#include <string>
#include <string_view>
#include <utility>

namespace headrace::bindings {

// Owns one reference; null is allowed. Needs the GIL wherever it counts.
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
  ~Ref() { Py_XDECREF(object_); }
  PyObject* get() const { return object_; }
  PyObject* release() { return std::exchange(object_, nullptr); }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  explicit Ref(PyObject* o) : object_(o) {}
  PyObject* object_ = nullptr;
};

// Gives the GIL up for the block: before any engine call, which may lock or wait (design 1.8).
class GilReleased {
 public:
  GilReleased() : state_(PyEval_SaveThread()) {}
  ~GilReleased() { PyEval_RestoreThread(state_); }
  GilReleased(const GilReleased&) = delete;
  GilReleased& operator=(const GilReleased&) = delete;

 private:
  PyThreadState* state_;
};

// A thread of ours keeps its Python thread state from its first callback to its end: a new one for each callback costs two system
// calls and the page tables of every processor. No effect on Python's own threads.
void keep_thread_state();

// Takes the GIL on a thread that may or may not have it: callbacks from the engine's pool.
class GilTaken {
 public:
  GilTaken() : state_(ensure()) {}
  ~GilTaken() { PyGILState_Release(state_); }
  GilTaken(const GilTaken&) = delete;
  GilTaken& operator=(const GilTaken&) = delete;

 private:
  static PyGILState_STATE ensure() {
    keep_thread_state();
    return PyGILState_Ensure();
  }
  PyGILState_STATE state_;
};

inline Ref text(std::string_view s) {
  return Ref::steal(PyUnicode_DecodeUTF8(s.data(), static_cast<Py_ssize_t>(s.size()), "replace"));
}

// The UTF-8 text of a str; false with a ValidationError or TypeError that names `what` (a lone surrogate is no text).
bool text_of(PyObject* o, const char* what, std::string_view& out);

}  // namespace headrace::bindings
