#pragma once
// Technical faults and what becomes of them (design 4.7).

#include <algorithm>
#include <limits>

#include "headrace/jobs/classify.hpp"

namespace headrace::jobs {

// What is known while one report is judged.
struct Case {
  const policy::Policy& policy;
  Owner owner;
  const Attempts& attempts;
  double jitter;
  std::string note;
  int executions = 1;  // that end in this report

  bool authoritative() const { return policy.trust == policy::Trust::EngineAuthoritative; }
  Attempts after() const {
    Attempts a = attempts;
    if (a.charged) return a;
    a.failures = saturated(a.failures);
    a.spent = saturated(a.spent);
    return a;
  }

 private:
  int saturated(int n) const {
    return n > std::numeric_limits<int>::max() - executions ? std::numeric_limits<int>::max() : n + executions;
  }
};

struct Said {  // what the worker said about trying again
  std::optional<int> retries;
  std::optional<Duration> after;
  VariableBlock variables;
  VariableBlock local;
};

// The message of a failure, or a sentence from its code.
std::string text_of(const policy::Failure&);
Verdict verdict(Case& c, std::variant<Finish, Again, Exhaust, Noted> is);
// A technical fault, by the table of design 4.7.
Verdict technical(Case& c, policy::Failure failure, Said said);
// A result that does not fit its contract; `raw` is kept for an operator, who may map it again.
Verdict mismatch(Case& c, const std::string& why, Value raw);

}  // namespace headrace::jobs
