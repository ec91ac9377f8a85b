#include "args.hpp"

#include "errors.hpp"

namespace headrace::bindings {

namespace {

std::size_t slot_of(const Signature& s, PyObject* name) {
  for (std::size_t i = 0; i < s.count; ++i) {
    if (PyUnicode_CompareWithASCIIString(name, s.names[i]) == 0) return i;
  }
  return s.count;
}

}  // namespace

bool read_args(const Signature& s, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames, PyObject** out) {
  const auto given_by_position = static_cast<std::size_t>(nargs);
  if (given_by_position > s.positional) {
    PyErr_Format(PyExc_TypeError, "%s() takes at most %zu positional arguments, but %zu were given", s.function, s.positional,
                 given_by_position);
    return false;
  }
  for (std::size_t i = 0; i < s.count; ++i) out[i] = i < given_by_position ? args[i] : nullptr;
  const Py_ssize_t named = kwnames == nullptr ? 0 : PyTuple_GET_SIZE(kwnames);
  for (Py_ssize_t k = 0; k < named; ++k) {
    PyObject* name = PyTuple_GET_ITEM(kwnames, k);
    const std::size_t i = slot_of(s, name);
    if (i == s.count || out[i] != nullptr) {
      PyErr_Format(PyExc_TypeError,
                   i == s.count ? "%s() got an unexpected keyword argument '%U'" : "%s() got two values for argument '%U'",
                   s.function, name);
      return false;
    }
    out[i] = args[nargs + k];
  }
  for (std::size_t i = 0; i < s.required; ++i) {
    if (out[i] != nullptr) continue;
    PyErr_Format(PyExc_TypeError, "%s() misses the argument '%s'", s.function, s.names[i]);
    return false;
  }
  return true;
}

bool int_of(PyObject* o, const char* what, long long least, long long most, long long& out) {
  if (!PyLong_Check(o) || PyBool_Check(o)) {
    PyErr_Format(PyExc_TypeError, "expected %s to be an int, but found %s", what, Py_TYPE(o)->tp_name);
    return false;
  }
  int overflow = 0;
  out = PyLong_AsLongLongAndOverflow(o, &overflow);
  if (overflow == 0 && out >= least && out <= most) return true;
  raise_validation("expected " + std::string(what) + " to be " + std::to_string(least) + " to " + std::to_string(most) +
                   ", but found " + (overflow == 0 ? std::to_string(out) : "an int that does not fit 64 bits"));
  return false;
}

bool bool_of(PyObject* o, const char* what, bool& out) {
  if (!PyBool_Check(o)) {
    PyErr_Format(PyExc_TypeError, "expected %s to be a bool, but found %s", what, Py_TYPE(o)->tp_name);
    return false;
  }
  out = o == Py_True;
  return true;
}

}  // namespace headrace::bindings
