#include "python_dispatcher.hpp"

#include "callables.hpp"
#include "convert.hpp"
#include "dict.hpp"
#include "errors.hpp"
#include "face.hpp"
#include "times.hpp"

namespace headrace::bindings {

namespace {

// The Python error that is set as an Error: one of the tree keeps its class, so that a queue may answer NotLockHolder.
Error taken_error() {
  constexpr ErrorCode kKnown[] = {ErrorCode::JobNotFound,     ErrorCode::NotLockHolder,     ErrorCode::LockExpired,
                                  ErrorCode::LockCapExceeded, ErrorCode::InstanceSuspended, ErrorCode::Validation};
  for (const ErrorCode code : kKnown) {
    if (PyErr_ExceptionMatches(error_class(code)) != 0) return make_error(code, take_error_text());
  }
  return make_error(ErrorCode::Technical, take_error_text());
}

Status ok_or_taken(const Ref& answer) { return answer ? Status(Ok{}) : Status(taken_error()); }

// Calls a method with the arguments of a format; the first failure on the way sticks.
template <class... Args>
Ref call(const Held& queue, const char* method, const char* format, Args... args) {
  return Ref::steal(PyObject_CallMethod(queue.get(), method, format, args...));
}

PyObject* epoch_of(const jobs::ReportTarget& t) {
  if (!t.epoch) Py_RETURN_NONE;
  return PyLong_FromUnsignedLongLong(*t.epoch);
}

PyObject* data_of(const jobs::Job& job) {
  const std::string id = jobs::to_text(job.key, job.service->node);
  const Ref fields = Ref::steal(Dict()
                                    .text("id", id)
                                    .text("topic", job.service->topic.str())
                                    .put("variables", dict_of(job.view.flatten()))
                                    .text("node", job.service->node)
                                    .text("process", job.service->process)
                                    .text("instance_id", std::to_string(job.key.instance))
                                    .text("business_key", job.business_key.view())
                                    .take());
  const Ref none = Ref::steal(fields ? PyTuple_New(0) : nullptr);
  return none ? PyObject_Call(face().job_data, none.get(), fields.get()) : nullptr;
}

Ref failure_fields(const policy::Failure& f) {
  return Ref::steal(Dict().put("code", object_of(f.code)).put("body", object_of(f.body)).text("message", f.message).take());
}

// (kind, fields) of a report.
PyObject* fields_of(const jobs::Report& report, const char*& kind) {
  if (const auto* r = std::get_if<jobs::ReportComplete>(&report)) {
    kind = "complete";
    return Dict().put("output", dict_of(r->output)).put("local_variables", dict_of(r->local)).take();
  }
  if (const auto* r = std::get_if<jobs::ReportStatus>(&report)) {
    kind = "status";
    return Dict().put("value", object_of(r->value)).take();
  }
  if (const auto* r = std::get_if<jobs::ReportBpmnError>(&report)) {
    kind = "bpmn_error";
    return Dict().text("code", r->code).text("message", r->message).put("variables", dict_of(r->variables)).take();
  }
  if (const auto* r = std::get_if<jobs::ReportFail>(&report)) {
    kind = "fail";
    Ref fields = failure_fields(r->failure);
    if (fields && r->retries) PyDict_SetItemString(fields.get(), "retries", Ref::steal(PyLong_FromLong(*r->retries)).get());
    if (fields && r->retry_after)
      PyDict_SetItemString(fields.get(), "retry_after", Ref::steal(timedelta_of(*r->retry_after)).get());
    if (fields) PyDict_SetItemString(fields.get(), "executions", Ref::steal(PyLong_FromLong(r->executions)).get());
    return fields.release();
  }
  kind = "raw";
  const auto& r = *std::get_if<jobs::ReportRaw>(&report);
  return Dict().put("code", object_of(r.code)).put("body", object_of(r.body)).text("message", r.message).take();
}

bool read_text_attribute(PyObject* o, const char* name, std::string& out) {
  const Ref value = Ref::steal(PyObject_GetAttrString(o, name));
  std::string_view read;
  if (!value || !text_of(value.get(), name, read)) return false;
  out = std::string(read);
  return true;
}

}  // namespace

void Sink::bind(jobs::JobCompletionSink* target) {
  const std::lock_guard lock(mutex_);
  target_ = target;
}

Status Sink::report(jobs::WorkerOutcome outcome) {
  struct Answer {
    std::mutex mutex;
    std::condition_variable there;
    std::optional<Status> status;
  };
  const auto answer = std::make_shared<Answer>();
  {
    const std::lock_guard lock(mutex_);
    if (target_ == nullptr)
      return make_error(ErrorCode::Closed, "expected a queue of an open engine, but it is not bound to one");
    target_->report_job_completion(std::move(outcome), [answer](Status s) {
      const std::lock_guard told(answer->mutex);
      answer->status = std::move(s);
      answer->there.notify_all();
    });
  }
  std::unique_lock lock(answer->mutex);
  answer->there.wait(lock, [&] { return answer->status.has_value(); });
  return *answer->status;
}

std::string PythonDispatcher::id_of(const JobKey& key) const {
  const std::lock_guard lock(mutex_);
  const auto found = known_.find(key);
  return jobs::to_text(key, found == known_.end() ? std::string_view("unknown") : std::string_view(found->second.service->node));
}

Status PythonDispatcher::enqueue(jobs::Job job) {
  {
    const std::lock_guard lock(mutex_);
    known_.insert_or_assign(job.key, job);
  }
  const GilTaken gil;
  const Ref data = Ref::steal(data_of(job));
  if (!data) return taken_error();
  return ok_or_taken(call(queue_, "enqueue", "O", data.get()));
}

Status PythonDispatcher::withdraw(const JobKey& key) {
  const std::string id = id_of(key);
  {
    const std::lock_guard lock(mutex_);
    known_.erase(key);
  }
  const GilTaken gil;
  return ok_or_taken(call(queue_, "withdraw", "s", id.c_str()));
}

Result<jobs::LockedJob> PythonDispatcher::locked_of(PyObject* data, const jobs::FetchRequest& request) const {
  std::string id;
  if (!read_text_attribute(data, "id", id)) return taken_error();
  const auto parsed = jobs::parse_job_id(id);
  if (!parsed) return parsed.error();
  jobs::LockedJob locked;
  locked.worker = request.worker;
  {
    const std::lock_guard lock(mutex_);
    const auto found = known_.find(parsed->key);
    if (found == known_.end())
      return make_error(ErrorCode::Technical, "expected jobs that were enqueued, but the queue answered '" + id + "'");
    locked.job = found->second;
  }
  const Ref epoch = Ref::steal(PyObject_GetAttrString(data, "epoch"));
  locked.epoch = epoch ? PyLong_AsUnsignedLongLong(epoch.get()) : 0;
  const Ref deadline = Ref::steal(PyObject_GetAttrString(data, "deadline"));
  if (PyErr_Occurred() != nullptr || !deadline) return taken_error();
  if (deadline.get() != Py_None && !instant_of(deadline.get(), "deadline", locked.deadline)) return taken_error();
  return locked;
}

Result<std::vector<jobs::LockedJob>> PythonDispatcher::fetch_and_lock(const jobs::FetchRequest& request, Duration wait) {
  const GilTaken gil;
  const Ref topics = Ref::steal(list_of(request.topics, [](const Topic& t) { return text(t.str()).release(); }));
  const Ref lock = Ref::steal(timedelta_of(request.lock_duration.value_or(policy::kDefaultLock)));
  const Ref limit = Ref::steal(timedelta_of(wait));
  if (!topics || !lock || !limit) return taken_error();
  const Ref answer = call(queue_, "fetch_and_lock", "sOOiO", request.worker.str().c_str(), topics.get(), lock.get(),
                          request.max_jobs, limit.get());
  const Ref all =
      Ref::steal(answer ? PySequence_Fast(answer.get(), "expected fetch_and_lock() to answer a list of jobs") : nullptr);
  if (!all) return taken_error();
  std::vector<jobs::LockedJob> out;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(all.get()); ++i) {
    auto locked = locked_of(PySequence_Fast_GET_ITEM(all.get(), i), request);
    if (!locked) return locked.error();
    out.push_back(std::move(*locked));
  }
  return out;
}

