#include "headrace/jobs/classify.hpp"

#include <algorithm>

#include "decide_retry.hpp"
#include "report_limits.hpp"

namespace headrace::jobs {
namespace {

using policy::Failure;
using policy::Policy;

VariableBlock block_of(ValueMap map) { return VariableBlock::from_payload(codec::encode(Value(std::move(map)))); }

// What is known while one report is judged.
struct Case {
  const Policy& policy;
  Owner owner;
  const Attempts& attempts;
  double jitter;
  std::string note;

  bool authoritative() const { return policy.trust == policy::Trust::EngineAuthoritative; }
  Attempts after() const {
    Attempts a = attempts;
    if (a.charged) return a;
    ++a.failures;
    if (a.spent < std::numeric_limits<int>::max()) ++a.spent;
    return a;
  }
};

std::string text_of(const Failure& f) {
  if (!f.message.empty()) return f.message;
  if (f.code.is(Kind::Int)) return "code " + std::to_string(f.code.as_int());
  if (f.code.is(Kind::String)) return "code " + f.code.as_string();
  return "the worker reported a failure";
}

Verdict verdict(Case& c, std::variant<Finish, Again, Exhaust, Noted> is) { return {std::move(is), std::move(c.note)}; }

Verdict exhaust(Case& c, Failure failure, Duration shown = {}) {
  Exhaust x;
  const Attempts after = c.after();
  x.counts = !c.attempts.charged;
  x.error = text_of(failure);
  if (c.attempts.incident) return verdict(c, Noted{x.error});  // it stands in one already
  if (c.policy.on_exhausted == policy::OnExhausted::Fail) x.state = JobState::Failed;
  if (c.policy.profile == policy::Profile::Camunda7) x.shown_lock = shown;
  if (failure.message.empty()) failure.message = x.error;
  x.outcome = Outcome(OutcomeExhausted{std::move(failure), after.failures, after.expiries, false});
  return verdict(c, std::move(x));
}

struct Said {  // what the worker said about trying again
  std::optional<int> retries;
  std::optional<Duration> after;
  VariableBlock variables;
  VariableBlock local;
};

Verdict again(Case& c, const Failure& failure, Said said, Duration delay, std::optional<int> allowance, std::optional<int> left) {
  Again a;
  a.delay = delay;
  a.allowance = allowance;
  a.left = left;
  a.counts = !c.attempts.charged;
  a.error = text_of(failure);
  // an open incident is closed by the retries that its worker gives after all
  if (said.variables.size() > 0 || said.local.size() > 0 || c.attempts.incident) {
    a.outcome = Outcome(OutcomeVariables{std::move(said.variables), std::move(said.local)});
  }
  return verdict(c, std::move(a));
}

// A technical fault, by the table of design 4.7.
Verdict technical(Case& c, Failure failure, Said said) {
  const Duration shown = said.after.value_or(Duration{});
  if (said.retries == 0) return exhaust(c, std::move(failure), shown);
  if (said.retries && !c.authoritative()) return again(c, failure, std::move(said), shown, said.retries, said.retries);
  if (c.owner == Owner::Worker || !c.policy.retry) return exhaust(c, std::move(failure), shown);
  // a late failure of an epoch that has cost its attempt adds its text; one in an incident stays there
  if ((c.attempts.charged || c.attempts.incident) && !said.retries) return verdict(c, Noted{text_of(failure)});
  const Retry r = decide_retry(c.policy, c.after(), failure, c.jitter);
  if (!r.trouble.empty()) {
    c.note = r.trouble;
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
  Failure f{Value(), std::move(raw), cut_message("output mismatch: " + why)};
  if (c.policy.on_mismatch == policy::OnMismatch::Incident) return exhaust(c, std::move(f));
  Case by_engine{c.policy, Owner::Engine, c.attempts, c.jitter, std::move(c.note)};  // the worker has had its say
  return technical(by_engine, std::move(f), {});
}

Verdict completed(Case& c, VariableBlock output, bool mapped, VariableBlock local) {
  Finish f;
  f.outcome = Outcome(OutcomeCompleted{std::move(output), mapped, std::move(local)});
  return verdict(c, std::move(f));
}

Value value_of(const VariableBlock& block) { return codec::decode(block.to_payload().view()); }

// Message contract, then schema (design 4.9).
Status check_output(const Policy& p, VariableBlock& output) {
  if (p.out_message && p.profile != policy::Profile::Camunda7) {
    Result<VariableBlock> fit = policy::check_message(*p.out_message, output);
    if (!fit) return fit.error();
    output = std::move(*fit);
  }
  return p.schema ? p.schema->check(value_of(output)) : Status(Ok{});
}

// A result that the engine maps: `body` is what the rules read.
Verdict raw_success(Case& c, Value body, VariableBlock output, VariableBlock local) {
  const bool mapped = c.policy.output.has_value();
  if (mapped) {
    Result<ValueMap> fields = policy::map_output(*c.policy.output, body);
    if (!fields) return mismatch(c, fields.error().message, std::move(body));
    output = block_of(std::move(*fields));
  }
  if (const Status s = check_output(c.policy, output); !s) return mismatch(c, s.error().message, std::move(body));
  return completed(c, std::move(output), mapped, std::move(local));
}

Verdict on_complete(Case& c, ReportComplete r) {
  if (c.authoritative()) r.local = VariableBlock();
  if (c.owner == Owner::Engine && c.policy.output) {
    if (std::optional<VariableBlock> fields = policy::map_members(*c.policy.output, r.output)) {
      if (check_output(c.policy, *fields)) return completed(c, *std::move(fields), true, std::move(r.local));
    }
    Value body = value_of(r.output);
    return raw_success(c, std::move(body), VariableBlock(), std::move(r.local));
  }
  VariableBlock raw = r.output;
  if (const Status s = check_output(c.policy, r.output); !s) return mismatch(c, s.error().message, value_of(raw));
  return completed(c, std::move(r.output), c.policy.output.has_value(), std::move(r.local));
}

Verdict bpmn_error(Case& c, std::string code, std::string message, VariableBlock variables) {
  Finish f;
  f.outcome = Outcome(OutcomeBpmnError{std::move(code), std::move(message), std::move(variables)});
  f.state = JobState::Failed;
  return verdict(c, std::move(f));
}

Verdict status(Case& c, const Value& value) {
  Finish f;
  f.outcome = Outcome(OutcomeStatus{codec::encode(value)});
  return verdict(c, std::move(f));
}

// A raw fault: the mapper, then the policy.
Verdict raw_fault(Case& c, Failure failure, Said said) {
  if (!c.policy.errors) return technical(c, std::move(failure), std::move(said));
  Result<policy::Classification> kind = c.policy.errors->classify(failure);
  if (!kind) {
    c.note = "the error mapper failed: " + kind.error().message;
  } else if (auto* error = std::get_if<policy::BusinessError>(&*kind)) {
    if (!error->code.empty() && error->code.size() <= kMaxCode) {
      return bpmn_error(c, std::move(error->code), cut_message(std::move(error->message)), {});
    }
    c.note = "the error mapper gave a BPMN error with " + std::string(error->code.empty() ? "no code" : "a code of over 4000 bytes");
  } else if (const auto* business = std::get_if<policy::BusinessStatus>(&*kind)) {
    if (c.policy.status) return status(c, business->value);
    c.note = "the error mapper gave a status, but the task has no WithStatus";
  } else {
    c.note = std::get_if<policy::Technical>(&*kind)->note;
  }
  return technical(c, std::move(failure), std::move(said));
}

// The engine decides, whoever owned the lock so far.
Verdict on_raw(Case& c, ReportRaw r) {
  const policy::Binding& binding = policy::http_json_binding();
  Value body = binding.body(r.body);
  c.owner = Owner::Engine;
  if (!binding.success(r.code)) return raw_fault(c, {std::move(r.code), std::move(body), {}}, {});
  if (c.policy.output) return raw_success(c, std::move(body), {}, {});
  if (body.is_null()) return raw_success(c, Value(ValueMap{}), {}, {});
  if (!body.is(Kind::Map)) return mismatch(c, "expected a map of output fields, found " + std::string(name_of(body.kind())), std::move(body));
  VariableBlock output = VariableBlock::from_payload(codec::encode(body));
  return raw_success(c, std::move(body), std::move(output), {});
}

Verdict on_fail(Case& c, ReportFail r) {
  Said said{r.retries, r.retry_after, std::move(r.variables), std::move(r.local)};
  if (!c.authoritative()) return technical(c, std::move(r.failure), std::move(said));
  said.variables = said.local = VariableBlock();
  return raw_fault(c, std::move(r.failure), std::move(said));
}

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

bool shows_policy(const Policy& p) { return p.trust == policy::Trust::WorkerTrusted; }

Result<Verdict> classify(const Policy& p, Owner owner, const Attempts& attempts, Report report, double jitter) {
  if (const Status s = check_report(p, report); !s) return s.error();
  Case c{p, owner, attempts, jitter, {}};
  if (auto* r = std::get_if<ReportComplete>(&report)) return on_complete(c, std::move(*r));
  if (auto* r = std::get_if<ReportFail>(&report)) return on_fail(c, std::move(*r));
  if (auto* r = std::get_if<ReportRaw>(&report)) return on_raw(c, std::move(*r));
  if (auto* r = std::get_if<ReportStatus>(&report)) {
    if (c.authoritative()) return raw_fault(c, {{}, {}, "the worker reported a status"}, {});
    return status(c, r->value);
  }
  auto& r = *std::get_if<ReportBpmnError>(&report);
  if (c.authoritative()) return raw_fault(c, {{}, {}, r.message.empty() ? "the worker reported a BPMN error" : r.message}, {});
  return bpmn_error(c, std::move(r.code), std::move(r.message), std::move(r.variables));
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
