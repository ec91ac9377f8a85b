// _core.Instance: a light handle of a root instance.

#include <new>

#include "args.hpp"
#include "errors.hpp"
#include "face.hpp"
#include "snapshot.hpp"
#include "types.hpp"
#include "waits.hpp"

namespace headrace::bindings {

namespace {

PyTypeObject* type = nullptr;

InstanceObject* self_of(PyObject* o) { return reinterpret_cast<InstanceObject*>(o); }

PyObject* refuse_new(PyTypeObject*, PyObject*, PyObject*) {
  PyErr_SetString(PyExc_TypeError,
                  "expected an instance to come from engine.start() or engine.instance(), not from a call of its class");
  return nullptr;
}

void dealloc(PyObject* o) {
  PyTypeObject* t = Py_TYPE(o);
  std::destroy_at(&self_of(o)->ref);
  std::destroy_at(&self_of(o)->host);
  t->tp_free(o);
  Py_DECREF(t);
}

PyObject* get_id(PyObject* o, void*) { return text(std::to_string(engine::Engine::root_of(self_of(o)->ref))).release(); }
PyObject* get_root(PyObject* o, void*) { return PyLong_FromUnsignedLongLong(engine::Engine::root_of(self_of(o)->ref)); }

PyObject* get_state_text(PyObject* o, void*) {
  const InstanceObject* self = as_instance(o);
  if (self == nullptr) return nullptr;
  core::InstanceState state{};
  {
    const GilReleased nogil;
    state = self->host->engine().state_of(self->ref);
  }
  return text(core::name_of(state)).release();
}

PyObject* wait(PyObject* o, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  static const char* const kNames[] = {"timeout", "until"};
  static const Signature kSignature{"wait", kNames, 2, 0, 2};
  PyObject* a[2];
  const InstanceObject* self = as_instance(o);
  if (self == nullptr || !read_args(kSignature, args, nargs, kwnames, a)) return nullptr;
  return wait_for_instance(self->host, self->ref, a[0], a[1]);
}

PyObject* snapshot(PyObject* o, PyObject*) {
  const InstanceObject* self = as_instance(o);
  return self == nullptr ? nullptr : snapshot_of(self->host, self->ref);
}

PyObject* compare(PyObject* a, PyObject* b, int op) {
  if ((op != Py_EQ && op != Py_NE) || PyObject_TypeCheck(b, type) == 0) Py_RETURN_NOTIMPLEMENTED;
  const bool same = self_of(a)->host == self_of(b)->host &&
                    engine::Engine::root_of(self_of(a)->ref) == engine::Engine::root_of(self_of(b)->ref);
  return PyBool_FromLong((op == Py_EQ) == same ? 1 : 0);
}

Py_hash_t hash(PyObject* o) { return static_cast<Py_hash_t>(engine::Engine::root_of(self_of(o)->ref) & 0x3FFFFFFFFFFFFFFFULL); }

PyMethodDef methods[] = {{"wait", as_method(&wait), kFast,
                          "wait($self, timeout=None, until=\"ended\")\n--\n\nWaits for the end of the instance, or until nothing "
                          "of it can run by itself (\"idle\")."},
                         {"_snapshot", &snapshot, METH_NOARGS, "_snapshot($self, /)\n--\n\nThe committed state as a dict."},
                         {nullptr, nullptr, 0, nullptr}};
PyGetSetDef getset[] = {{"id", &get_id, nullptr, "The id of the instance, the routing part of its jobs' ids.", nullptr},
                        {"_root", &get_root, nullptr, nullptr, nullptr},
                        {"_state", &get_state_text, nullptr, nullptr, nullptr},
                        {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyType_Slot slots[] = {{Py_tp_new, reinterpret_cast<void*>(&refuse_new)},
                       {Py_tp_dealloc, reinterpret_cast<void*>(&dealloc)},
                       {Py_tp_methods, methods},
                       {Py_tp_getset, getset},
                       {Py_tp_richcompare, reinterpret_cast<void*>(&compare)},
                       {Py_tp_hash, reinterpret_cast<void*>(&hash)},
                       {0, nullptr}};
PyType_Spec spec{"headrace._core.Instance", sizeof(InstanceObject), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};

}  // namespace

bool add_instance_type(PyObject* module) {
  type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  return type != nullptr && PyObject_SetAttrString(module, "Instance", reinterpret_cast<PyObject*>(type)) == 0;
}

PyObject* new_instance(const HostPtr& host, engine::InstanceRef ref) {
  auto* t = reinterpret_cast<PyTypeObject*>(face().instance);
  PyObject* o = t->tp_alloc(t, 0);
  if (o == nullptr) return nullptr;
  new (&self_of(o)->host) HostPtr(host);
  new (&self_of(o)->ref) engine::InstanceRef(std::move(ref));
  return o;
}

bool is_instance(PyObject* o) { return PyObject_TypeCheck(o, type) != 0; }

InstanceObject* as_instance(PyObject* o) {
  if (!is_instance(o)) {
    PyErr_Format(PyExc_TypeError, "expected an Instance, but found %s", Py_TYPE(o)->tp_name);
    return nullptr;
  }
  return self_of(o)->host->usable() ? self_of(o) : nullptr;
}

}  // namespace headrace::bindings
