#pragma once
// Arguments of vectorcall methods by position or name, without a tuple or dict (the hot calls; pybind11's dispatch costs some 0.3
// us).

#include <cstddef>

#include "py.hpp"

namespace headrace::bindings {

struct Signature {
  const char* function;
  const char* const* names;
  std::size_t count;
  std::size_t required;    // the first so many must be there
  std::size_t positional;  // the first so many may be given by position
};

// Fills out[count] with borrowed references, null where absent; false with a TypeError.
bool read_args(const Signature&, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames, PyObject** out);

using FastMethod = PyObject* (*)(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames);
inline PyCFunction as_method(FastMethod f) { return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(f)); }
inline constexpr int kFast = METH_FASTCALL | METH_KEYWORDS;

inline bool given(PyObject* o) { return o != nullptr && o != Py_None; }
// False with a TypeError or ValidationError.
bool int_of(PyObject*, const char* what, long long least, long long most, long long& out);
bool bool_of(PyObject*, const char* what, bool& out);

}  // namespace headrace::bindings
