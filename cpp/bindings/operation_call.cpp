#include "operation_call.hpp"

#include <new>

namespace headrace::bindings {

namespace {

struct CallObject {
  PyObject_HEAD std::string id;
  int attempt;
  std::shared_ptr<const std::atomic<bool>> cancelled;
};

PyTypeObject* type = nullptr;

CallObject* self_of(PyObject* o) { return reinterpret_cast<CallObject*>(o); }

PyObject* refuse_new(PyTypeObject*, PyObject*, PyObject*) {
  PyErr_SetString(PyExc_TypeError, "expected a call's context to come from the engine");
  return nullptr;
}
void dealloc(PyObject* o) {
  PyTypeObject* t = Py_TYPE(o);
  std::destroy_at(&self_of(o)->cancelled);
  std::destroy_at(&self_of(o)->id);
  t->tp_free(o);
  Py_DECREF(t);
}

PyObject* get_id(PyObject* o, void*) { return text(self_of(o)->id).release(); }
PyObject* get_attempt(PyObject* o, void*) { return PyLong_FromLong(self_of(o)->attempt); }
PyObject* get_cancelled(PyObject* o, void*) {
  const auto& flag = self_of(o)->cancelled;
  return PyBool_FromLong(flag && flag->load() ? 1 : 0);
}

PyGetSetDef getset[] = {
    {"id", &get_id, nullptr, "Stable over retries: an idempotency key.", nullptr},
    {"attempt", &get_attempt, nullptr, "1 for the first execution.", nullptr},
    {"cancelled", &get_cancelled, nullptr, "True once nobody waits for the result: timeout, interrupt or cancel.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyType_Slot slots[] = {{Py_tp_new, reinterpret_cast<void*>(&refuse_new)},
                       {Py_tp_dealloc, reinterpret_cast<void*>(&dealloc)},
                       {Py_tp_getset, getset},
                       {0, nullptr}};
PyType_Spec spec{"headrace._core.OperationCall", sizeof(CallObject), 0, Py_TPFLAGS_DEFAULT, slots};

}  // namespace

bool add_operation_call_type(PyObject* module) {
  type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  return type != nullptr && PyObject_SetAttrString(module, "OperationCall", reinterpret_cast<PyObject*>(type)) == 0;
}

PyObject* new_operation_call(const model::OperationCall& call) {
  PyObject* o = type->tp_alloc(type, 0);
  if (o == nullptr) return nullptr;
  new (&self_of(o)->id) std::string(call.id);
  self_of(o)->attempt = call.attempt;
  new (&self_of(o)->cancelled) std::shared_ptr<const std::atomic<bool>>(call.cancelled);
  return o;
}

}  // namespace headrace::bindings
