#pragma once
// The inside of Engine: shards, dispatcher, agenda, pool and what binds them. Private to cpp/engine.

#include <atomic>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "headrace/core/operation.hpp"
#include "headrace/engine/engine.hpp"
#include "runtime/agenda.hpp"
#include "runtime/pool.hpp"
#include "runtime/shard.hpp"

namespace headrace::engine {

using runtime::Cell;
using runtime::CellPtr;
using runtime::Item;
using runtime::Shard;

// A deployed definition and what its jobs share: resolved when the engine's defaults change (ADR-021 2.5).
struct Deployed {
  model::DefinitionPtr definition;
  std::vector<jobs::ServicePtr> services;  // by node; null where no external task stands
  std::vector<Topic> topics;               // of its external tasks
};
using DeployedPtr = std::shared_ptr<const Deployed>;

// An in-process operation under way.
struct OperationRun {
  std::uint64_t root = 0;
  core::TokenId token = 0;
  std::uint32_t visit = 0;
  std::uint32_t execution = 0;
  model::DefinitionPtr definition;
  model::NodeIndex node = 0;
  std::shared_ptr<std::atomic<bool>> cancelled = std::make_shared<std::atomic<bool>>(false);
  std::atomic<bool> settled{false};  // a result or the time limit has been taken
  std::atomic<bool> on_thread{false};
  std::atomic<bool> begun{false};
  std::atomic<bool> replaced{false};  // a replacement thread runs because of it
  std::uint64_t number = 0;
  Instant limit = Instant::never();
};
using RunPtr = std::shared_ptr<OperationRun>;

// What a foreign dispatcher is still to be told about one job, in order, one call at a time (design 1.5: the outbox).
struct Parcel {
  std::deque<std::optional<jobs::Job>> todo;  // a job to enqueue; nullopt: withdraw it
  bool calling = false;                       // a call is under way with the first one
  int tries = 0;                              // of the first one
  std::uint64_t pause = 0;                    // the number of the pause it is in, 0: a task for it is on the pool
};

// Shut behind the pool when the engine closes: host code that comes back later touches nothing any more.
struct Gate {
  std::shared_mutex mutex;
  bool shut = false;
};

// Written by one thread at a time (the drainer of a shard), read by any.
class Tally {
 public:
  void add(std::uint64_t n = 1) { value_.store(value_.load(std::memory_order_relaxed) + n, std::memory_order_relaxed); }
  std::uint64_t get() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

struct alignas(64) ShardCounters {
  Tally started, completed, failed, cancelled, incidents_raised, steps, steps_undone, commits, conflicts;
};

struct Counters {
  std::atomic<std::uint64_t> operations{0}, timed_out{0}, late{0}, timers_fired{0};
};

class Engine::Impl final : public runtime::ShardHost, public jobs::JobCompletionSink, public core::Definitions {
 public:
  explicit Impl(EngineOptions);
  ~Impl() override;

  // --- deploy.cpp ---
  Result<model::DefinitionPtr> deploy(std::shared_ptr<model::Definition>);
  DeployedPtr deployed(std::string_view process, std::optional<std::uint32_t> version) const;
  // NotFound for what deployed() does not have: names the version, and those that there are.
  Error not_deployed(std::string_view process, std::optional<std::uint32_t> version) const;
  const Deployed& deployment_of(const model::Definition*);
  ShardCounters& counters_of(std::uint64_t root) { return shard_counters_[root % shards_.size()]; }
  std::uint64_t active_instances() const;
  model::DefinitionPtr find(std::string_view process, std::uint32_t version) const override;
  void set_defaults(policy::EngineOptions);
  std::vector<model::DefinitionPtr> all_definitions() const;

  // --- engine.cpp ---
  Result<InstanceRef> start(const DeployedPtr&, VariableBlock, const StartOptions&);
  Status call(const CellPtr&, std::uint64_t root, core::Action);
  void call_later(std::uint64_t root, core::Action, UniqueFunction<void(Status)> done = {});
  // For a command that nobody waits for: a refusing store is asked again after a pause; where the result of an operation undid
  // the step, the operation has failed.
  void insist(std::uint64_t root, core::Action);
  // Error WouldDeadlock inside a step: nothing was looked at.
  Status look(const CellPtr&, std::uint64_t root, UniqueFunction<void(Cell*)>);
  Shard& shard_of(std::uint64_t root) { return *shards_[root % shards_.size()]; }
  void fill(core::Command&, core::Action&&);
  void close();
  void wake_watches();

