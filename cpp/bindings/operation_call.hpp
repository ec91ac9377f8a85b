#pragma once
// _core.OperationCall: the context of one call of an in-process operation.

#include "headrace/model/operation.hpp"
#include "py.hpp"

namespace headrace::bindings {

bool add_operation_call_type(PyObject* module);
PyObject* new_operation_call(const model::OperationCall&);

}  // namespace headrace::bindings
