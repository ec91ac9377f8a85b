#include "judge_fault.hpp"

#include <algorithm>

#include "decide_retry.hpp"
#include "headrace/jobs/mismatch.hpp"
#include "report_limits.hpp"

namespace headrace::jobs {
namespace {

using policy::Failure;

Verdict exhaust(Case& c, Failure failure, Duration shown = {}) {
  Exhaust x;
  const Attempts after = c.after();
  x.counts = !c.attempts.charged;
  x.executions = c.executions;
  x.error = text_of(failure);
  if (c.attempts.incident) return verdict(c, Noted{x.error});  // it stands in one already
  if (c.policy.on_exhausted == policy::OnExhausted::Fail) x.state = JobState::Failed;
  if (c.policy.profile == policy::Profile::Camunda7) x.shown_lock = shown;
  if (failure.message.empty()) failure.message = x.error;
  x.outcome = Outcome(OutcomeExhausted{std::move(failure), after.failures, after.expiries, false});
  return verdict(c, std::move(x));
}

Verdict again(Case& c, const Failure& failure, Said said, Duration delay, std::optional<int> allowance, std::optional<int> left) {
  Again a;
  a.delay = delay;
  a.allowance = allowance;
  a.left = left;
  a.counts = !c.attempts.charged;
  a.executions = c.executions;
  a.error = text_of(failure);
  // an open incident is closed by the retries that its worker gives after all
  if (said.variables.size() > 0 || said.local.size() > 0 || c.attempts.incident) {
    a.outcome = Outcome(OutcomeVariables{std::move(said.variables), std::move(said.local)});
  }
  return verdict(c, std::move(a));
}

}  // namespace

std::string text_of(const Failure& f) {
  if (!f.message.empty()) return f.message;
  if (f.code.is(Kind::Int)) return "code " + std::to_string(f.code.as_int());
  if (f.code.is(Kind::String)) return "code " + f.code.as_string();
  return "the worker reported a failure";
}

Verdict verdict(Case& c, std::variant<Finish, Again, Exhaust, Noted> is) { return {std::move(is), std::move(c.note)}; }

Verdict technical(Case& c, Failure failure, Said said) {
  const Duration shown = said.after.value_or(Duration{});
  if (said.retries == 0) return exhaust(c, std::move(failure), shown);
  if (said.retries && !c.authoritative()) return again(c, failure, std::move(said), shown, said.retries, said.retries);
  if (c.owner == Owner::Worker || !c.policy.retry) return exhaust(c, std::move(failure), shown);
  // a late failure of an epoch that has cost its attempt adds its text; one in an incident stays there
  if ((c.attempts.charged || c.attempts.incident) && !said.retries) return verdict(c, Noted{text_of(failure)});
  const Retry r = decide_retry(c.policy, c.after(), failure, c.jitter);
  if (!r.trouble.empty()) {
    c.note += (c.note.empty() ? "" : "; ") + r.trouble;
    failure.message = cut_message(text_of(failure) + "; " + r.trouble);
  }
  if (!r.again) return exhaust(c, std::move(failure), shown);
  if (!said.retries) {
    const Duration delay = c.authoritative() ? std::max(r.delay, shown) : said.after.value_or(r.delay);
    return again(c, failure, std::move(said), delay, std::nullopt, r.left);
  }
  // EngineAuthoritative: the worker may only lower the count and lengthen the wait
  const int left = std::min(r.left.value_or(*said.retries), *said.retries);
  return again(c, failure, std::move(said), std::max(r.delay, shown), left, left);
}

Verdict mismatch(Case& c, const std::string& why, Value raw) {
  Failure f{Value(), std::move(raw), cut_message(std::string(kMismatch) + why)};
  if (c.policy.on_mismatch == policy::OnMismatch::Incident) return exhaust(c, std::move(f));
  Case by_engine{c.policy, Owner::Engine, c.attempts, c.jitter, std::move(c.note)};  // the worker has had its say
  return technical(by_engine, std::move(f), {});
}

}  // namespace headrace::jobs
