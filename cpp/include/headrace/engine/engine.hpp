#pragma once
// Engine (the seeds' Thresher): deploys definitions, starts instances, routes reports to them, drives timers, answers questions.
// All methods are safe from any thread; none holds an engine lock while host code runs. Inside a step (a body marked inline_safe)
// a call that would have to wait answers WouldDeadlock, a listing is empty. With `threads = 0` everything runs on the calling
// threads and time moves by advance().

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "headrace/base/clock.hpp"
#include "headrace/base/result.hpp"
#include "headrace/core/instance.hpp"
#include "headrace/jobs/dispatcher.hpp"
#include "headrace/model/builder.hpp"
#include "headrace/observe/recorder.hpp"
#include "headrace/policy/policy.hpp"
#include "headrace/runtime/local_dispatcher.hpp"
#include "headrace/store/store.hpp"

namespace headrace::runtime {
class Cell;
}

namespace headrace::engine {

struct EngineOptions {
  std::shared_ptr<Clock> clock;                 // null: system clock
  std::shared_ptr<Random> random;               // null: seeded from the system
  std::shared_ptr<IdSource> ids;                // null: counting from 1
  std::shared_ptr<store::Store> store;          // null: memory
  std::shared_ptr<observe::Recorder> recorder;  // null: records go nowhere
  // null: LocalDispatcher. Another one is called on the pool after the commit, about one job in order, and again after 100, 400
  // and 1600 ms when it refuses.
  std::shared_ptr<jobs::WorkerDispatcher> dispatcher;
  policy::EngineOptions defaults;
  int threads = 2;             // task threads of the pool; 0: hand-driven
  int max_stuck_threads = 16;  // replacements for threads stuck in timed-out operations
  std::size_t shards = 0;      // 0: chosen by the machine
  std::size_t keep_ended = 10'000;
  std::optional<std::uint64_t> max_instances;  // active ones; a start above it is Overloaded
};

struct StartOptions {
  std::string_view business_key;
  std::string_view traceparent;
  std::optional<std::uint32_t> version;  // default: the latest
};

// Committed state as values, for handles, listings and tests.
struct ActivitySnapshot {
  std::string node;
  std::string state;  // BPMN's activity state: "Active", "Failing", …
  std::uint32_t token = 0;
  std::string waits_for;  // "job", "operation", "join", "scope", "user", "retry", "failedStep", "ask"
  std::string job;        // JobId text, or ""
};
struct IncidentSnapshot {
  std::string id;  // `<root>:<number>`
  std::string kind;
  std::uint64_t root = 0;
  std::string process, node, topic, job;
  int attempts = 0, expiries = 0;
  Value code, body;
  std::string message;
  Instant raised;
  std::vector<std::string> notes;
};
struct CountSnapshot {
  std::string node;
  std::uint32_t completed = 0, cancelled = 0;
};
struct TimerSnapshot {
  std::string node;
  Instant due;
};
struct InstanceSnapshot {
  std::uint64_t root = 0;
  model::DefinitionPtr definition;
  std::string business_key;
  core::InstanceState state = core::InstanceState::Active;
  bool suspended = false;
  Instant started;
  std::uint64_t sequence = 0;
  VariableBlock variables;                                             // of the root scope
  std::vector<std::pair<std::string, VariableBlock>> local_variables;  // of inner scopes: sub-process id, block
  std::vector<ActivitySnapshot> activities;
  std::vector<CountSnapshot> counts;
  std::vector<IncidentSnapshot> incidents;
  std::vector<TimerSnapshot> timers;
  std::string end_node, error_code, reason;
};

using InstanceRef = std::shared_ptr<runtime::Cell>;  // a root in memory, or remembered

// Waits for an end of an instance, or for it to be idle, in slices (Ctrl-C).
class InstanceWaiter {
 public:
  virtual ~InstanceWaiter() = default;
  virtual bool wait(Duration slice) = 0;  // true when over
};
enum class Until : std::uint8_t { Ended, Idle };

struct InstanceFilter {
  std::string_view process;                  // "": any
  std::string_view business_key;             // "": any
  std::optional<core::InstanceState> state;  // nullopt: any
  std::size_t limit = 1'000;
};

struct EngineMetrics {
  jobs::QueueMetrics queue;
  std::uint64_t instances_started = 0, instances_completed = 0, instances_failed = 0, instances_cancelled = 0;
  std::uint64_t instances_active = 0, incidents_open = 0, incidents_raised = 0;
  std::uint64_t steps = 0, steps_undone = 0, commits = 0, conflicts = 0;
  std::uint64_t operations = 0, operations_timed_out = 0, operations_late = 0, threads_stuck = 0;
  std::uint64_t timers_fired = 0;
};

class Engine {
 public:
  static Result<std::unique_ptr<Engine>> create(EngineOptions);
  ~Engine();  // close()

