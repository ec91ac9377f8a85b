// _core.Job: a fetched job. What costs something (the id's text, the variables) is made when it is touched.

#include <new>

#include "args.hpp"
#include "convert.hpp"
#include "errors.hpp"
#include "face.hpp"
#include "reports.hpp"
#include "times.hpp"
#include "types.hpp"

namespace headrace::bindings {

namespace {

PyTypeObject* type = nullptr;

JobObject* self_of(PyObject* o) { return reinterpret_cast<JobObject*>(o); }
const jobs::LockedJob& locked_of(PyObject* o) { return self_of(o)->locked; }
const jobs::Service& service_of(PyObject* o) { return *locked_of(o).job.service; }
// Under EngineAuthoritative a worker learns nothing of the policy's doings (design 4.8).
bool hidden(PyObject* o) { return locked_of(o).authoritative(); }

PyObject* refuse_new(PyTypeObject*, PyObject*, PyObject*) {
  PyErr_SetString(PyExc_TypeError, "expected a job to come from fetch_and_lock(), not from a call of its class");
  return nullptr;
}

void dealloc(PyObject* o) {
  PyTypeObject* t = Py_TYPE(o);
  JobObject* self = self_of(o);
  Py_CLEAR(self->id);
  Py_CLEAR(self->variables);
  Py_CLEAR(self->signal);
  std::destroy_at(&self->locked);
  std::destroy_at(&self->host);
  t->tp_free(o);
  Py_DECREF(t);
}

PyObject* cached(PyObject*& slot, PyObject* made) {
  if (made == nullptr) return nullptr;
  slot = made;
  Py_INCREF(made);
  return made;
}

PyObject* get_id(PyObject* o, void*) {
  JobObject* self = self_of(o);
  if (self->id == nullptr) return cached(self->id, text(jobs::to_text(self->locked.job.key, service_of(o).node)).release());
  Py_INCREF(self->id);
  return self->id;
}
PyObject* get_variables(PyObject* o, void*) {
  JobObject* self = self_of(o);
  if (self->variables == nullptr) return cached(self->variables, dict_of(self->locked.job.view.flatten()));
  Py_INCREF(self->variables);
  return self->variables;
}
PyObject* get_topic(PyObject* o, void*) { return text(service_of(o).topic.str()).release(); }
PyObject* get_node(PyObject* o, void*) { return text(service_of(o).node).release(); }
PyObject* get_process(PyObject* o, void*) { return text(service_of(o).process).release(); }
PyObject* get_version(PyObject* o, void*) { return PyLong_FromUnsignedLong(service_of(o).version); }
PyObject* get_priority(PyObject* o, void*) { return PyLong_FromLongLong(service_of(o).priority); }
PyObject* get_worker(PyObject* o, void*) { return text(locked_of(o).worker.str()).release(); }
PyObject* get_deadline(PyObject* o, void*) { return datetime_of(locked_of(o).deadline); }
PyObject* get_enqueued(PyObject* o, void*) { return datetime_of(locked_of(o).job.enqueued); }
PyObject* get_epoch(PyObject* o, void*) { return PyLong_FromUnsignedLongLong(locked_of(o).epoch); }
PyObject* get_generation(PyObject* o, void*) { return PyLong_FromUnsignedLong(locked_of(o).generation); }
PyObject* get_instance_id(PyObject* o, void*) { return text(std::to_string(locked_of(o).job.key.instance)).release(); }
PyObject* get_authoritative(PyObject* o, void*) { return PyBool_FromLong(hidden(o) ? 1 : 0); }
PyObject* get_owner(PyObject* o, void*) {
  return text(locked_of(o).owner == jobs::Owner::Worker ? "worker" : "engine").release();
}
PyObject* text_or_none(const Slice& s) {
  if (s.empty()) Py_RETURN_NONE;
  return text(s.view()).release();
}
PyObject* get_business_key(PyObject* o, void*) { return text_or_none(locked_of(o).job.business_key); }
PyObject* get_traceparent(PyObject* o, void*) { return text_or_none(locked_of(o).job.traceparent); }
PyObject* get_attempt(PyObject* o, void*) {
  if (hidden(o)) Py_RETURN_NONE;
  return PyLong_FromLong(locked_of(o).attempt);
}
PyObject* get_expiries(PyObject* o, void*) {
  if (hidden(o)) Py_RETURN_NONE;
  return PyLong_FromLong(locked_of(o).expiries);
}
PyObject* get_retries(PyObject* o, void*) {
  if (hidden(o) || !locked_of(o).retries) Py_RETURN_NONE;
  return PyLong_FromLong(*locked_of(o).retries);
}

PyObject* complete(PyObject* o, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  static const char* const kNames[] = {"output", "local_variables"};
  static const Signature kSignature{"complete", kNames, 2, 0, 2};
  PyObject* a[2];
  jobs::ReportComplete report;
  if (!read_args(kSignature, args, nargs, kwnames, a) || !self_of(o)->host->usable()) return nullptr;
  if (!block_of(a[0], "output", report.output) || !block_of(a[1], "local_variables", report.local)) return nullptr;
  const jobs::LockedJob& l = locked_of(o);
  return send_report(self_of(o)->host, o, {l.job.key, l.worker, l.epoch}, std::move(report));
}

PyMethodDef methods[] = {
    {"complete", as_method(&complete), kFast,
     "complete($self, output=None, local_variables=None)\n--\n\nReports that the work is done, with its output. "
     "local_variables are checked and end with the task's scope: no element reads them yet."},
    {nullptr, nullptr, 0, nullptr}};
PyGetSetDef getset[] = {
    {"id", &get_id, nullptr, "`<root>:<instance>:<token>:<visit>:<node>`, the same over retries: an idempotency key.", nullptr},
    {"topic", &get_topic, nullptr, nullptr, nullptr},
    {"variables", &get_variables, nullptr, "The input as a dict, decoded when it is touched.", nullptr},
    {"worker", &get_worker, nullptr, nullptr, nullptr},
    {"deadline", &get_deadline, nullptr, "The end of the lock as it was fetched, UTC.", nullptr},
    {"enqueued", &get_enqueued, nullptr, nullptr, nullptr},
    {"epoch", &get_epoch, nullptr, "Grows by one at each fetch.", nullptr},
    {"generation", &get_generation, nullptr, "Grows by one at each operator's retry.", nullptr},
    {"retries", &get_retries, nullptr, "What is left; None: never failed.", nullptr},
    {"attempt", &get_attempt, nullptr, "Executions and counted expiries so far, and this one.", nullptr},
    {"expiries", &get_expiries, nullptr, nullptr, nullptr},
    {"node", &get_node, nullptr, "The id of the service task.", nullptr},
    {"process", &get_process, nullptr, nullptr, nullptr},
    {"version", &get_version, nullptr, nullptr, nullptr},
    {"priority", &get_priority, nullptr, nullptr, nullptr},
    {"instance_id", &get_instance_id, nullptr, nullptr, nullptr},
    {"business_key", &get_business_key, nullptr, nullptr, nullptr},
    {"traceparent", &get_traceparent, nullptr, nullptr, nullptr},
    {"authoritative", &get_authoritative, nullptr, "True when the engine alone decides what a report means.", nullptr},
    {"owner", &get_owner, nullptr, "Who runs the policy for this lock: \"worker\" or \"engine\".", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyMemberDef members[] = {{"_signal", T_OBJECT, offsetof(JobObject, signal), 0, nullptr}, {nullptr, 0, 0, 0, nullptr}};
PyType_Slot slots[] = {{Py_tp_new, reinterpret_cast<void*>(&refuse_new)},
                       {Py_tp_dealloc, reinterpret_cast<void*>(&dealloc)},
                       {Py_tp_methods, methods},
                       {Py_tp_getset, getset},
                       {Py_tp_members, members},
                       {0, nullptr}};
PyType_Spec spec{"headrace._core.Job", sizeof(JobObject), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};

}  // namespace

bool add_job_type(PyObject* module) {
  type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  return type != nullptr && PyObject_SetAttrString(module, "Job", reinterpret_cast<PyObject*>(type)) == 0;
}

PyObject* new_job(const HostPtr& host, jobs::LockedJob locked) {
  auto* t = reinterpret_cast<PyTypeObject*>(face().job);
  PyObject* o = t->tp_alloc(t, 0);
  if (o == nullptr) return nullptr;
  new (&self_of(o)->host) HostPtr(host);
  new (&self_of(o)->locked) jobs::LockedJob(std::move(locked));
  return o;
}

PyObject* new_jobs(const HostPtr& host, std::vector<jobs::LockedJob> all) {
  Ref list = Ref::steal(PyList_New(static_cast<Py_ssize_t>(all.size())));
  for (std::size_t i = 0; list && i < all.size(); ++i) {
    PyObject* job = new_job(host, std::move(all[i]));
    if (job == nullptr) return nullptr;
    PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(i), job);
  }
  return list.release();
}

bool is_job(PyObject* o) { return PyObject_TypeCheck(o, type) != 0; }

JobObject* as_job(PyObject* o) {
  if (is_job(o)) return self_of(o);
  PyErr_Format(PyExc_TypeError, "expected a Job, but found %s", Py_TYPE(o)->tp_name);
  return nullptr;
}

}  // namespace headrace::bindings
