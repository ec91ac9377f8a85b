#pragma once
// WorkerOutcome: what a report means for the instance, after classification and mapping on the reporter's thread (design 1.6).
// It goes to the JobCompletionSink, routed by the key.

#include <string>
#include <variant>

#include "headrace/base/small_function.hpp"
#include "headrace/jobs/job.hpp"

namespace headrace::jobs {

// Success: fields for the instance, already mapped and checked. `mapped`: they are targets of an output mapping.
struct OutcomeCompleted {
  VariableBlock output;
  bool mapped = false;
  VariableBlock local = {};  // local_variables of the report: for the task's own scope, before its output parameters
};
// Business status: the value for the WithStatus variable. `output`: nothing.
struct OutcomeStatus {
  Slice value;  // encoded
  // for the incident when the variable is taken (design 4.10)
  int attempts = 1;
  int expiries = 0;
};
struct OutcomeBpmnError {
  std::string code;
  std::string message;
  VariableBlock variables;
};
// Retries are used up, or the fault is exhausted at once. The instance raises the incident, or fails under
// WithOnExhausted("fail").
struct OutcomeExhausted {
  policy::Failure failure;
  int attempts = 0;  // executions that failed
  int expiries = 0;
  bool expired = false;  // the last straw was a lock expiry or a job timeout
};
// A failure with retries left that brings variables: they are written, the token stays parked.
// An incident that is open at the task is closed by it: the worker of an exhausted job gave it retries after all.
struct OutcomeVariables {
  VariableBlock variables;
  VariableBlock local = {};
};
using Outcome = std::variant<OutcomeCompleted, OutcomeStatus, OutcomeBpmnError, OutcomeExhausted, OutcomeVariables>;

struct WorkerOutcome {
  JobKey key;
  Outcome outcome;
};

// Routes a report to the owning instance. `done` is called exactly once, from any thread, after the commit (ok) or when nothing
// changed: JobNotFound (a cancel won, or the instance is gone), InstanceSuspended, Expression/Technical (a step undone under
// camunda7), Conflict, Store. The dispatcher then ends the report: final, or back to where it was.
class JobCompletionSink {
 public:
  virtual ~JobCompletionSink() = default;
  virtual void report_job_completion(WorkerOutcome, UniqueFunction<void(Status)> done) = 0;
  // Called by a reporter that waits for `done`: does a piece of outstanding work on its thread, where no other thread would (a
  // hand-driven store). False when there is none: then the reporter sleeps.
  virtual bool help() { return false; }
};

// Implemented by dispatchers that report to an engine; bound when the engine is made, and to null when it has closed: reports are
// refused from then on.
class SinkBinder {
 public:
  virtual ~SinkBinder() = default;
  virtual void bind_sink(JobCompletionSink*) = 0;
};

}  // namespace headrace::jobs
