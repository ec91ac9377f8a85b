#pragma once
// What a Python callable came to: a returned dict, or one of the control-flow exceptions, read into plain values.

#include <optional>
#include <string>

#include "headrace/base/variables.hpp"
#include "headrace/policy/retry.hpp"
#include "py.hpp"

namespace headrace::bindings {

struct RaisedBpmnError {
  std::string code, message;
  VariableBlock variables;
};

// Whether the Python error that is set is an instance of a class of the face.
bool raised(PyObject* face_class);
// Reads an exception object of the face; false with a Python error (a code that is no text, a value that does not fit).
bool read_bpmn_error(PyObject* error, RaisedBpmnError& out);
bool read_status(PyObject* error, Value& out);
bool read_fault(PyObject* error, policy::Failure& out);
// Takes the exception object out of the error indicator.
Ref take_exception();

}  // namespace headrace::bindings
