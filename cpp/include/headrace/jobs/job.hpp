#pragma once
// The words of the job queue (SRD-036 section 3.1, design 4): what a job is, what a worker gets, what it can report. Plain
// values.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "headrace/base/id.hpp"
#include "headrace/base/time.hpp"
#include "headrace/base/value.hpp"
#include "headrace/base/variable_view.hpp"
#include "headrace/policy/policy.hpp"

namespace headrace::jobs {

// Design 4.2. Completed, Failed and Cancelled are final.
enum class JobState : std::uint8_t { Queued, Locked, Reporting, BackingOff, Incident, Completed, Failed, Cancelled };
inline constexpr std::size_t kJobStates = 8;
std::string_view name_of(
    JobState);  // "queued", "locked", "reporting", "backing off", "incident", "completed", "failed", "cancelled"

// What all jobs of one service share: resolved at enqueue from the model and the engine's defaults of that moment.
struct Service {
  Topic topic;
  std::string node;           // element id
  std::string process;        // process definition id
  std::uint32_t version = 1;  // of the definition
  policy::PolicyPtr policy;   // never null
  std::int64_t priority = 0;
  std::shared_ptr<const void> keep_alive;  // the definition
};
using ServicePtr = std::shared_ptr<const Service>;

// A job as it is enqueued. `view` is the bound in message (fixed), or for an open contract the visible variables, which the
// instance publishes anew at each commit (design 4.10).
struct Job {
  JobKey key;
  ServicePtr service;
  VariableView view;
  Instant enqueued;
  Slice business_key;  // text, may be empty
  Slice traceparent;   // W3C trace context, may be empty
};

// `<root>:<instance>:<token>:<visit>:<node>`
std::string to_text(const JobKey&, std::string_view node);
// Error: JobNotFound for text that is no JobId (wrong ids must not be told apart from unknown ones). The node part is returned
// too.
struct ParsedJobId {
  JobKey key;
  std::string_view node;
};
Result<ParsedJobId> parse_job_id(std::string_view text);

// Who runs the policy for one lock, fixed at fetch (design 4.8).
enum class Owner : std::uint8_t { Engine, Worker };

// A fetched job: a snapshot of the job and its lock.
struct LockedJob {
  Job job;
  WorkerId worker;
  Instant deadline;
  std::uint64_t epoch = 0;       // grows by 1 at each fetch
  std::uint32_t generation = 1;  // raised by an operator's retry
  Owner owner = Owner::Engine;
  int attempt = 1;  // executions and counted expiries so far + 1
  int expiries = 0;
  std::optional<int> retries;  // what is left; nullopt: never failed
  // Under EngineAuthoritative a worker may see none of policy, attempt, expiries, retries (design 4.8): the borders check this.
  bool authoritative() const { return job.service->policy->trust == policy::Trust::EngineAuthoritative; }
};

struct FetchRequest {
  WorkerId worker;
  std::vector<Topic> topics;
  std::optional<Duration> lock_duration;  // else the topic's, else the engine's, else 5 min
  int max_jobs = 1;
  bool runs_policy = false;  // the worker declares that it runs policies (hr.Worker)
};

// Exactly one of these ends a lock (design 3, dispatcher verbs).
struct ReportComplete {
  VariableBlock output;
  VariableBlock local;
};
struct ReportStatus {
  Value value;
};
struct ReportBpmnError {
  std::string code;
  std::string message;
  VariableBlock variables;
};
struct ReportFail {
  policy::Failure failure;
  std::optional<int> retries;
  std::optional<Duration> retry_after;
  VariableBlock variables;
  VariableBlock local;
  int executions = 1;  // under this lock: a worker that owns the policy tries again before it reports
};
struct ReportRaw {
  Value code;
  Value body;
  std::string message = {};  // what the reporter adds for people; no rule reads it
};
using Report = std::variant<ReportComplete, ReportStatus, ReportBpmnError, ReportFail, ReportRaw>;

// Who reports on what: the id, the holder, and the epoch when the caller gives one.
struct ReportTarget {
  JobKey key;
  WorkerId worker;
  std::optional<std::uint64_t> epoch;
};

}  // namespace headrace::jobs
