#pragma once
// The Python classes that C++ makes objects of or recognises: python/headrace installs them once, at import. All are borrowed for
// the life of the process.

#include "py.hpp"

namespace headrace::bindings {

struct Face {
  PyObject* instance = nullptr;     // headrace.Instance, subclass of _core.Instance
  PyObject* job = nullptr;          // headrace.Job, subclass of _core.Job
  PyObject* dispatcher = nullptr;   // headrace.Dispatcher, subclass of _core.Dispatcher
  PyObject* unbounded = nullptr;    // headrace.UNBOUNDED
  PyObject* model_fault = nullptr;  // headrace.ModelFault(element, line, rule, message, hint)
  PyObject* job_data = nullptr;     // headrace.JobData
  PyObject* failure = nullptr;      // headrace.Failure(code, body, message)
  PyObject* bpmn_error = nullptr;   // exceptions of control flow
  PyObject* status = nullptr;
  PyObject* fault = nullptr;
  PyObject* retry = nullptr;
};

Face& face();
// _core.install(**classes): False with a Python error for a name that is not above.
bool install_face(PyObject* kwargs);

}  // namespace headrace::bindings
