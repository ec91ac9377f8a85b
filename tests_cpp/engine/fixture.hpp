#pragma once
// A hand-driven engine with a manual clock, and small models to run on it.

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "headrace/base/codec.hpp"
#include "headrace/engine/engine.hpp"
#include "headrace/store/memory.hpp"
#include "support/fake_store.hpp"

namespace headrace::engine::testing {

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
inline model::Builder pay_model(policy::Profile profile = policy::Profile::Headrace, model::ServiceTaskConfig pay = worker_task("charge-card")) {
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

// The stores that the suite passes on: memory, memory that keeps states, and the fake that answers late, in another order, with conflicts, and evicts
// after every step (design 1.11).
struct StoreKind {
  const char* name;
  std::shared_ptr<store::Store> (*make)();
};
inline void PrintTo(const StoreKind& k, std::ostream* out) { *out << k.name; }

inline std::vector<StoreKind> every_store() {
  return {{"Memory", [] { return store::make_memory_store(); }},
          {"KeepingMemory", [] { return store::make_memory_store({.keep_state = true}); }},
          {"Fake1", [] { return std::shared_ptr<store::Store>(std::make_shared<headrace::testing::FakeStore>(headrace::testing::FakeStoreOptions{.seed = 1})); }},
          {"Fake2", [] { return std::shared_ptr<store::Store>(std::make_shared<headrace::testing::FakeStore>(headrace::testing::FakeStoreOptions{.seed = 2})); }},
          {"FakeUnknown", [] {
             return std::shared_ptr<store::Store>(std::make_shared<headrace::testing::FakeStore>(headrace::testing::FakeStoreOptions{.seed = 3, .unknown_one_in = 7}));
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
  jobs::LockedJob fetch_one(const std::string& topic, std::optional<Duration> lock = std::nullopt) {
    jobs::FetchRequest r;
    r.worker = WorkerId("w1");
    r.topics = {Topic(topic)};
    r.lock_duration = lock;
    auto jobs = engine->dispatcher().fetch_and_lock(r, Duration{});
    EXPECT_TRUE(jobs.ok() && jobs->size() == 1) << (jobs.ok() ? "no job" : jobs.error().message);
    return jobs.ok() && !jobs->empty() ? jobs->front() : jobs::LockedJob{};
  }
  static jobs::ReportTarget target(const jobs::LockedJob& j) { return {j.job.key, j.worker, j.epoch}; }
  Status complete(const jobs::LockedJob& j, VariableBlock output = {}) {
    return engine->dispatcher().report(target(j), jobs::ReportComplete{std::move(output), {}});
  }
};

}  // namespace headrace::engine::testing
