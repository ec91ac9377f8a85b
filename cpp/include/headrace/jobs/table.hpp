#pragma once
// The life cycle of jobs as one table (design 4.2): every transition is a method here, with its time as an argument. Pure: no
// thread, clock or chance; LocalDispatcher puts a mutex around it, durable stores run the same rules.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "headrace/jobs/dispatcher.hpp"
#include "headrace/jobs/job.hpp"

namespace headrace::jobs {

// What a job looks like from outside, for tests, listings and incidents.
struct JobInfo {
  JobKey key;
  ServicePtr service;
  JobState state = JobState::Queued;
  WorkerId worker;
  Instant deadline;       // lock end, back-off end, or zero
  Instant first_lock;     // of the current fetch
  std::uint64_t epoch = 0;
  std::uint32_t generation = 1;
  int failures = 0;       // executions that ended in a technical fault
  int expiries = 0;       // counted ones
  std::optional<int> retries;
  bool suspended = false;
  Owner owner = Owner::Engine;
  std::string last_error;
  Instant enqueued;
};

// Counters of one topic since the start; gauges as of now. They equal what happened in the table (invariant T15).
struct TopicMetrics {
  std::string topic;
  std::uint64_t queued = 0, locked = 0, reporting = 0, backing_off = 0, incidents = 0;  // gauges
  std::uint64_t enqueued = 0, fetched = 0, completed = 0, failed = 0, cancelled = 0;
  std::uint64_t reports = 0, reports_refused = 0, extensions = 0, cap_hits = 0, expiries = 0, retries = 0, exhausted = 0, unlocks = 0;
  std::uint64_t attempts = 0;
};
struct QueueMetrics {
  std::vector<TopicMetrics> topics;
};

// A handler of the local worker pool. `handle` gets the job and answers one report; it runs on a pool thread.
class LocalHandler {
 public:
  virtual ~LocalHandler() = default;
  virtual Report handle(const LockedJob&) = 0;
};

class Table;  // the helper of this module fills this header

}  // namespace headrace::jobs
