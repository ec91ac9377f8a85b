#include "face.hpp"

namespace headrace::bindings {

namespace {

struct Slot {
  const char* name;
  PyObject* Face::* member;
};

constexpr Slot kSlots[] = {
    {"Instance", &Face::instance},
    {"Job", &Face::job},
    {"Dispatcher", &Face::dispatcher},
    {"UNBOUNDED", &Face::unbounded},
    {"ModelFault", &Face::model_fault},
    {"Failure", &Face::failure},
    {"BpmnError", &Face::bpmn_error},
    {"Status", &Face::status},
    {"Fault", &Face::fault},
    {"Retry", &Face::retry},
    {"JobData", &Face::job_data},
};

}  // namespace

Face& face() {
  static Face installed;
  return installed;
}

bool install_face(PyObject* kwargs) {
  for (const Slot& slot : kSlots) {
    PyObject* object = PyDict_GetItemString(kwargs, slot.name);
    if (object == nullptr) {
      PyErr_Format(PyExc_TypeError, "expected install() to be given '%s'", slot.name);
      return false;
    }
    Py_INCREF(object);
    Py_XSETREF(face().*slot.member, object);
  }
  return true;
}

}  // namespace headrace::bindings
