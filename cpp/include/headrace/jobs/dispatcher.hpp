#pragma once
// WorkerDispatcher: the asynchronous fetch-and-lock job queue as an extension point (ADR-021 2.4, SRD-036 3.1). LocalDispatcher
// is the batteries-included one. All methods are safe from any thread and never block on an instance but for terminal reports.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "headrace/jobs/outcome.hpp"

namespace headrace::jobs {

// Lock options belong to the topic (design 4.4).
struct TopicOptions {
  std::optional<Duration> lock_duration;
  std::optional<Duration> max_lock_duration;
  std::optional<std::uint64_t> max_queued;  // starts are refused above it; a token on its way is queued all the same
};

class WorkerDispatcher {
 public:
  virtual ~WorkerDispatcher() = default;

  // engine -> queue, after the commit of the step that made the job; idempotent by key. An error is a technical fault of the
  // task.
  virtual Status enqueue(Job job) = 0;
  // The activity is gone: the job is cancelled, whatever its state. Unknown keys are fine (idempotent).
  virtual Status withdraw(const JobKey&) = 0;

  // worker <- queue. Waits up to `wait` for a first job; answers [] then. Errors: Validation (naming the field), LockCapExceeded
  // (a first lock above the topic's cap), Closed.
  virtual Result<std::vector<LockedJob>> fetch_and_lock(const FetchRequest&, Duration wait) = 0;
  // Needs the holder and a live lock; deadline becomes now + duration. Errors: JobNotFound, NotLockHolder, LockExpired,
  // LockCapExceeded, Validation. Answers the new deadline.
  virtual Result<Instant> extend_lock(const ReportTarget&, Duration) = 0;
  // Hands the job back: queued at once, no attempt lost. Errors: JobNotFound, NotLockHolder.
  virtual Status unlock(const ReportTarget&) = 0;

  // worker -> engine, exactly one per lock. Returns after the commit. Errors: JobNotFound, NotLockHolder, InstanceSuspended,
  // Validation, and what the step answers.
  virtual Status report(const ReportTarget&, Report) = 0;
  // Answers per item, in order; nullopt is success.
  virtual std::vector<std::optional<Error>> complete_many(std::vector<std::pair<ReportTarget, VariableBlock>>) = 0;

  // Jobs of a topic that wait to be fetched (queued), "" for all topics.
  virtual std::uint64_t pending(const Topic&) const = 0;
};

}  // namespace headrace::jobs
