#include "verdicts.hpp"

#include "args.hpp"
#include "convert.hpp"
#include "face.hpp"

namespace headrace::bindings {

namespace {

bool read_text(PyObject* error, const char* attribute, std::string& out) {
  const Ref value = Ref::steal(PyObject_GetAttrString(error, attribute));
  if (!value) return false;
  std::string_view read;
  if (value.get() != Py_None && !text_of(value.get(), attribute, read)) return false;
  out = std::string(read);
  return true;
}

bool read_value(PyObject* error, const char* attribute, Value& out) {
  const Ref value = Ref::steal(PyObject_GetAttrString(error, attribute));
  return value && value_of(value.get(), attribute, out);
}

}  // namespace

bool raised(PyObject* face_class) { return face_class != nullptr && PyErr_ExceptionMatches(face_class) != 0; }

bool read_bpmn_error(PyObject* error, RaisedBpmnError& out) {
  const Ref variables = Ref::steal(PyObject_GetAttrString(error, "variables"));
  return variables && read_text(error, "code", out.code) && read_text(error, "message", out.message) &&
         block_of(variables.get(), "variables", out.variables);
}

bool read_status(PyObject* error, Value& out) { return read_value(error, "value", out); }

bool read_fault(PyObject* error, policy::Failure& out) {
  return read_value(error, "code", out.code) && read_value(error, "body", out.body) && read_text(error, "message", out.message);
}

Ref take_exception() {
  PyObject *kind = nullptr, *value = nullptr, *trace = nullptr;
  PyErr_Fetch(&kind, &value, &trace);
  PyErr_NormalizeException(&kind, &value, &trace);
  Py_XDECREF(kind);
  Py_XDECREF(trace);
  return Ref::steal(value);
}

}  // namespace headrace::bindings
