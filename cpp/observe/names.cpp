#include "headrace/observe/recorder.hpp"

namespace headrace::observe {

// Stable: people filter and alert on these.
std::string_view name_of(What what) {
  switch (what) {
    case What::InstanceStarted:
      return "instance-started";
    case What::InstanceEnded:
      return "instance-ended";
    case What::InstanceSuspended:
      return "instance-suspended";
    case What::InstanceResumed:
      return "instance-resumed";
    case What::NodeEntered:
      return "node-entered";
    case What::NodeCompleted:
      return "node-completed";
    case What::NodeCancelled:
      return "node-cancelled";
    case What::JobEnqueued:
      return "job-enqueued";
    case What::JobFetched:
      return "job-fetched";
    case What::JobReported:
      return "job-reported";
    case What::JobReportRefused:
      return "job-report-refused";
    case What::LockExtended:
      return "lock-extended";
    case What::LockCapHit:
      return "lock-cap-hit";
    case What::LockExpired:
      return "lock-expired";
    case What::JobUnlocked:
      return "job-unlocked";
    case What::JobRetried:
      return "job-retried";
    case What::JobBackedOff:
      return "job-backed-off";
    case What::JobClassified:
      return "job-classified";
    case What::JobCompleted:
      return "job-completed";
    case What::JobFailed:
      return "job-failed";
    case What::JobCancelled:
      return "job-cancelled";
    case What::JobExhausted:
      return "job-exhausted";
    case What::IncidentRaised:
      return "incident-raised";
    case What::IncidentResolved:
      return "incident-resolved";
    case What::OperationTimedOut:
      return "operation-timed-out";
    case What::OperationLate:
      return "operation-late";
    case What::ExecutorBypassed:
      return "executor-bypassed";
    case What::TopicStuck:
      return "topic-stuck";
    case What::ClauseFailed:
      return "clause-failed";
    case What::TimerFired:
      return "timer-fired";
    case What::Deployed:
      return "deployed";
    case What::VariableWritten:
      return "variable-written";
    case What::EngineNote:
      return "engine-note";
  }
  return "unknown";
}

}  // namespace headrace::observe
