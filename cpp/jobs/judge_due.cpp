#include <limits>
#include <utility>

#include "decide_retry.hpp"

namespace headrace::jobs {
namespace {

using policy::Policy;

// The counted end of a lock or of the job's time.
Exhaust exhausted_by(const Policy& p, const Attempts& after, const std::string& text, bool counts) {
  Exhaust x;
  x.counts = counts;
  x.error = text;
  if (p.on_exhausted == policy::OnExhausted::Fail) x.state = JobState::Failed;
  x.outcome = Outcome(OutcomeExhausted{{Value(), Value(), text}, after.failures, after.expiries, true});
  return x;
}

}  // namespace

std::optional<Outcome> Verdict::take_outcome() {
  return std::visit(
      [](auto& v) -> std::optional<Outcome> {
        if constexpr (std::is_same_v<std::decay_t<decltype(v)>, Noted>) {
          return std::nullopt;
        } else {
          return std::exchange(v.outcome, std::nullopt);
        }
      },
      is);
}

Verdict judge_expiry(const Policy& p, const Attempts& attempts, double jitter) {
  Attempts after = attempts;
  ++after.expiries;
  if (after.spent < std::numeric_limits<int>::max()) ++after.spent;
  const std::string text = "lock expired";
  const Retry r = decide_retry(p, after, {Value(), Value(), text}, jitter);
  if (!r.again) return {exhausted_by(p, after, r.trouble.empty() ? text : text + "; " + r.trouble, true), r.trouble};
  Again a;
  a.delay = after.expiries == 1 ? Duration{} : r.delay;
  a.left = r.left;
  a.error = text;
  return {std::move(a), {}};
}

Verdict judge_timeout(const Policy& p, const Attempts& attempts) { return {exhausted_by(p, attempts, "job timeout", false), {}}; }

Verdict judge_pending(const Policy& p, const Attempts& attempts, bool timed_out) {
  return {exhausted_by(p, attempts, timed_out ? "job timeout" : "lock expired", false), {}};
}

}  // namespace headrace::jobs
