#pragma once
// The exception tree of design section 2, made in C++ so that tracebacks show the Python classes, and the way from an Error to
// one of them.

#include <string_view>
#include <vector>

#include "headrace/base/result.hpp"
#include "headrace/model/builder.hpp"
#include "py.hpp"

namespace headrace::bindings {

// Adds the classes to the module. False with a Python error.
bool add_errors(PyObject* module);
// The class of a code, borrowed.
PyObject* error_class(ErrorCode);
// Sets the Python error; nullptr, so that `return raise(...)` fits functions that return objects.
std::nullptr_t raise(const Error&);
std::nullptr_t raise_validation(const std::string& message);
// An exception object that is not raised (answers per item).
Ref exception_of(const Error&);
// ModelError with `.faults`, a tuple of (element, line, rule, message, hint).
std::nullptr_t raise_model_error(std::string_view process, const std::vector<model::Fault>&);

}  // namespace headrace::bindings
