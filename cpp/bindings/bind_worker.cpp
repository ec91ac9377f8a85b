// What workers need besides the dispatcher's verbs: fetches that can be called off, heartbeats, the policy of a job.

#include "convert.hpp"
#include "fetch.hpp"
#include "fetch_args.hpp"
#include "headrace/jobs/table.hpp"
#include "heartbeat.hpp"
#include "pybind.hpp"
#include "times.hpp"
#include "worker_policy.hpp"

namespace headrace::bindings {

namespace {

std::unique_ptr<Fetch> start_fetch(const py::object& dispatcher, const py::object& worker, const py::object& topics,
                                   const py::object& lock, const py::object& max_jobs, const py::object& runs_policy) {
  const DispatcherObject* d = as_dispatcher(dispatcher.ptr());
  check(d != nullptr);
  PyObject* args[] = {worker.ptr(), topics.ptr(), lock.ptr(), max_jobs.ptr(), nullptr, runs_policy.ptr()};
  jobs::FetchRequest request;
  check(fetch_request_of(args, request));
  auto fetch = std::make_unique<Fetch>(d->host, std::move(request));
  check(fetch->start());
  return fetch;
}

// What a worker will ask for, before it asks: a mistake is refused where it was made.
void check_fetch(const py::object& worker, const py::object& topics, const py::object& lock) {
  PyObject* args[] = {worker.ptr(), topics.ptr(), lock.ptr(), nullptr, nullptr, nullptr};
  jobs::FetchRequest request;
  check(fetch_request_of(args, request));
  ok_or_raise(jobs::Table::check(request));
}

HeartbeatPtr heartbeat(const py::object& job, const py::object& lock, const py::object& every, const py::object& limit) {
  const JobObject* j = as_job(job.ptr());
  check(j != nullptr && j->host->usable());
  BeatOptions options;
  check(duration_of(lock.ptr(), "lock", false, options.lock) && duration_of(every.ptr(), "every", false, options.every) &&
        duration_of(limit.ptr(), "timeout", true, options.limit));
  return start_heartbeat(j->host, {j->locked.job.key, j->locked.worker, j->locked.epoch}, options);
}

const char* word_of(Beat beat) {
  switch (beat) {
    case Beat::Beating:
      return "beating";
    case Beat::Stopped:
      return "stopped";
    case Beat::TimedOut:
      return "timed out";
    case Beat::Lost:
      return "lost";
  }
  return "lost";
}

const JobObject& job_of(const py::object& o) {
  const JobObject* j = as_job(o.ptr());
  check(j != nullptr);
  return *j;
}

// The policy of a job is for the worker that owns it alone (design 4.8).
const jobs::LockedJob& owned_by_worker(const py::object& o) {
  const jobs::LockedJob& locked = job_of(o).locked;
  if (locked.owner == jobs::Owner::Worker) return locked;
  raise_now(make_error(ErrorCode::Conflict, "expected a lock whose worker runs the policy, but the engine runs it"));
}

// ("bpmn_error", code, message) | ("status", value, None) | ("retry", delay, left) | ("exhausted", note, None)
py::tuple judge(const py::object& job, const py::object& code, const py::object& body, const py::object& message, int failures,
                double jitter) {
  policy::Failure failure;
  check(value_of(code.ptr(), "code", failure.code) && value_of(body.ptr(), "body", failure.body));
  failure.message = utf8(message, "message");
  const FaultVerdict verdict = judge_fault(owned_by_worker(job), failure, failures, jitter);
  if (const auto* e = std::get_if<policy::BusinessError>(&verdict)) return py::make_tuple("bpmn_error", e->code, e->message);
  if (const auto* s = std::get_if<policy::BusinessStatus>(&verdict))
    return py::make_tuple("status", owned(object_of(s->value)), py::none());
  if (const auto* t = std::get_if<TryAgain>(&verdict)) return py::make_tuple("retry", owned(timedelta_of(t->delay)), t->left);
  return py::make_tuple("exhausted", std::get_if<UsedUp>(&verdict)->note, py::none());
}

py::object mapped(const py::object& job, const py::object& output) {
  const jobs::LockedJob& locked = owned_by_worker(job);
  if (!locked.job.service->policy->output) return output;
  VariableBlock block;
  check(block_of(output.ptr(), "output", block));
  return owned(dict_of(value_or_raise(map_worker_output(locked, block))));
}

// Whether a raw report with this code would be a success: asked by those who have a fault in hand. Tells nothing under
// EngineAuthoritative.
bool reads_as_success(const py::object& job, const py::object& code) {
  const jobs::LockedJob& locked = job_of(job).locked;
  Value value;
  check(value_of(code.ptr(), "code", value));
  return !locked.authoritative() && locked.job.service->policy->how_raw_reads().success(value);
}

// What may be shown of the policy; None under EngineAuthoritative (design 4.8).
py::object job_policy(const py::object& job) {
  const jobs::LockedJob& locked = job_of(job).locked;
  if (locked.authoritative()) return py::none();
  const policy::Policy& p = *locked.job.service->policy;
  py::dict out;
  out["status"] = p.status ? py::object(py::str(p.status->name)) : py::none();
  out["maps_errors"] = p.errors != nullptr;
  out["maps_output"] = p.output.has_value();
  out["on_mismatch"] = p.on_mismatch == policy::OnMismatch::Incident ? "incident" : "retry";
  const policy::RetryFields fields = p.retry ? policy::fields_of(*p.retry) : policy::RetryFields{"none", 0, {}, {}, 0};
  out["retry"] = fields.kind;
  out["max_attempts"] = fields.max_attempts;
  out["base"] = owned(timedelta_of(fields.base));
  out["cap"] = owned(timedelta_of(fields.cap));
  out["jitter"] = fields.jitter;
  return out;
}

}  // namespace

void bind_worker(py::module_& m) {
  py::class_<Fetch>(m, "Fetch")
      .def("wait",
           [](Fetch& f, const py::object& timeout) {
             Duration d;
             check(duration_of(timeout.ptr(), "timeout", true, d));
             const int ready = f.wait(d);
             check(ready >= 0);
             return ready == 1;
           })
      .def_property_readonly("ready", &Fetch::ready)
      .def("take",
           [](Fetch& f) {
             std::vector<jobs::LockedJob> locked;
             check(f.take(locked));
             return owned(new_jobs(f.host(), std::move(locked)));
           })
      .def("cancel", &Fetch::cancel)
      .def("notify", &Fetch::notify);
  py::class_<Heartbeat, HeartbeatPtr>(m, "Heartbeat")
      .def_property_readonly("state", [](const Heartbeat& h) { return word_of(h.state()); })
      .def_property_readonly("error",
                             [](const Heartbeat& h) -> py::object {
                               const auto error = h.error();
                               return error ? owned(exception_of(*error).release()) : py::none();
                             })
      .def("stop", &Heartbeat::stop);
  m.def("start_fetch", &start_fetch);
  m.def("check_fetch", &check_fetch);
  m.def("heartbeat", &heartbeat);
  m.def("judge", &judge);
  m.def("map_output", &mapped);
  m.def("reads_as_success", &reads_as_success);
  m.def("job_policy", &job_policy);
  m.def("dispatcher_of", [](const py::object& job) { return owned(new_dispatcher(job_of(job).host)); });
  m.def("hand_driven", [](const py::object& engine) {
    const EngineObject* e = as_engine(engine.ptr());
    check(e != nullptr);
    return e->host->hand_driven();
  });
}

}  // namespace headrace::bindings
