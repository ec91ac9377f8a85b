// _core.Dispatcher: the job queue's verbs (design 3).

#include <new>

#include "args.hpp"
#include "convert.hpp"
#include "errors.hpp"
#include "face.hpp"
#include "fetch_args.hpp"
#include "reports.hpp"
#include "times.hpp"
#include "types.hpp"
#include "waits.hpp"

namespace headrace::bindings {

namespace {

PyTypeObject* type = nullptr;
using Args = PyObject* const*;

DispatcherObject* self_of(PyObject* o) { return reinterpret_cast<DispatcherObject*>(o); }

PyObject* refuse_new(PyTypeObject*, PyObject*, PyObject*) {
  PyErr_SetString(PyExc_TypeError, "expected the dispatcher of an engine (engine.dispatcher), not a call of its class");
  return nullptr;
}
void dealloc(PyObject* o) {
  PyTypeObject* t = Py_TYPE(o);
  std::destroy_at(&self_of(o)->host);
  t->tp_free(o);
  Py_DECREF(t);
}

PyObject* fetch_and_lock(PyObject* o, Args args, Py_ssize_t nargs, PyObject* kwnames) {
  static const Signature kSignature{"fetch_and_lock", kFetchNames, 6, 2, 6};
  PyObject* a[6];
  const DispatcherObject* self = as_dispatcher(o);
  if (self == nullptr || !read_args(kSignature, args, nargs, kwnames, a)) return nullptr;
  jobs::FetchRequest request;
  std::optional<Duration> wait;
  if (!fetch_request_of(a, request) || !optional_duration_of(a[4], "wait", wait)) return nullptr;
  std::vector<jobs::LockedJob> locked;
  if (!fetch_interruptibly(self->host, request, wait.value_or(Duration()), locked)) return nullptr;
  return new_jobs(self->host, std::move(locked));
}

PyObject* complete(PyObject* o, Args args, Py_ssize_t nargs, PyObject* kwnames) {
  static const char* const kNames[] = {"id", "worker", "output", "local_variables", "epoch"};
  static const Signature kSignature{"complete", kNames, 5, 2, 4};
  PyObject* a[5];
  const DispatcherObject* self = as_dispatcher(o);
  if (self == nullptr || !read_args(kSignature, args, nargs, kwnames, a)) return nullptr;
  jobs::ReportTarget target;
  jobs::ReportComplete report;
  if (!target_of(a[0], a[1], a[4], target)) return nullptr;
  if (!block_of(a[2], "output", report.output) || !block_of(a[3], "local_variables", report.local)) return nullptr;
  return send_report(self->host, a[0], target, std::move(report));
}

// One (id, output) pair; false with a Python error.
bool item_of(PyObject* pair, PyObject* worker, std::pair<jobs::ReportTarget, VariableBlock>& out) {
  if (!PyTuple_Check(pair) || PyTuple_GET_SIZE(pair) != 2) {
    PyErr_Format(PyExc_TypeError, "expected items to be (id, output) tuples, but found %s", Py_TYPE(pair)->tp_name);
    return false;
  }
  return target_of(PyTuple_GET_ITEM(pair, 0), worker, nullptr, out.first) &&
         block_of(PyTuple_GET_ITEM(pair, 1), "output", out.second);
}

// An item that does not fit is an answer of its own, as one that the queue refuses is; a wrong use of the call raises.
bool keep_as_answer(PyObject* answers, Py_ssize_t i) {
  if (PyErr_ExceptionMatches(error_class(ErrorCode::Validation)) == 0 &&
      PyErr_ExceptionMatches(error_class(ErrorCode::JobNotFound)) == 0)
    return false;
  PyObject *kind = nullptr, *value = nullptr, *trace = nullptr;
  PyErr_Fetch(&kind, &value, &trace);
  PyErr_NormalizeException(&kind, &value, &trace);
  Py_XDECREF(kind);
  Py_XDECREF(trace);
  PyList_SET_ITEM(answers, i, value);
  return true;
}

PyObject* complete_many(PyObject* o, Args args, Py_ssize_t nargs, PyObject* kwnames) {
  static const char* const kNames[] = {"items", "worker"};
  static const Signature kSignature{"complete_many", kNames, 2, 2, 2};
  PyObject* a[2];
  const DispatcherObject* self = as_dispatcher(o);
  if (self == nullptr || !read_args(kSignature, args, nargs, kwnames, a)) return nullptr;
  const Ref items = Ref::steal(PySequence_Fast(a[0], "expected items to be a sequence of (id, output)"));
  if (!items) return nullptr;
  const Py_ssize_t size = PySequence_Fast_GET_SIZE(items.get());
  Ref answers = Ref::steal(PyList_New(size));
  if (!answers) return nullptr;
  std::vector<std::pair<jobs::ReportTarget, VariableBlock>> reports;
  std::vector<Py_ssize_t> places;
  std::vector<Ref> ids;
  reports.reserve(static_cast<std::size_t>(size));
  places.reserve(static_cast<std::size_t>(size));
  ids.reserve(static_cast<std::size_t>(size));
  for (Py_ssize_t i = 0; i < size; ++i) {
    auto& report = reports.emplace_back();
    PyObject* item = PySequence_Fast_GET_ITEM(items.get(), i);
    if (item_of(item, a[1], report)) {
      places.push_back(i);
      ids.push_back(Ref::borrow(PyTuple_GET_ITEM(item, 0)));
      continue;
    }
    if (!keep_as_answer(answers.get(), i)) return nullptr;
    reports.pop_back();
  }
  std::vector<std::optional<Error>> results;
  {
    const GilReleased nogil;
    results = self->host->dispatcher().complete_many(std::move(reports));
  }
  for (std::size_t k = 0; k < results.size(); ++k) {
    Ref answer = results[k] ? exception_of(with_id(*results[k], ids[k].get())) : Ref::borrow(Py_None);
    if (!answer) return nullptr;
    PyList_SET_ITEM(answers.get(), places[k], answer.release());
  }
  return answers.release();
}

PyObject* extend_lock(PyObject* o, Args args, Py_ssize_t nargs, PyObject* kwnames) {
  static const char* const kNames[] = {"id", "worker", "duration", "epoch"};
  static const Signature kSignature{"extend_lock", kNames, 4, 3, 3};
  PyObject* a[4];
  const DispatcherObject* self = as_dispatcher(o);
  if (self == nullptr || !read_args(kSignature, args, nargs, kwnames, a)) return nullptr;
  jobs::ReportTarget target;
  Duration duration;
  if (!target_of(a[0], a[1], a[3], target) || !duration_of(a[2], "duration", true, duration)) return nullptr;
  Result<Instant> deadline = Instant();
  {
    const GilReleased nogil;
    deadline = self->host->dispatcher().extend_lock(target, duration);
  }
  return deadline ? datetime_of(*deadline) : raise(with_id(deadline.error(), a[0]));
}

PyObject* unlock(PyObject* o, Args args, Py_ssize_t nargs, PyObject* kwnames) {
  static const char* const kNames[] = {"id", "worker", "epoch"};
  static const Signature kSignature{"unlock", kNames, 3, 2, 2};
  PyObject* a[3];
  const DispatcherObject* self = as_dispatcher(o);
  jobs::ReportTarget target;
  if (self == nullptr || !read_args(kSignature, args, nargs, kwnames, a) || !target_of(a[0], a[1], a[2], target)) return nullptr;
  Status status = Ok{};
  {
    const GilReleased nogil;
    status = self->host->dispatcher().unlock(target);
  }
  return none_or_raise(status, a[0]);
}

PyObject* report_status(PyObject* o, Args args, Py_ssize_t nargs, PyObject* kwnames) {
  static const char* const kNames[] = {"id", "worker", "value", "epoch"};
  static const Signature kSignature{"report_status", kNames, 4, 3, 3};
  PyObject* a[4];
  const DispatcherObject* self = as_dispatcher(o);
  jobs::ReportTarget target;
  jobs::ReportStatus report;
  if (self == nullptr || !read_args(kSignature, args, nargs, kwnames, a) || !target_of(a[0], a[1], a[3], target)) return nullptr;
  if (!value_of(a[2], "value", report.value)) return nullptr;
  return send_report(self->host, a[0], target, std::move(report));
}

bool optional_text(PyObject* o, const char* what, std::string& out) {
  std::string_view read;
  if (given(o) && !text_of(o, what, read)) return false;
  out = std::string(read);
  return true;
}

PyObject* bpmn_error(PyObject* o, Args args, Py_ssize_t nargs, PyObject* kwnames) {
  static const char* const kNames[] = {"id", "worker", "code", "message", "variables", "epoch"};
  static const Signature kSignature{"bpmn_error", kNames, 6, 3, 5};
  PyObject* a[6];
  const DispatcherObject* self = as_dispatcher(o);
  jobs::ReportTarget target;
  jobs::ReportBpmnError report;
  std::string_view code;
  if (self == nullptr || !read_args(kSignature, args, nargs, kwnames, a) || !target_of(a[0], a[1], a[5], target)) return nullptr;
  if (!text_of(a[2], "code", code) || !optional_text(a[3], "message", report.message) ||
      !block_of(a[4], "variables", report.variables))
    return nullptr;
  report.code = std::string(code);
  return send_report(self->host, a[0], target, std::move(report));
}

bool value_or_null(PyObject* o, const char* what, Value& out) { return !given(o) || value_of(o, what, out); }

PyObject* fail(PyObject* o, Args args, Py_ssize_t nargs, PyObject* kwnames) {
  static const char* const kNames[] = {"id",        "worker",          "code",  "body",      "message", "retries", "retry_after",
                                       "variables", "local_variables", "epoch", "executions"};
  static const Signature kSignature{"fail", kNames, 11, 2, 9};
  PyObject* a[11];
  const DispatcherObject* self = as_dispatcher(o);
  jobs::ReportTarget target;
  jobs::ReportFail report;
  if (self == nullptr || !read_args(kSignature, args, nargs, kwnames, a) || !target_of(a[0], a[1], a[9], target)) return nullptr;
  if (!value_or_null(a[2], "code", report.failure.code) || !value_or_null(a[3], "body", report.failure.body)) return nullptr;
  if (!optional_text(a[4], "message", report.failure.message) || !optional_duration_of(a[6], "retry_after", report.retry_after))
    return nullptr;
  if (!block_of(a[7], "variables", report.variables) || !block_of(a[8], "local_variables", report.local)) return nullptr;
  long long retries = 0;
  if (given(a[5])) {
    if (!int_of(a[5], "retries", 0, std::numeric_limits<int>::max(), retries)) return nullptr;
    report.retries = static_cast<int>(retries);
  }
  long long executions = 1;
  if (given(a[10]) && !int_of(a[10], "executions", 1, std::numeric_limits<int>::max(), executions)) return nullptr;
  report.executions = static_cast<int>(executions);
  return send_report(self->host, a[0], target, std::move(report));
}

PyObject* report_raw(PyObject* o, Args args, Py_ssize_t nargs, PyObject* kwnames) {
  static const char* const kNames[] = {"id", "worker", "code", "body", "epoch"};
  static const Signature kSignature{"report_raw", kNames, 5, 3, 4};
  PyObject* a[5];
  const DispatcherObject* self = as_dispatcher(o);
  jobs::ReportTarget target;
  jobs::ReportRaw report;
  if (self == nullptr || !read_args(kSignature, args, nargs, kwnames, a) || !target_of(a[0], a[1], a[4], target)) return nullptr;
  if (!value_or_null(a[2], "code", report.code) || !value_or_null(a[3], "body", report.body)) return nullptr;
  return send_report(self->host, a[0], target, std::move(report));
}

PyObject* pending(PyObject* o, Args args, Py_ssize_t nargs, PyObject* kwnames) {
  static const char* const kNames[] = {"topic"};
  static const Signature kSignature{"pending", kNames, 1, 0, 1};
  PyObject* a[1];
  const DispatcherObject* self = as_dispatcher(o);
  std::string topic;
  if (self == nullptr || !read_args(kSignature, args, nargs, kwnames, a) || !optional_text(a[0], "topic", topic)) return nullptr;
  std::uint64_t n = 0;
  {
    const GilReleased nogil;
    n = self->host->dispatcher().pending(Topic(topic));
  }
  return PyLong_FromUnsignedLongLong(n);
}

PyMethodDef methods[] = {
    {"fetch_and_lock", as_method(&fetch_and_lock), kFast,
     "fetch_and_lock($self, worker, topics, lock_duration=None, max_jobs=1, wait=0, runs_policy=False)\n--\n\n"
     "Locks up to max_jobs jobs, oldest first in each topic, topics in turn; waits up to `wait` for a first one. [] when there "
     "is none."},
    {"complete", as_method(&complete), kFast,
     "complete($self, id, worker, output=None, local_variables=None, *, epoch=None)\n--\n\nReports that the work is done, with "
     "its output. local_variables are checked and end with the task's scope: no element reads them yet."},
    {"complete_many", as_method(&complete_many), kFast,
     "complete_many($self, items, worker)\n--\n\nCompletes many jobs, (id, output) each; answers None or an error per item, in "
     "order."},
    {"extend_lock", as_method(&extend_lock), kFast,
     "extend_lock($self, id, worker, duration, *, epoch=None)\n--\n\nThe lock then ends at now + duration; returns that time."},
    {"unlock", as_method(&unlock), kFast,
     "unlock($self, id, worker, *, epoch=None)\n--\n\nHands the job back: it is queued at once, and no attempt is lost."},
    {"report_status", as_method(&report_status), kFast,
     "report_status($self, id, worker, value, *, epoch=None)\n--\n\nReports a business status, written to the variable of "
     "WithStatus."},
    {"bpmn_error", as_method(&bpmn_error), kFast,
     "bpmn_error($self, id, worker, code, message=None, variables=None, *, epoch=None)\n--\n\nReports a BPMN error."},
    {"fail", as_method(&fail), kFast,
     "fail($self, id, worker, code=None, body=None, message=None, retries=None, retry_after=None, variables=None, "
     "local_variables=None, *, "
     "epoch=None, executions=1)\n--\n\nReports a technical fault; the policy decides on another attempt unless `retries` says. "
     "local_variables are checked, but not kept for the next attempt yet; `variables` are. executions: how often a worker that "
     "owns "
     "the policy ran under this lock."},
    {"report_raw", as_method(&report_raw), kFast,
     "report_raw($self, id, worker, code, body=None, *, epoch=None)\n--\n\nReports a response as it came; the engine classifies "
     "it."},
    {"pending", as_method(&pending), kFast,
     "pending($self, topic=\"\")\n--\n\nHow many jobs wait to be fetched, of all topics or one."},
    {nullptr, nullptr, 0, nullptr}};
PyType_Slot slots[] = {{Py_tp_new, reinterpret_cast<void*>(&refuse_new)},
                       {Py_tp_dealloc, reinterpret_cast<void*>(&dealloc)},
                       {Py_tp_methods, methods},
                       {0, nullptr}};
PyType_Spec spec{"headrace._core.Dispatcher", sizeof(DispatcherObject), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};

}  // namespace

bool add_dispatcher_type(PyObject* module) {
  type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  return type != nullptr && PyObject_SetAttrString(module, "Dispatcher", reinterpret_cast<PyObject*>(type)) == 0;
}

PyObject* new_dispatcher(const HostPtr& host) {
  auto* t = reinterpret_cast<PyTypeObject*>(face().dispatcher);
  PyObject* o = t->tp_alloc(t, 0);
  if (o != nullptr) new (&self_of(o)->host) HostPtr(host);
  return o;
}

DispatcherObject* as_dispatcher(PyObject* o) {
  if (PyObject_TypeCheck(o, type) == 0) {
    PyErr_Format(PyExc_TypeError, "expected a Dispatcher, but found %s", Py_TYPE(o)->tp_name);
    return nullptr;
  }
  return self_of(o)->host->usable() ? self_of(o) : nullptr;
}

}  // namespace headrace::bindings
