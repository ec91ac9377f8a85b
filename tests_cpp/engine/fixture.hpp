#pragma once
// A hand-driven engine with a manual clock, and small models to run on it.

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "headrace/base/codec.hpp"
#include "headrace/engine/engine.hpp"
#include "headrace/store/memory.hpp"
#include "support/fake_store.hpp"
#include "support/model.hpp"

namespace headrace::engine::testing {

using headrace::testing::contract;
using headrace::testing::fault;
using headrace::testing::functor;
using headrace::testing::in_process;
using headrace::testing::Model;

inline const Instant kStart{1'767'600'000'000'000};

inline VariableBlock block(const ValueMap& map) { return VariableBlock::from_payload(codec::encode(Value(map))); }

inline Value read(const VariableBlock& b, std::string_view name) {
  const Variable* v = b.find(name);
  return v == nullptr ? Value("<absent>") : codec::decode(v->encoded());
}

inline model::ServiceTaskConfig worker_task(std::string topic) {
  model::ServiceTaskConfig c;
  c.locus = model::Locus::Worker;
  c.topic = std::move(topic);
  return c;
}

// start -> `pay` (external, topic charge-card) -> end
inline model::Builder pay_model(policy::Profile profile = policy::Profile::Headrace,
                                model::ServiceTaskConfig pay = worker_task("charge-card")) {
  model::Builder b("order");
  b.set_profile(profile);
  b.add_node(model::ElementKind::StartEvent, "start", "", "", {});
  b.add_node(model::ElementKind::ServiceTask, "pay", "", "", std::move(pay));
  b.add_node(model::ElementKind::EndEvent, "end", "", "", {});
  b.add_flow("f1", "start", "pay", std::nullopt);
  b.add_flow("f2", "pay", "end", std::nullopt);
  return b;
}

inline std::shared_ptr<model::Definition> built(const model::Builder& b) {
  model::Builder::Built made = b.build();
  EXPECT_TRUE(made.faults.empty()) << model::to_text("test", made.faults);
  return made.definition;
}

inline std::shared_ptr<model::Definition> built(const Model& m) { return std::const_pointer_cast<model::Definition>(m.build()); }

// start -> pay (external) -> end, with an interrupting boundary timer `late` -> gave_up
inline Model timed_pay(const std::string& after = "PT10S", policy::Profile profile = policy::Profile::Headrace) {
  return Model(profile)
      .start()
      .task("pay", worker_task("charge-card"))
      .end()
      .timer("late", "pay", after)
      .end("gave_up")
      .path({"start", "pay", "end"})
      .path({"late", "gave_up"});
}

inline std::string count_of(const InstanceSnapshot& s, std::string_view node) {
  for (const CountSnapshot& c : s.counts) {
    if (c.node == node) return std::to_string(c.completed) + "/" + std::to_string(c.cancelled);
  }
  return "0/0";
}

// Where the tokens stand and what they wait for: "pay:job big:failedStep".
inline std::string where(const InstanceSnapshot& s) {
  std::string all;
  for (const ActivitySnapshot& a : s.activities) all += (all.empty() ? "" : " ") + a.node + ":" + a.waits_for;
  return all;
}

// The stores that the suite passes on: memory, memory that keeps states, and the fake that answers late, in another order, with
// conflicts, and evicts after every step (design 1.11).
struct StoreKind {
  const char* name;
  std::shared_ptr<store::Store> (*make)();
};
inline void PrintTo(const StoreKind& k, std::ostream* out) { *out << k.name; }

inline std::vector<StoreKind> every_store() {
  return {{"Memory", [] { return store::make_memory_store(); }},
          {"KeepingMemory", [] { return store::make_memory_store({.keep_state = true}); }},
          {"Fake1",
           [] {
             return std::shared_ptr<store::Store>(
                 std::make_shared<headrace::testing::FakeStore>(headrace::testing::FakeStoreOptions{.seed = 1}));
           }},
          {"Fake2",
           [] {
             return std::shared_ptr<store::Store>(
                 std::make_shared<headrace::testing::FakeStore>(headrace::testing::FakeStoreOptions{.seed = 2}));
           }},
          {"FakeUnknown", [] {
             return std::shared_ptr<store::Store>(std::make_shared<headrace::testing::FakeStore>(
                 headrace::testing::FakeStoreOptions{.seed = 3, .unknown_one_in = 7}));
           }}};
}
inline EngineOptions on(const StoreKind& kind) {
  EngineOptions o;
  o.store = kind.make();
  return o;
}
class OnEveryStore : public ::testing::TestWithParam<StoreKind> {};
inline std::string store_name(const ::testing::TestParamInfo<StoreKind>& info) { return info.param.name; }

struct HandDriven {
  std::shared_ptr<ManualClock> clock = std::make_shared<ManualClock>(kStart);
  std::unique_ptr<Engine> engine;

  explicit HandDriven(EngineOptions o = {}) {
    o.clock = clock;
    o.threads = 0;
    engine = *Engine::create(std::move(o));
  }
  explicit HandDriven(std::nullptr_t) {}  // the engine is made by who derives
  jobs::LockedJob fetch_one(const std::string& topic, std::optional<Duration> lock = std::nullopt) {
    jobs::FetchRequest r;
    r.worker = WorkerId("w1");
    r.topics = {Topic(topic)};
    r.lock_duration = lock;
    auto jobs = engine->dispatcher().fetch_and_lock(r, Duration{});
    EXPECT_TRUE(jobs.ok() && jobs->size() == 1) << (jobs.ok() ? "no job" : jobs.error().message);
    return jobs.ok() && !jobs->empty() ? jobs->front() : jobs::LockedJob{};
  }
  void deploy(const Model& m) {
    const auto deployed = engine->deploy(built(m));
    ASSERT_TRUE(deployed.ok()) << deployed.error().message;
  }
  InstanceRef start(VariableBlock variables = {}) {
    auto started = engine->start("order", std::move(variables));
    EXPECT_TRUE(started.ok()) << started.error().message;
    return *started;
  }
  void run() { ASSERT_TRUE(engine->run_until_idle().ok()); }
  void advance(Duration d) { ASSERT_TRUE(engine->advance(d).ok()); }
  InstanceSnapshot look(const InstanceRef& i) const { return *engine->snapshot(i); }
  std::size_t fetchable(const std::string& topic) {
    jobs::FetchRequest r;
    r.worker = WorkerId("w1");
    r.topics = {Topic(topic)};
    r.max_jobs = 100;
    return engine->dispatcher().fetch_and_lock(r, Duration{})->size();
  }
  Status fail(const jobs::LockedJob& j, std::string message, std::optional<int> retries = std::nullopt) {
    jobs::ReportFail f;
    f.failure.message = std::move(message);
    f.retries = retries;
    return engine->dispatcher().report(target(j), std::move(f));
  }
  static jobs::ReportTarget target(const jobs::LockedJob& j) { return {j.job.key, j.worker, j.epoch}; }
  Status complete(const jobs::LockedJob& j, VariableBlock output = {}) {
    return engine->dispatcher().report(target(j), jobs::ReportComplete{std::move(output), {}});
  }
};

}  // namespace headrace::engine::testing
