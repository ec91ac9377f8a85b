#include "local_handler.hpp"

#include "callables.hpp"
#include "convert.hpp"
#include "face.hpp"
#include "held.hpp"
#include "times.hpp"
#include "types.hpp"
#include "verdicts.hpp"

namespace headrace::bindings {

namespace {

jobs::Report failed(policy::Failure failure, std::optional<Duration> after = std::nullopt) {
  return jobs::ReportFail{std::move(failure), std::nullopt, after, {}, {}};
}

// A fault goes to the service's mapper where there is one: as a raw report, unless the binding would take its code for a success.
jobs::Report fault_report(const policy::Policy& policy, policy::Failure failure) {
  const bool raw = policy.errors && policy.trust == policy::Trust::WorkerTrusted && !failure.code.is_null() &&
                   !policy.how_raw_reads().success(failure.code);
  if (raw) return jobs::ReportRaw{std::move(failure.code), std::move(failure.body), std::move(failure.message)};
  return failed(std::move(failure));
}

jobs::Report retry_report() {
  const Ref error = take_exception();
  const Ref after = Ref::steal(PyObject_GetAttrString(error.get(), "after"));
  std::optional<Duration> delay;
  if (!after || !optional_duration_of(after.get(), "after", delay)) return failed(take_failure());
  policy::Failure failure;
  failure.message = "the worker asks for a retry";
  return failed(std::move(failure), delay);
}

jobs::Report raised_report(const policy::Policy& policy) {
  if (raised(face().bpmn_error)) {
    const Ref error = take_exception();
    RaisedBpmnError read;
    if (!read_bpmn_error(error.get(), read)) return failed(take_failure());
    return jobs::ReportBpmnError{std::move(read.code), std::move(read.message), std::move(read.variables)};
  }
  if (raised(face().status)) {
    const Ref error = take_exception();
    jobs::ReportStatus status;
    if (!read_status(error.get(), status.value)) return failed(take_failure());
    return status;
  }
  if (raised(face().fault)) {
    const Ref error = take_exception();
    policy::Failure failure;
    if (!read_fault(error.get(), failure)) return failed(take_failure());
    return fault_report(policy, std::move(failure));
  }
  return raised(face().retry) ? retry_report() : fault_report(policy, take_failure());
}

class PythonHandler final : public jobs::LocalHandler {
 public:
  PythonHandler(const HostPtr& host, PyObject* run) : host_(host), run_(run) {}

  jobs::Report handle(const jobs::LockedJob& locked) override {
    const GilTaken gil;
    const HostPtr host = host_.lock();
    const Ref job = Ref::steal(host ? new_job(host, locked) : nullptr);
    if (!job) return failed(take_failure());
    const Ref result = Ref::steal(PyObject_CallOneArg(run_.get(), job.get()));
    if (!result) return raised_report(*locked.job.service->policy);
    jobs::ReportComplete report;
    if (!block_of(result.get(), "output", report.output)) return failed(take_failure());
    return report;
  }

 private:
  const std::weak_ptr<Host> host_;
  Held run_;
};

}  // namespace

std::shared_ptr<jobs::LocalHandler> local_handler(const HostPtr& host, PyObject* run) {
  return std::make_shared<PythonHandler>(host, run);
}

}  // namespace headrace::bindings
