// _core.Engine: what is called often. python/headrace/engine.py has the rest.

#include <new>

#include "args.hpp"
#include "convert.hpp"
#include "errors.hpp"
#include "types.hpp"
#include "verdicts.hpp"

namespace headrace::bindings {

namespace {

PyTypeObject* type = nullptr;
using Args = PyObject* const*;
constexpr const char* kStartNames[] = {"process", "variables", "business_key", "version", "traceparent"};

EngineObject* self_of(PyObject* o) { return reinterpret_cast<EngineObject*>(o); }

PyObject* create(PyTypeObject* t, PyObject*, PyObject*) {
  PyObject* o = t->tp_alloc(t, 0);
  if (o != nullptr) new (&self_of(o)->host) HostPtr();
  return o;
}

int init(PyObject* o, PyObject* args, PyObject* kwargs) {
  if (PyTuple_GET_SIZE(args) != 0 || kwargs == nullptr) {
    PyErr_SetString(PyExc_TypeError, "expected the options of the engine by name");
    return -1;
  }
  if (self_of(o)->host) {
    PyErr_SetString(PyExc_TypeError, "expected one call of Engine.__init__()");
    return -1;
  }
  return make_engine(kwargs, self_of(o)->host) ? 0 : -1;
}

void dealloc(PyObject* o) {
  PyTypeObject* t = Py_TYPE(o);
  Py_CLEAR(self_of(o)->dispatcher);
  std::destroy_at(&self_of(o)->host);
  t->tp_free(o);
  Py_DECREF(t);
}

bool start_options_of(PyObject* const* a, engine::StartOptions& out) {
  if (given(a[2]) && !text_of(a[2], "business_key", out.business_key)) return false;
  if (given(a[4]) && !text_of(a[4], "traceparent", out.traceparent)) return false;
  if (!given(a[3])) return true;
  long long version = 0;
  if (!int_of(a[3], "version", 1, std::numeric_limits<std::uint32_t>::max(), version)) return false;
  out.version = static_cast<std::uint32_t>(version);
  return true;
}

PyObject* start(PyObject* o, Args args, Py_ssize_t nargs, PyObject* kwnames) {
  static const Signature kSignature{"start", kStartNames, 5, 1, 2};
  PyObject* a[5];
  const EngineObject* self = as_engine(o);
  std::string_view process;
  VariableBlock variables;
  engine::StartOptions options;
  if (self == nullptr || !read_args(kSignature, args, nargs, kwnames, a) || !text_of(a[0], "process", process)) return nullptr;
  if (!block_of(a[1], "variables", variables) || !start_options_of(a, options)) return nullptr;
  Result<engine::InstanceRef> ref = engine::InstanceRef();
  {
    const GilReleased nogil;
    ref = self->host->engine().start(process, std::move(variables), options);
  }
  return ref ? new_instance(self->host, std::move(*ref)) : raise(ref.error());
}

// What can be started, with its place, and an answer for each item that does not fit.
struct Starts {
  Ref answers;  // a list; the places of `variables` are still empty
  std::vector<VariableBlock> variables;
  std::vector<Py_ssize_t> places;
};

// The error that is set becomes the answer of item i, where it is about the item.
bool answer_with_error(PyObject* answers, Py_ssize_t i) {
  if (PyErr_ExceptionMatches(error_class(ErrorCode::Validation)) == 0) return false;
  Ref error = take_exception();
  if (error) PyList_SET_ITEM(answers, i, error.release());
  return PyErr_Occurred() == nullptr;
}

bool starts_of(PyObject* given, Starts& out) {
  if (PyUnicode_Check(given) || PyBytes_Check(given) || PyDict_Check(given)) {
    PyErr_Format(PyExc_TypeError, "expected variables to be a sequence of dicts, but found %s", Py_TYPE(given)->tp_name);
    return false;
  }
  const Ref all = Ref::steal(PySequence_Fast(given, "expected variables to be a sequence of dicts"));
  if (!all) return false;
  const Py_ssize_t size = PySequence_Fast_GET_SIZE(all.get());
  out.answers = Ref::steal(PyList_New(size));
  if (!out.answers) return false;
  for (Py_ssize_t i = 0; i < size; ++i) {
    const std::string path = "variables[" + std::to_string(i) + "]";
    VariableBlock block;
    if (block_of(PySequence_Fast_GET_ITEM(all.get(), i), path, block)) {
      out.variables.push_back(std::move(block));
      out.places.push_back(i);
    } else if (!answer_with_error(out.answers.get(), i)) {
      return false;
    }
  }
  return true;
}

PyObject* start_many(PyObject* o, Args args, Py_ssize_t nargs, PyObject* kwnames) {
  static const Signature kSignature{"start_many", kStartNames, 5, 2, 2};
  PyObject* a[5];
  const EngineObject* self = as_engine(o);
  std::string_view process;
  Starts starts;
  engine::StartOptions options;
  if (self == nullptr || !read_args(kSignature, args, nargs, kwnames, a) || !text_of(a[0], "process", process)) return nullptr;
  if (!start_options_of(a, options) || !starts_of(a[1], starts)) return nullptr;
  std::vector<Result<engine::InstanceRef>> refs;
  {
    const GilReleased nogil;
    refs = self->host->engine().start_many(process, std::move(starts.variables), options);
  }
  for (std::size_t i = 0; i < refs.size(); ++i) {
    PyObject* one = refs[i] ? new_instance(self->host, std::move(*refs[i])) : exception_of(refs[i].error()).release();
    if (one == nullptr) return nullptr;
    PyList_SET_ITEM(starts.answers.get(), starts.places[i], one);
  }
  return starts.answers.release();
}

PyObject* get_dispatcher(PyObject* o, void*) {
  EngineObject* self = as_engine(o);
  if (self == nullptr) return nullptr;
  if (self->dispatcher == nullptr) self->dispatcher = new_dispatcher(self->host);
  Py_XINCREF(self->dispatcher);
  return self->dispatcher;
}

PyObject* get_closed(PyObject* o, void*) {
  const EngineObject* self = self_of(o);
  return PyBool_FromLong(!self->host || self->host->engine().closed() ? 1 : 0);
}

PyObject* close(PyObject* o, PyObject*) {
  // A copy: another thread may let the engine go while the GIL is given up.
  const HostPtr host = self_of(o)->host;
  if (host) host->close();
  Py_RETURN_NONE;
}

PyMethodDef methods[] = {
    {"start", as_method(&start), kFast,
     "start($self, process, variables=None, *, business_key=None, version=None, traceparent=None)\n--\n\n"
     "Starts an instance and returns its handle, when it stands where it has to wait."},
    {"start_many", as_method(&start_many), kFast,
     "start_many($self, process, variables, *, business_key=None, version=None, traceparent=None)\n--\n\n"
     "Starts one instance for each dict of variables; answers a handle or an error per item, in order."},
    {"close", &close, METH_NOARGS,
     "close($self, /)\n--\n\nRefuses new calls, wakes all waits, stops timers and threads. Closing twice is fine."},
    {nullptr, nullptr, 0, nullptr}};
PyGetSetDef getset[] = {{"dispatcher", &get_dispatcher, nullptr, "The job queue.", nullptr},
                        {"closed", &get_closed, nullptr, nullptr, nullptr},
                        {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyType_Slot slots[] = {{Py_tp_new, reinterpret_cast<void*>(&create)},
                       {Py_tp_init, reinterpret_cast<void*>(&init)},
                       {Py_tp_dealloc, reinterpret_cast<void*>(&dealloc)},
                       {Py_tp_methods, methods},
                       {Py_tp_getset, getset},
                       {0, nullptr}};
PyType_Spec spec{"headrace._core.Engine", sizeof(EngineObject), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};

}  // namespace

bool add_engine_type(PyObject* module) {
  type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  return type != nullptr && PyObject_SetAttrString(module, "Engine", reinterpret_cast<PyObject*>(type)) == 0;
}

EngineObject* as_engine(PyObject* o) {
  if (PyObject_TypeCheck(o, type) == 0) {
    PyErr_Format(PyExc_TypeError, "expected an Engine, but found %s", Py_TYPE(o)->tp_name);
    return nullptr;
  }
  if (!self_of(o)->host) {
    PyErr_SetString(error_class(ErrorCode::Closed), "expected an engine whose __init__ has run");
    return nullptr;
  }
  return self_of(o)->host->usable() ? self_of(o) : nullptr;
}

}  // namespace headrace::bindings