  // --- host.cpp ---
  void perform(Cell&, core::Effect&) override;
  void committed(Cell&, std::span<const core::Event>, std::uint64_t steps, Instant at) override;
  void undone(Cell&, std::uint64_t steps, bool conflict) override;
  const core::Definitions& definitions() const override { return *this; }
  bool hand_over(Shard&) override;
  void report_job_completion(jobs::WorkerOutcome, UniqueFunction<void(Status)> done) override;
  bool help() override { return options_.store->pump(); }

  // --- outbox.cpp ---
  void deliver(jobs::Job);
  void withdraw(const JobKey&);
  void deliver_again(const Cell&, const JobKey&);
  void hand_in(const JobKey&);
  void pause_is_over(std::uint64_t number, const JobKey&);

  // --- operations.cpp ---
  void invoke(Cell&, const core::InvokeOperation&);
  void ask(Cell&, const core::Ask&);
  void cancel_operation(const core::CancelOperation&, std::uint64_t root);
  void run_operation(const RunPtr&, const model::OperationCall&);
  core::OperationVerdict judge(const OperationRun&, model::OperationResult) const;
  void time_out(const RunPtr&);
  void replace_thread_of(const RunPtr&);
  void settle(const RunPtr&, core::OperationVerdict);

  // --- drive.cpp ---
  std::size_t fire_due(Instant now);
  void fire(const runtime::AgendaKey&);
  Instant next_due() const;
  Result<std::size_t> run_until_idle();
  Result<Ok> advance(Duration);
  void timer_loop();
  void wake_timer();

  // --- records.cpp ---
  void record_events(Cell&, std::span<const core::Event>, Instant at);
  void note(observe::Level, observe::What, const Cell&, Instant at, std::string text, std::string node = "");

  EngineOptions options_;
  std::shared_ptr<runtime::LocalDispatcher> local_;  // null with a foreign dispatcher
  std::shared_ptr<jobs::WorkerDispatcher> dispatcher_;
  std::vector<std::unique_ptr<Shard>> shards_;
  runtime::Agenda agenda_;
  runtime::Pool pool_;
  Counters counters_;
  std::vector<ShardCounters> shard_counters_;
  const std::shared_ptr<std::atomic<bool>> closed_flag_ =
      std::make_shared<std::atomic<bool>>(false);  // waits may outlive the engine
  std::atomic<bool>& closed_ = *closed_flag_;
  const std::shared_ptr<Gate> gate_ = std::make_shared<Gate>();
  std::atomic<std::uint64_t> starting_{0};  // starts under way, counted with max_instances

  mutable std::shared_mutex deploy_mutex_;
  policy::EngineOptions defaults_;
  std::map<std::string, std::vector<DeployedPtr>, std::less<>> deployed_;
  std::unordered_map<const model::Definition*, DeployedPtr> by_definition_;
  std::vector<DeployedPtr> retired_;                 // replaced by set_defaults: readers may still hold plain pointers
  std::atomic<std::uint64_t> deploy_generation_{1};  // of the two maps above
  const std::uint64_t number_;                       // of this engine in the process

  mutable std::mutex incidents_mutex_;
  std::set<std::pair<std::uint64_t, std::uint32_t>> incidents_;  // open ones: root, number

  std::mutex runs_mutex_;
  std::map<std::tuple<std::uint64_t, core::TokenId, std::uint32_t>, RunPtr> runs_;
  std::unordered_map<std::uint64_t, RunPtr> limits_;  // by number
  std::unordered_map<JobKey, Parcel, JobKeyHash> outbox_;
  std::unordered_map<std::uint64_t, JobKey> pauses_;  // by number: what a foreign dispatcher refused
  std::unordered_map<std::uint64_t, std::pair<std::uint64_t, core::Action>> again_;  // by number: what the store refused
  std::uint64_t next_number_ = 1;

  std::thread timer_;
  std::mutex timer_mutex_;
  std::condition_variable timer_wake_;
  bool timer_changed_ = false;
  std::atomic<bool> driving_{false};

 private:
  DeployedPtr resolve(const model::DefinitionPtr&) const;
};

// An operation that cannot throw into the step it runs in (operations.cpp).
model::OperationPtr guarded(model::OperationPtr);

// Snapshots of committed state (snapshot.cpp).
InstanceSnapshot snapshot_of(const Cell&);
IncidentSnapshot incident_of(const core::Instance&, const core::Incident&);

// System defaults (clocks.cpp).
std::shared_ptr<Clock> system_clock();
std::shared_ptr<Random> system_random();
std::shared_ptr<IdSource> counting_ids();
std::shared_ptr<observe::Recorder> no_recorder();

}  // namespace headrace::engine
