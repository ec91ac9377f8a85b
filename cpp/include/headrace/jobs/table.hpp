#pragma once
// The life cycle of jobs as one table (design 4.2): every transition is a method here, with its time as an argument. Pure: no
// thread, clock or chance; LocalDispatcher puts a mutex around it, durable stores run the same rules.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "headrace/jobs/classify.hpp"
#include "headrace/jobs/dispatcher.hpp"
#include "headrace/jobs/job.hpp"

namespace headrace::jobs {

// What a job looks like from outside, for tests, listings and incidents.
struct JobInfo {
  JobKey key;
  ServicePtr service;
  JobState state = JobState::Queued;
  WorkerId worker;
  Instant deadline;    // lock end, back-off end, or zero
  Instant first_lock;  // of the current fetch
  std::uint64_t epoch = 0;
  std::uint32_t generation = 1;
  int failures = 0;  // executions that ended in a technical fault
  int expiries = 0;  // counted ones
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
  // reports: taken; reports_refused: for a job of the topic, refused or undone by the step. retries: put back after a fault.
  std::uint64_t reports = 0, reports_refused = 0, extensions = 0, cap_hits = 0, expiries = 0, retries = 0, exhausted = 0,
                unlocks = 0;
  std::uint64_t attempts = 0;  // technical faults and counted expiries
  std::uint64_t stuck = 0;     // stuck-topic alarms
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

struct LockDefaults {
  Duration lock = policy::kDefaultLock;
  Duration cap = policy::kDefaultMaxLock;
};
// A topic with jobs that nobody asks for is stuck after this time (design 4.3).
inline constexpr Duration kStuckAfter = Duration::minutes(5);
// How long an exhaustion that the engine could not take (a suspended instance, a busy store) waits before it is told again.
inline constexpr Duration kTellAgain = Duration::seconds(1);
// Locks shorter than this cost no attempt when they run out (design 4.6).
inline constexpr Duration kCountedLock = Duration::seconds(1);

enum class Cause : std::uint8_t { Worker, Expiry, Timeout, Pending };

// A job taken out of the traffic (state reporting): not fetchable, not expirable, no second report, until end().
struct Ticket {
  std::uint32_t handle = 0;
  Cause cause = Cause::Worker;
  JobKey key;
  const Service* service = nullptr;  // valid until end()
  Owner owner = Owner::Engine;
  bool timed_out = false;
  Attempts attempts;
};
// Where a job went when its report ended. `gone` is the job itself when it is final: destroy it without locks held, for it may
// hold the last reference to a definition.
struct Ended {
  JobState state = JobState::Queued;
  bool undone = false;
  Instant due;  // end of the back-off, or zero
  Job gone;
};
enum class Withdrawn : std::uint8_t { Unknown, Cancelled, Pending };  // Pending: its report decides

// An expiry that was booked without asking a policy, for the log.
struct Expired {
  JobKey key;
  bool counted = false;
};
struct DueWork {
  std::vector<Ticket> tickets;   // each wants a verdict and end()
  std::vector<Expired> expired;  // includes those of `tickets`
  std::vector<std::string> stuck;
  std::size_t booked = 0;
};

class Table {
 public:
  Table();
  ~Table();
  Table(Table&&) noexcept;
  Table& operator=(Table&&) noexcept;

  void set_defaults(LockDefaults);
  void configure(const Topic&, const TopicOptions&);
  bool accepts(const Topic&) const;

  // True when it is new; a known key changes nothing.
  bool enqueue(Job);
  Withdrawn withdraw(const JobKey&, Job& gone);
  // Answers the old view, to be destroyed without locks.
  VariableView publish(const JobKey&, VariableView);
  // Appends what it locks. Error: LockCapExceeded; then nothing is locked. The request is checked by check().
  Status fetch(const FetchRequest&, Instant now, std::vector<LockedJob>& out);
  static Status check(const FetchRequest&);
  Result<Instant> extend(const ReportTarget&, Duration, Instant now);
  Status unlock(const ReportTarget&, Instant now);
  // Hands a job back that never reached its worker, if `epoch` still holds the lock: at no cost, to its old place in line.
  void hand_back(const JobKey&, std::uint64_t epoch);

  Result<Ticket> begin_report(const ReportTarget&);
  // The end of a report or a booking: by the verdict when the answer is ok. Otherwise a report is undone: the job is exactly
  // where it was; JobNotFound, or a withdrawal meanwhile, cancels it.
  Ended end(const Ticket&, const Verdict&, const Status& answer, Instant now);
  // The report was refused before any verdict.
  Ended undo(const Ticket&);

  // The step of a report has raised an incident instead of completing the task: when the report ends, its job stands in it.
  void park(const JobKey&);
  void suspend(const JobKey&);
  void resume(const JobKey&);
  Status retry(const JobKey&, int retries, Instant now);
  Status finish(const JobKey&, JobState final_state, Job& gone);

  // Books what is due. Expiries and timeouts that need a verdict come back as tickets.
  void run_due(Instant now, DueWork& out);
  Instant next_due() const;
  // Not later than the next time a stuck topic would be told; never() when none could be.
  Instant next_alarm() const;

  // Topics in which jobs became fetchable since the last call, each once.
  bool has_fresh() const;
  void take_fresh(std::vector<Topic>& out);
  void drop_fresh();
  std::size_t fetchable(const Topic&) const;
  std::uint64_t queued(const Topic&) const;  // "" for all

  std::optional<JobInfo> find(const JobKey&) const;
  JobInfo info(const Ticket&) const;
  std::vector<JobInfo> list() const;
  QueueMetrics metrics() const;
  // Records looked at since the start: what the cost of calls is measured by in tests.
  std::uint64_t steps() const;
  std::size_t bytes() const;  // of the table itself, without variables

  struct Impl;  // known to cpp/jobs only

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace headrace::jobs
