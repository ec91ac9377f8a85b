#include "py.hpp"

#include "errors.hpp"

namespace headrace::bindings {

bool text_of(PyObject* o, const char* what, std::string_view& out) {
  if (!PyUnicode_Check(o)) {
    PyErr_Format(PyExc_TypeError, "expected %s to be a str, but found %s", what, Py_TYPE(o)->tp_name);
    return false;
  }
  Py_ssize_t size = 0;
  const char* data = PyUnicode_AsUTF8AndSize(o, &size);
  if (data == nullptr) {
    PyErr_Clear();
    raise_validation("expected " + std::string(what) + " to be text, but it has a lone surrogate");
    return false;
  }
  out = {data, static_cast<std::size_t>(size)};
  return true;
}

}  // namespace headrace::bindings
