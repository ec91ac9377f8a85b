#include "headrace/core/operation.hpp"

#include "headrace/jobs/mismatch.hpp"

namespace headrace::core {

namespace {

policy::Failure mismatch(const std::string& why, const VariableBlock& raw) {
  policy::Failure f;
  f.message = std::string(jobs::kMismatch) + why;
  f.body = codec::decode(raw.to_payload().view());
  return f;
}

OperationVerdict technical(const policy::Policy& p, policy::Failure failure, int failures, double jitter) {
  if (p.retry) {
    const Result<std::optional<Duration>> delay = p.retry->next_delay(failures + 1, failure, jitter);
    if (!delay.ok()) {
      failure.message += " (retry policy failed: " + delay.error().message + ")";
    } else if (*delay) {
      return OperationRetry{**delay, std::move(failure)};
    }
  }
  return OperationExhausted{std::move(failure)};
}

OperationVerdict succeed(const policy::Policy& p, VariableBlock output, int failures, double jitter) {
  bool mapped = false;
  VariableBlock fields = output;
  if (std::optional<VariableBlock> members = p.output ? policy::map_members(*p.output, output) : std::nullopt) {
    fields = *std::move(members);
    mapped = true;
  } else if (p.output) {
    const Result<ValueMap> targets = policy::map_output(*p.output, codec::decode(output.to_payload().view()));
    if (!targets.ok()) return technical(p, mismatch(targets.error().message, output), failures, jitter);
    fields = VariableBlock();
    for (const auto& [name, value] : *targets) fields.set(Variable::of(name, codec::encode(value).view(), Variable::kNobody));
    mapped = true;
  }
  if (p.out_message) {
    Result<VariableBlock> checked = policy::check_message(*p.out_message, fields);
    if (!checked.ok()) return technical(p, mismatch(checked.error().message, output), failures, jitter);
    fields = *std::move(checked);
  }
  return jobs::OutcomeCompleted{std::move(fields), mapped, {}};
}

OperationVerdict status(const policy::Policy& p, const Value& value, int failures, double jitter) {
  if (!p.status) {
    policy::Failure f;
    f.message = "the operation gave a status, but the task has no WithStatus";
    return technical(p, std::move(f), failures, jitter);
  }
  return jobs::OutcomeStatus{codec::encode(value), failures + 1};
}

OperationVerdict fault(const policy::Policy& p, policy::Failure failure, int failures, double jitter) {
  if (p.errors) {
    Result<policy::Classification> c = p.errors->classify(failure);
    if (!c.ok()) {
      failure.message += " (error mapper failed: " + c.error().message + ")";
    } else if (auto* e = std::get_if<policy::BusinessError>(&*c)) {
      return jobs::OutcomeBpmnError{std::move(e->code), std::move(e->message), {}};
    } else if (auto* s = std::get_if<policy::BusinessStatus>(&*c)) {
      return status(p, s->value, failures, jitter);
    }
  }
  return technical(p, std::move(failure), failures, jitter);
}

}  // namespace

OperationVerdict judge(const policy::Policy& p, model::OperationResult result, int failures, double jitter) {
  if (auto* ok = std::get_if<model::OperationOutput>(&result)) {
    if (!p.output && !p.out_message) return jobs::OutcomeCompleted{std::move(ok->output), false, {}};
    return succeed(p, std::move(ok->output), failures, jitter);
  }
  if (auto* e = std::get_if<model::OperationBpmnError>(&result)) {
    return jobs::OutcomeBpmnError{std::move(e->code), std::move(e->message), std::move(e->variables)};
  }
  if (auto* s = std::get_if<model::OperationStatus>(&result)) return status(p, s->value, failures, jitter);
  return fault(p, std::move(std::get_if<model::OperationFault>(&result)->failure), failures, jitter);
}

}  // namespace headrace::core
