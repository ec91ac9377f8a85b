#pragma once
// A job queue that is a Python object (WithWorkerDispatcher; headrace.WorkerDispatcher has the methods): the engine feeds it
// through the outbox, and it answers by the sink that it is bound to. Calls come from pool threads and from callers; each takes
// the GIL.

#include <condition_variable>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "headrace/jobs/dispatcher.hpp"
#include "headrace/jobs/outcome.hpp"
#include "held.hpp"

namespace headrace::bindings {

// The way back to the engine; outlives it (then it answers Closed). Safe from any thread.
class Sink {
 public:
  void bind(jobs::JobCompletionSink*);
  // Waits for the commit of the step, without the GIL.
  Status report(jobs::WorkerOutcome);

 private:
  std::mutex mutex_;
  jobs::JobCompletionSink* target_ = nullptr;
};

class PythonDispatcher final : public jobs::WorkerDispatcher, public jobs::SinkBinder {
 public:
  explicit PythonDispatcher(PyObject* queue) : queue_(queue), sink_(std::make_shared<Sink>()) {}

  Status enqueue(jobs::Job) override;
  Status withdraw(const JobKey&) override;
  Result<std::vector<jobs::LockedJob>> fetch_and_lock(const jobs::FetchRequest&, Duration wait) override;
  Result<Instant> extend_lock(const jobs::ReportTarget&, Duration) override;
  Status unlock(const jobs::ReportTarget&) override;
  Status report(const jobs::ReportTarget&, jobs::Report) override;
  std::vector<std::optional<Error>> complete_many(std::vector<std::pair<jobs::ReportTarget, VariableBlock>>) override;
  std::uint64_t pending(const Topic&) const override;
  void bind_sink(jobs::JobCompletionSink*) override;
  const std::shared_ptr<Sink>& sink() const { return sink_; }

 private:
  std::string id_of(const JobKey&) const;
  Result<jobs::LockedJob> locked_of(PyObject* data, const jobs::FetchRequest&) const;
  Held queue_;
  std::shared_ptr<Sink> sink_;
  mutable std::mutex mutex_;
  std::unordered_map<JobKey, jobs::Job, JobKeyHash> known_;  // enqueued, and neither withdrawn nor reported
};

// Binds the sink to the object and gives the engine its queue. May throw pybind11's error_already_set.
std::shared_ptr<jobs::WorkerDispatcher> python_dispatcher(PyObject* queue);

}  // namespace headrace::bindings
