#pragma once
// A hand-driven engine with a manual clock, and small models to run on it.

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "headrace/base/codec.hpp"
#include "headrace/engine/engine.hpp"

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