Result<Instant> PythonDispatcher::extend_lock(const jobs::ReportTarget& t, Duration d) {
  const std::string id = id_of(t.key);
  const GilTaken gil;
  const Ref answer = call(queue_, "extend_lock", "ssNN", id.c_str(), t.worker.str().c_str(), timedelta_of(d), epoch_of(t));
  Instant deadline;
  if (!answer || !instant_of(answer.get(), "the answer of extend_lock()", deadline)) return taken_error();
  return deadline;
}

Status PythonDispatcher::unlock(const jobs::ReportTarget& t) {
  const std::string id = id_of(t.key);
  const GilTaken gil;
  return ok_or_taken(call(queue_, "unlock", "ssN", id.c_str(), t.worker.str().c_str(), epoch_of(t)));
}

Status PythonDispatcher::report(const jobs::ReportTarget& t, jobs::Report report) {
  const std::string id = id_of(t.key);
  const GilTaken gil;
  const char* kind = nullptr;
  const Ref fields = Ref::steal(fields_of(report, kind));
  if (!fields) return taken_error();
  return ok_or_taken(call(queue_, "report", "ssNsO", id.c_str(), t.worker.str().c_str(), epoch_of(t), kind, fields.get()));
}

std::vector<std::optional<Error>> PythonDispatcher::complete_many(
    std::vector<std::pair<jobs::ReportTarget, VariableBlock>> items) {
  std::vector<std::optional<Error>> out;
  for (auto& [target, output] : items) {
    const Status s = report(target, jobs::ReportComplete{std::move(output), {}});
    out.push_back(s ? std::nullopt : std::optional(s.error()));
  }
  return out;
}

std::uint64_t PythonDispatcher::pending(const Topic& topic) const {
  const GilTaken gil;
  const Ref answer = call(queue_, "pending", "s", topic.str().c_str());
  const unsigned long long n = answer && PyLong_Check(answer.get()) ? PyLong_AsUnsignedLongLong(answer.get()) : 0;
  if (PyErr_Occurred() != nullptr) write_unraisable(queue_.get());
  return n;
}

void PythonDispatcher::bind_sink(jobs::JobCompletionSink* target) { sink_->bind(target); }

}  // namespace headrace::bindings
