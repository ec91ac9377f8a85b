#pragma once
// LocalDispatcher: the in-memory job queue of an engine (ADR-021 2.4 `localdispatcher`, SRD-036 FR-2): the table of
// jobs/table.hpp behind one mutex, waiting fetches, due times, and a local worker pool. Safe from any thread; no lock of it is
// held while a sink, a policy or a waiter's callback runs.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "headrace/base/clock.hpp"
#include "headrace/jobs/dispatcher.hpp"
#include "headrace/jobs/table.hpp"
#include "headrace/observe/recorder.hpp"

namespace headrace::runtime {

struct LocalDispatcherOptions {
  Duration lock_duration = policy::kDefaultLock;         // engine-wide default
  Duration max_lock_duration = policy::kDefaultMaxLock;  // engine-wide cap
  // Book expiries and due retries inside fetches and reports as well. False with a hand-driven engine (threads=0): there time
  // takes effect only in run_due (design 3).
  bool due_on_call = true;
};

// A registered fetch: keeps its place in line while its thread sleeps in slices (design 3, Ctrl-C).
class FetchWaiter {
 public:
  virtual ~FetchWaiter() = default;
  // Sleeps up to `slice` (real time); true when the fetch is answered.
  virtual bool wait(Duration slice) = 0;
  virtual bool ready() const = 0;
  // The answer, once ready: jobs or an error. Takes it out.
  virtual Result<std::vector<jobs::LockedJob>> take() = 0;
  // Leaves the line; jobs that were handed over already are unlocked without costing an attempt.
  virtual void cancel() = 0;
  // Called once when answered (at once when it is already), from any thread, without locks held.
  virtual void on_ready(UniqueFunction<void()>) = 0;
};

class LocalDispatcher final : public jobs::WorkerDispatcher, public jobs::SinkBinder {
 public:
  LocalDispatcher(std::shared_ptr<Clock>, std::shared_ptr<Random>, std::shared_ptr<observe::Recorder>,
                  LocalDispatcherOptions = {});
  ~LocalDispatcher() override;

  Status enqueue(jobs::Job) override;
  Status withdraw(const JobKey&) override;
  Result<std::vector<jobs::LockedJob>> fetch_and_lock(const jobs::FetchRequest&, Duration wait) override;
  Result<Instant> extend_lock(const jobs::ReportTarget&, Duration) override;
  Status unlock(const jobs::ReportTarget&) override;
  Status report(const jobs::ReportTarget&, jobs::Report) override;
  std::vector<std::optional<Error>> complete_many(std::vector<std::pair<jobs::ReportTarget, VariableBlock>>) override;
  std::uint64_t pending(const Topic&) const override;
  void bind_sink(jobs::JobCompletionSink*) override;

  // A fetch that waits; answered at once when jobs are there. Real time limits of the wait are the caller's affair: cancel() when
  // over.
  Result<std::shared_ptr<FetchWaiter>> start_fetch(const jobs::FetchRequest&);

  // The engine's side. Topic options come from deployed models; differing ones for one topic are refused at deploy by the engine.
  void configure_topic(const Topic&, const jobs::TopicOptions&);
  void set_lock_defaults(Duration lock, Duration cap);
  // Whether one more start that will queue on the topic fits max_queued.
  bool accepts(const Topic&) const;
  // New visible variables for a job with an open contract.
  void publish(const JobKey&, VariableView);
  // A job whose report raised an incident instead of completing its task stays, in that incident.
  void park(const JobKey&);
  // A suspended job keeps its place, is not fetched, and refuses terminal reports (design 4.2).
  void suspend(const JobKey&);
  void resume(const JobKey&);
  // Operator: incident -> queued with `retries` executions left (0: the policy's full count), generation + 1. Error: JobNotFound,
  // Conflict.
  Status retry(const JobKey&, int retries);
  // Operator or engine: takes an incident job to its end without a worker.
  Status finish(const JobKey&, jobs::JobState final_state);

  // Books what is due at `now`: retries, expiries, job timeouts. Returns how many.
  std::size_t run_due(Instant now);
  // The next due time, Instant::never() when nothing is; `changed` is called (any thread, no locks) when an earlier one appears.
  Instant next_due() const;
  void on_due_changed(UniqueFunction<void()> changed);

  // Local worker pool (SRD-036 FR-2): a handler for a topic with a parallelism; runs on threads of the pool until stop_workers().
  using Handler = std::shared_ptr<jobs::LocalHandler>;
  void register_handler(const Topic&, Handler, int parallelism, const WorkerId&);
  // One round on the calling thread: fetches and runs what can be run now (hand-driven engines). Returns jobs run.
  std::size_t run_handlers_once();
  void start_workers();
  void stop_workers();

  // Snapshots.
  std::optional<jobs::JobInfo> find(const JobKey&) const;
  std::vector<jobs::JobInfo> list() const;  // all jobs that are not final, in key order
  jobs::QueueMetrics metrics() const;
  // Records and waiters looked at since the start: what the cost of calls is measured by in tests.
  std::uint64_t steps() const;
  // Wakes and refuses all waiters: Error Closed.
  void close();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace headrace::runtime
