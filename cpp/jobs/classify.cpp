#include "headrace/jobs/classify.hpp"

#include "judge_fault.hpp"
#include "report_limits.hpp"

namespace headrace::jobs {
namespace {

using policy::Failure;
using policy::Policy;

VariableBlock block_of(ValueMap map) { return VariableBlock::from_payload(codec::encode(Value(std::move(map)))); }

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

Verdict raw_success(Case& c, Value body, VariableBlock local) {
  Result<OutcomeCompleted> result = map_result(c.policy, body);
  if (!result) return mismatch(c, result.error().message, std::move(body));
  return completed(c, std::move(result->output), result->mapped, std::move(local));
}

Verdict on_complete(Case& c, ReportComplete r) {
  if (c.authoritative()) r.local = VariableBlock();
  if (c.owner == Owner::Engine && c.policy.output) {
    if (std::optional<VariableBlock> fields = policy::map_members(*c.policy.output, r.output)) {
      if (check_output(c.policy, *fields)) return completed(c, *std::move(fields), true, std::move(r.local));
    }
    return raw_success(c, value_of(r.output), std::move(r.local));
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
  const Attempts after = c.after();
  f.outcome = Outcome(OutcomeStatus{codec::encode(value), after.failures, after.expiries});
  return verdict(c, std::move(f));
}

// A mapper that cannot be used is told to operators too; the fault itself stays what is reported.
void tell(Case& c, Failure& failure, std::string trouble) {
  failure.message = cut_message(text_of(failure) + "; " + trouble);
  c.note = std::move(trouble);
}

// A raw fault: the mapper, then the policy.
Verdict raw_fault(Case& c, Failure failure, Said said) {
  if (!c.policy.errors) return technical(c, std::move(failure), std::move(said));
  Result<policy::Classification> kind = c.policy.errors->classify(failure);
  if (!kind) {
    tell(c, failure, "the error mapper failed: " + kind.error().message);
  } else if (auto* error = std::get_if<policy::BusinessError>(&*kind)) {
    if (!error->code.empty() && error->code.size() <= kMaxCode) {
      return bpmn_error(c, std::move(error->code), cut_message(std::move(error->message)), {});
    }
    tell(c, failure,
         "the error mapper gave a BPMN error with " + std::string(error->code.empty() ? "no code" : "a code of over 4000 bytes"));
  } else if (const auto* business = std::get_if<policy::BusinessStatus>(&*kind)) {
    if (c.policy.status) return status(c, business->value);
    tell(c, failure, "the error mapper gave a status, but the task has no WithStatus");
  } else {
    c.note = std::get_if<policy::Technical>(&*kind)->note;
  }
  return technical(c, std::move(failure), std::move(said));
}

// The engine decides, whoever owned the lock so far.
Verdict on_raw(Case& c, ReportRaw r) {
  const policy::Binding& binding = c.policy.how_raw_reads();
  Value body = binding.body(r.body);
  c.owner = Owner::Engine;
  if (!binding.success(r.code)) return raw_fault(c, {std::move(r.code), std::move(body), std::move(r.message)}, {});
  return raw_success(c, std::move(body), {});
}

Verdict on_fail(Case& c, ReportFail r) {
  Said said{r.retries, r.retry_after, std::move(r.variables), std::move(r.local)};
  if (c.owner == Owner::Worker) c.executions = r.executions;  // others run once a lock
  if (!c.authoritative()) return technical(c, std::move(r.failure), std::move(said));
  said.variables = said.local = VariableBlock();
  return raw_fault(c, std::move(r.failure), std::move(said));
}

}  // namespace

Result<OutcomeCompleted> map_result(const Policy& p, const Value& body) {
  OutcomeCompleted done;
  done.mapped = p.output.has_value();
  if (done.mapped) {
    Result<ValueMap> fields = policy::map_output(*p.output, body);
    if (!fields) return fields.error();
    done.output = block_of(std::move(*fields));
  } else if (body.is(Kind::Map)) {
    done.output = VariableBlock::from_payload(codec::encode(body));
  } else if (!body.is_null()) {
    return make_error(ErrorCode::Technical, "expected a map of output fields, found " + std::string(name_of(body.kind())));
  }
  if (const Status s = check_output(p, done.output); !s) return s.error();
  return done;
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

}  // namespace headrace::jobs
