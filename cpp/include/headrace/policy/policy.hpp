#pragma once
// The options of a service task, their engine-wide defaults, and the policy that a job keeps: resolved once, at enqueue
// (ADR-021 2.5, design 4). Per service wins over engine-wide, that over the built-in defaults.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "headrace/base/time.hpp"
#include "headrace/policy/contract.hpp"
#include "headrace/policy/mapping.hpp"
#include "headrace/policy/retry.hpp"

namespace headrace::policy {

enum class Profile : std::uint8_t { Headrace, Camunda7 };                // design 4.17
enum class Trust : std::uint8_t { WorkerTrusted, EngineAuthoritative };  // ADR-021 2.6
enum class OnExhausted : std::uint8_t { Incident, Fail };
enum class OnMismatch : std::uint8_t { Retry, Incident };
enum class OnUncaughtError : std::uint8_t { Fail, End };

inline constexpr Duration kDefaultLock = Duration::minutes(5);
inline constexpr Duration kDefaultMaxLock = Duration::hours(24);

struct StatusTarget {
  std::string name;
  bool overwrite = false;
};

// A check of an output by a schema engine outside the core (Python, jsonschema): Error Technical with the reason.
class OutputSchema {
 public:
  virtual ~OutputSchema() = default;
  virtual Status check(const Value& output) const = 0;
};

// What was written at the service; nullopt or null: not given.
struct ServiceOptions {
  std::optional<Duration> timeout;  // WithTimeout, in-process only
  RetryPolicyPtr retry;
  ErrorMapperPtr errors;
  std::optional<OutputMapping> output;
  std::optional<StatusTarget> status;
  std::optional<Trust> trust;
  std::optional<Duration> lock_duration;
  std::optional<Duration> max_lock_duration;
  std::optional<Duration> job_timeout;
  std::optional<bool> expiry_as_attempt;
  std::optional<OnExhausted> on_exhausted;
  std::optional<OnMismatch> on_mismatch;
  std::optional<OnUncaughtError> on_uncaught;
  std::shared_ptr<const OutputSchema> schema;
  BindingPtr binding;
};

// Engine-wide defaults (WithWorkerRetryPolicy, WithWorkerErrorMapper, WithWorkerTrustDefault, WithWorkerLockDuration,
// WithWorkerMaxLockDuration, WithWorkerBinding).
struct EngineOptions {
  RetryPolicyPtr retry;
  ErrorMapperPtr errors;
  BindingPtr binding;
  std::optional<Trust> trust;
  std::optional<Duration> lock_duration;
  std::optional<Duration> max_lock_duration;
};

// The bundle a job keeps. Immutable and shared between jobs of one service.
struct Policy {
  Profile profile = Profile::Headrace;
  Trust trust = Trust::WorkerTrusted;
  RetryPolicyPtr retry;   // null: none by the engine (camunda7 without a policy of its own; in-process without one)
  ErrorMapperPtr errors;  // may be null
  std::optional<OutputMapping> output;
  std::optional<StatusTarget> status;
  Duration job_timeout;  // zero: none
  bool expiry_as_attempt = true;
  OnExhausted on_exhausted = OnExhausted::Incident;
  OnMismatch on_mismatch = OnMismatch::Retry;
  std::shared_ptr<const MessageType> in_message;   // null: open contract (external task from XML)
  std::shared_ptr<const MessageType> out_message;  // null: any output
  std::shared_ptr<const OutputSchema> schema;      // may be null
  BindingPtr binding;                              // how raw reports read; null: JSON bodies and HTTP status
  const Binding& how_raw_reads() const { return binding ? *binding : http_json_binding(); }
  // Holds a custom object, so that only the engine can run it.
  bool custom() const { return (retry && retry->custom()) || (errors && errors->custom()) || schema != nullptr; }
};
using PolicyPtr = std::shared_ptr<const Policy>;

// Resolves an external task's bundle. `camunda7`: no retry by the engine, no expiry count, unless the model names a policy
// (design 4.17).
Policy resolve_external(const ServiceOptions&, const EngineOptions&, Profile);
// Resolves an in-process task's bundle: no retry without a policy of its own (design 4.13).
Policy resolve_in_process(const ServiceOptions&, const EngineOptions&, Profile);

}  // namespace headrace::policy
