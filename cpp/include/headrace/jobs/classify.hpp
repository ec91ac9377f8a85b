#pragma once
// What a report means (ADR-021 2.6, 2.7; design 4.6-4.9): the policy of the job, the owner of its lock, the attempts so far and
// the report give one verdict. Pure but for custom policies, mappers and schemas, which may call out: never called with a lock
// held.

#include <optional>
#include <string>
#include <variant>

#include "headrace/jobs/outcome.hpp"

namespace headrace::jobs {

// Texts from workers: longer codes are refused, longer messages are cut and marked; above kMaxText everything is refused.
inline constexpr std::size_t kMaxCode = 4000;
inline constexpr std::size_t kMaxMessage = 4000;
inline constexpr std::size_t kMaxText = 1U << 20U;

// How often a job was tried. `spent` counts failures and counted expiries since `allowance` was set; the allowance is a worker's
// retries=n or an operator's retry(n), nullopt means the policy's own count.
struct Attempts {
  int failures = 0;
  int expiries = 0;
  int spent = 0;
  std::optional<int> allowance;
  bool charged = false;   // this epoch has cost its attempt: its expiry was counted (design 4.6)
  bool incident = false;  // the job stands in an incident: the report is late
};

// The job ends: Completed, or Failed for a BPMN error (reference/invariants.md J1).
struct Finish {
  std::optional<Outcome> outcome;
  JobState state = JobState::Completed;
};
// It is tried again after `delay`.
struct Again {
  Duration delay;
  std::optional<int> allowance;  // set: counts anew from here
  std::optional<int> left;       // what is left, for people and workers; nullopt: only the policy knows
  bool counts = true;            // it costs attempts:
  int executions = 1;            // that many
  std::string error;
  std::optional<Outcome> outcome;  // variables for the instance
};
// No attempt is left: an incident, or Failed under WithOnExhausted("fail").
struct Exhaust {
  std::optional<Outcome> outcome;
  JobState state = JobState::Incident;
  bool counts = true;
  int executions = 1;
  std::string error;
  Duration shown_lock;  // camunda7: the retry time runs with 0 retries too (design 4.17)
};
// A late failure of an epoch that has cost its attempt already: the text is kept, the job stays where it was.
struct Noted {
  std::string error;
};
struct Verdict {
  std::variant<Finish, Again, Exhaust, Noted> is;
  std::string note;  // why a clause, a mapper or a policy could not be used; for the log
  // What the sink is told; empty when the instance does not care.
  std::optional<Outcome> take_outcome();
};

// Errors: Validation (the report is malformed: nothing changes). `jitter` in [0, 1).
Result<Verdict> classify(const policy::Policy&, Owner, const Attempts&, Report, double jitter);
// A counted lock expiry: `attempts` without it. The first one has no delay (design 4.6).
Verdict judge_expiry(const policy::Policy&, const Attempts&, double jitter);
// The job timeout uses up all attempts (design 4.14).
Verdict judge_timeout(const policy::Policy&, const Attempts&);
// An expiry or timeout that was counted before, whose exhaustion the engine could not take then.
Verdict judge_pending(const policy::Policy&, const Attempts&, bool timed_out);

// What is left of a stock policy's or an allowance's count; nullopt where only a custom policy knows.
std::optional<int> left_of(const policy::Policy&, const Attempts&);

// A raw result as the engine maps it: output mapping, message, schema (design 4.9). An operator's "map again" of the body that an
// incident kept runs this with the policy of the job. Errors say what did not fit.
Result<OutcomeCompleted> map_result(const policy::Policy&, const Value& body);

// Whether a worker may see policy, attempts and last error of the job (design 4.8): false under EngineAuthoritative.
bool shows_policy(const policy::Policy&);

}  // namespace headrace::jobs
