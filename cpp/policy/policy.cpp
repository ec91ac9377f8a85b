#include "headrace/policy/policy.hpp"

namespace headrace::policy {
namespace {

// What both loci take as it was written at the service.
Policy common(const ServiceOptions& options, Profile profile) {
  Policy policy;
  policy.profile = profile;
  policy.retry = options.retry;
  policy.errors = options.errors;
  policy.output = options.output;
  policy.status = options.status;
  policy.on_exhausted = options.on_exhausted.value_or(OnExhausted::Incident);
  policy.on_mismatch = options.on_mismatch.value_or(OnMismatch::Retry);
  policy.schema = options.schema;
  policy.binding = options.binding;
  return policy;
}

}  // namespace

Policy resolve_external(const ServiceOptions& options, const EngineOptions& engine, Profile profile) {
  Policy policy = common(options, profile);
  policy.trust = options.trust.value_or(engine.trust.value_or(Trust::WorkerTrusted));
  if (!policy.errors) policy.errors = engine.errors;
  if (!policy.binding) policy.binding = engine.binding;
  if (!policy.retry && profile == Profile::Headrace) policy.retry = engine.retry ? engine.retry : default_retry();
  policy.job_timeout = options.job_timeout.value_or(Duration{});
  // without a policy there is no maximum to count an expiry against (design 4.6)
  policy.expiry_as_attempt = policy.retry != nullptr && options.expiry_as_attempt.value_or(true);
  return policy;
}

// The engine-wide defaults are those of workers (WithWorker...): in the process only what the task itself names counts.
Policy resolve_in_process(const ServiceOptions& options, const EngineOptions&, Profile profile) {
  return common(options, profile);
}

}  // namespace headrace::policy
