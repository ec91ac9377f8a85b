#include "reports.hpp"

#include "args.hpp"
#include "errors.hpp"
#include "types.hpp"

namespace headrace::bindings {

namespace {
constexpr std::size_t kShownId = 1'000;
}

bool target_of(PyObject* id, PyObject* worker, PyObject* epoch, jobs::ReportTarget& out) {
  std::string_view name;
  if (!text_of(worker, "worker", name)) return false;
  out.worker = WorkerId(std::string(name));
  if (is_job(id)) {
    const JobObject* job = as_job(id);
    out.key = job->locked.job.key;
    out.epoch = job->locked.epoch;
  } else {
    std::string_view written;
    if (!text_of(id, "id", written)) return false;
    const auto parsed = jobs::parse_job_id(written);
    if (!parsed) return raise(parsed.error()) != nullptr;
    out.key = parsed->key;
  }
  if (!given(epoch)) return true;
  long long number = 0;
  if (!int_of(epoch, "epoch", 0, std::numeric_limits<long long>::max(), number)) return false;
  out.epoch = static_cast<std::uint64_t>(number);
  return true;
}

// Inside, a job is known by its key alone.
Error with_id(const Error& error, PyObject* id) {
  if (error.code != ErrorCode::JobNotFound) return error;
  const Ref written = is_job(id) ? Ref::steal(PyObject_GetAttrString(id, "id")) : Ref::borrow(id);
  std::string_view text;
  if (!written || !text_of(written.get(), "id", text)) {
    PyErr_Clear();
    return error;
  }
  return make_error(ErrorCode::JobNotFound, "expected an open job '" + std::string(text.substr(0, kShownId)) +
                                                "', found none: it is finished or was never there");
}

PyObject* none_or_raise(const Status& status, PyObject* id) {
  if (!status) return raise(with_id(status.error(), id));
  Py_RETURN_NONE;
}

PyObject* send_report(const HostPtr& host, PyObject* id, const jobs::ReportTarget& target, jobs::Report report) {
  Status status = Ok{};
  {
    const GilReleased nogil;
    status = host->dispatcher().report(target, std::move(report));
  }
  return none_or_raise(status, id);
}

}  // namespace headrace::bindings