  // Deploys a built definition: version = last version of its id + 1. Errors: Model (rules that need the engine's defaults: topic
  // lock options that differ between services, a mapper with a Status rule and no WithStatus, EngineAuthoritative without a
  // contract).
  Result<model::DefinitionPtr> deploy(std::shared_ptr<model::Definition>);
  Result<model::DefinitionPtr> definition(std::string_view process, std::optional<std::uint32_t> version = std::nullopt) const;
  std::vector<model::DefinitionPtr> definitions() const;

  // Errors: NotFound (process), Overloaded, Closed, and under camunda7 what the first step answers.
  Result<InstanceRef> start(std::string_view process, VariableBlock variables, const StartOptions& = {});
  std::vector<Result<InstanceRef>> start_many(std::string_view process, std::vector<VariableBlock> variables,
                                              const StartOptions& = {});

  Result<InstanceRef> instance(std::uint64_t root) const;
  static std::uint64_t root_of(const InstanceRef&);
  Result<InstanceSnapshot> snapshot(const InstanceRef&) const;
  // Quick looks at the committed state, for hot paths.
  core::InstanceState state_of(const InstanceRef&) const;
  std::vector<InstanceRef> instances(const InstanceFilter&) const;

  Status cancel(const InstanceRef&, std::string reason);
  Status suspend(const InstanceRef&);
  Status resume(const InstanceRef&);
  Status set_variables(const InstanceRef&, VariableBlock);
  Status complete_user_task(const InstanceRef&, std::string_view node, VariableBlock output);

  // Incidents by id `<root>:<number>`. Errors: NotFound, Conflict, InstanceSuspended, Validation.
  std::vector<IncidentSnapshot> incidents() const;
  Result<IncidentSnapshot> incident(std::string_view id) const;
  Status retry_incident(std::string_view id, int retries);  // 0: the policy's full count
  Status resolve_incident(std::string_view id, VariableBlock output);
  Status raise_incident_error(std::string_view id, std::string code, std::string message);
  Status annotate_incident(std::string_view id, std::string text);
  Status remap_incident(std::string_view id);  // maps the kept raw result again with the service's current mapping
  Status cancel_incident(std::string_view id, std::string reason);  // cancels the instance

  // Registered once; wakes when the instance has ended, or (Idle) when nothing of it can run by itself.
  std::shared_ptr<InstanceWaiter> start_wait(const InstanceRef&, Until) const;
  // A wait that may block: from a pool thread a replacement thread takes its place until end_blocking(). Errors: WouldDeadlock
  // (no replacement left, or inside a step).
  Status begin_blocking() const;
  void end_blocking() const;

  // Hand-driven: everything that is due now, until nothing is; returns what was done. WouldDeadlock when called from inside.
  Result<std::size_t> run_until_idle();
  // Hand-driven with a ManualClock: from due time to due time with the clock there, then the clock stands at the target.
  Result<Ok> advance(Duration);

  jobs::WorkerDispatcher& dispatcher();
  runtime::LocalDispatcher* local_dispatcher();  // null with another dispatcher
  Status set_defaults(policy::EngineOptions);    // for jobs enqueued from now on (ADR-021 2.5: resolved at enqueue)
  EngineMetrics metrics() const;
  const EngineOptions& options() const;
  Instant now() const;
  std::string durability() const;

  // Refuses new calls, wakes all waits (Closed), stops timers and pool, joins threads. Idempotent.
  void close();
  bool closed() const;

  class Impl;

 private:
  explicit Engine(std::unique_ptr<Impl>);
  std::unique_ptr<Impl> impl_;
};

// A clock that moves by hand. Safe from any thread.
class ManualClock final : public Clock {
 public:
  explicit ManualClock(Instant start);
  ~ManualClock() override;
  Instant now() const override;
  bool manual() const override { return true; }
  void set(Instant);  // never backwards

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace headrace::engine
