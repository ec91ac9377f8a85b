// The engine's figures through its public API: in-process and external round trips, latency, memory per parked instance, the rate with many jobs waiting.
// One instance has 2 start variables and a 300-byte input; a worker's output has 300 bytes, of which one field is bound. Run it with
// --benchmark_format=json; each benchmark reports median, min and max of 5 repetitions and the CPU time of the whole process.

#include <benchmark/benchmark.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <string>
#include <thread>

#include "headrace/base/codec.hpp"
#include "headrace/engine/engine.hpp"

namespace headrace::bench {
namespace {

using engine::Engine;
using engine::EngineOptions;
using engine::InstanceRef;

constexpr int kBatch = 100;

VariableBlock payload(const ValueMap& map) { return VariableBlock::from_payload(codec::encode(Value(map))); }

VariableBlock start_variables() { return payload({{"orderId", Value("o-12345")}, {"order", Value(std::string(276, 'x'))}}); }
VariableBlock output_variables() {
  return payload({{"receiptId", Value("r-12345")}, {"log", Value(std::string(240, 'y'))}, {"ok", Value(true)}});
}

class Noop final : public model::OperationBody {
 public:
  explicit Noop(bool inline_safe) : inline_(inline_safe) {}
  model::OperationResult invoke(const model::OperationCall&) const override { return model::OperationOutput{}; }
  bool inline_safe() const override { return inline_; }

 private:
  bool inline_;
};

model::OperationPtr charge() {
  auto op = std::make_shared<model::Operation>();
  op->name = "charge";
  auto in = std::make_shared<policy::MessageType>();
  in->name = "ChargeRequest";
  in->fields = {{"orderId", policy::FieldType::String, false, false}, {"order", policy::FieldType::String, false, false}};
  op->in_message = std::move(in);
  return op;
}

std::shared_ptr<model::Definition> process(model::ServiceTaskConfig task) {
  model::Builder b("order");
  b.add_node(model::ElementKind::StartEvent, "start", "", "", {});
  b.add_node(model::ElementKind::ServiceTask, "pay", "", "", std::move(task));
  b.add_node(model::ElementKind::EndEvent, "end", "", "", {});
  b.add_flow("f1", "start", "pay", std::nullopt);
  b.add_flow("f2", "pay", "end", std::nullopt);
  return b.build().definition;
}

model::ServiceTaskConfig external(bool full_bundle = false, policy::Trust trust = policy::Trust::WorkerTrusted) {
  model::ServiceTaskConfig c;
  c.locus = model::Locus::Worker;
  c.topic = "charge-card";
  c.operation = charge();
  c.options.output = policy::OutputMapping{{{*expr::JsonPath::parse("$.receiptId"), "receiptId", false}}};
  if (full_bundle) {
    c.options.trust = trust;
    c.options.retry = policy::default_retry();
    policy::ErrorRule rule;
    rule.code = Value(409);
    rule.body = *expr::Clause::parse("$.type == 'DECLINED'");
    rule.outcome = policy::ToBpmnError{policy::Source{Value("CARD_DECLINED")}, std::nullopt};
    c.options.errors = *policy::rule_mapper({rule});
  }
  return c;
}

model::ServiceTaskConfig in_process(bool inline_safe) {
  model::ServiceTaskConfig c;
  auto op = std::make_shared<model::Operation>();
  op->kind = model::OperationKind::Functor;
  op->name = "noop";
  op->body = std::make_shared<Noop>(inline_safe);
  c.operation = std::move(op);
  return c;
}

std::unique_ptr<Engine> make_engine(model::ServiceTaskConfig task, int threads = 1) {
  EngineOptions o;
  o.threads = threads;
  o.keep_ended = 1'000;
  std::unique_ptr<Engine> e = *Engine::create(std::move(o));
  if (!e->deploy(process(std::move(task))).ok()) std::abort();
  return e;
}

jobs::FetchRequest request(const std::string& worker, int max_jobs) {
  jobs::FetchRequest r;
  r.worker = WorkerId(worker);
  r.topics = {Topic("charge-card")};
  r.lock_duration = Duration::seconds(60);
  r.max_jobs = max_jobs;
  return r;
}

// Fetches and completes until `total` jobs are done; returns when they are.
void work(Engine& e, const std::string& name, std::uint64_t total, std::atomic<std::uint64_t>& done, int max_jobs = kBatch) {
  const jobs::FetchRequest r = request(name, max_jobs);
  while (done.load(std::memory_order_relaxed) < total) {
    auto jobs = e.dispatcher().fetch_and_lock(r, Duration::millis(50));
    if (!jobs.ok()) return;
    std::vector<std::pair<jobs::ReportTarget, VariableBlock>> reports;
    reports.reserve(jobs->size());
    for (const jobs::LockedJob& j : *jobs) reports.emplace_back(jobs::ReportTarget{j.job.key, j.worker, j.epoch}, output_variables());
    const auto answers = e.dispatcher().complete_many(std::move(reports));
    for (const auto& a : answers) {
      if (a) std::abort();
    }
    done.fetch_add(answers.size(), std::memory_order_relaxed);
  }
}

void expect_completed(const Engine& e, std::uint64_t n) {
  if (e.metrics().instances_completed != n) {
    std::fprintf(stderr, "expected %lu completed instances, found %lu\n", static_cast<unsigned long>(n),
                 static_cast<unsigned long>(e.metrics().instances_completed));
    std::abort();
  }
}

constexpr std::int64_t kInstances = 50'000;

void in_process_run(benchmark::State& state, bool inline_safe) {
  for (auto _ : state) {
    state.PauseTiming();
    auto e = make_engine(in_process(inline_safe), 2);
    state.ResumeTiming();
    for (std::int64_t i = 0; i < kInstances; ++i) benchmark::DoNotOptimize(*e->start("order", start_variables()));
    if (!inline_safe) {
      while (e->metrics().instances_completed < static_cast<std::uint64_t>(kInstances)) std::this_thread::yield();
    }
    expect_completed(*e, kInstances);
    state.PauseTiming();
    e.reset();
    state.ResumeTiming();
  }
  state.SetItemsProcessed(state.iterations() * kInstances);
}
void InProcessInline(benchmark::State& state) { in_process_run(state, true); }
void InProcessPooled(benchmark::State& state) { in_process_run(state, false); }

void external_run(benchmark::State& state, model::ServiceTaskConfig task, int starters, int workers) {
  for (auto _ : state) {
    state.PauseTiming();
    auto e = make_engine(task);
    std::atomic<std::uint64_t> done{0};
    std::vector<std::thread> threads;
    state.ResumeTiming();
    for (int w = 0; w < workers; ++w) threads.emplace_back([&, w] { work(*e, "w" + std::to_string(w), kInstances, done); });
    for (int s = 1; s < starters; ++s) {
      threads.emplace_back([&] {
        for (std::int64_t i = 0; i < kInstances / starters; ++i) benchmark::DoNotOptimize(*e->start("order", start_variables()));
      });
    }
    for (std::int64_t i = 0; i < kInstances / starters; ++i) benchmark::DoNotOptimize(*e->start("order", start_variables()));
    for (std::thread& t : threads) t.join();
    expect_completed(*e, kInstances);
    state.PauseTiming();
    e.reset();
    state.ResumeTiming();
  }
  state.SetItemsProcessed(state.iterations() * kInstances);
}
void ExternalRoundTrip(benchmark::State& state) { external_run(state, external(), 1, 1); }
void ExternalFullBundleTrusted(benchmark::State& state) { external_run(state, external(true), 1, 1); }
void ExternalFullBundleAuthoritative(benchmark::State& state) {
  external_run(state, external(true, policy::Trust::EngineAuthoritative), 1, 1);
}

// One thread does everything: starts, then fetches and completes in batches.
void ExternalOneThread(benchmark::State& state) {
  for (auto _ : state) {
    state.PauseTiming();
    auto e = make_engine(external());
    std::atomic<std::uint64_t> done{0};
    state.ResumeTiming();
    for (std::int64_t i = 0; i < kInstances; ++i) benchmark::DoNotOptimize(*e->start("order", start_variables()));
    work(*e, "w", kInstances, done);
    expect_completed(*e, kInstances);
    state.PauseTiming();
    e.reset();
    state.ResumeTiming();
  }
  state.SetItemsProcessed(state.iterations() * kInstances);
}

// The same with 1,000,000 more jobs waiting on the topic behind them.
void ExternalOneThreadAmongWaiting(benchmark::State& state) {
  auto e = make_engine(external());
  for (std::int64_t i = 0; i < state.range(0); ++i) (void)*e->start("order", start_variables());
  std::uint64_t completed = 0;
  for (auto _ : state) {
    std::atomic<std::uint64_t> done{0};
    for (std::int64_t i = 0; i < kInstances; ++i) benchmark::DoNotOptimize(*e->start("order", start_variables()));
    work(*e, "w", kInstances, done);
    completed += kInstances;
    expect_completed(*e, completed);
  }
  state.SetItemsProcessed(state.iterations() * kInstances);
}

std::size_t heap_bytes() {
  const struct mallinfo2 m = mallinfo2();
  return m.uordblks + m.hblkhd;
}
std::size_t resident_bytes() {
  std::FILE* f = std::fopen("/proc/self/statm", "r");
  unsigned long total = 0, resident = 0;
  if (f == nullptr || std::fscanf(f, "%lu %lu", &total, &resident) != 2) std::abort();
  std::fclose(f);
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

void ParkedBytes(benchmark::State& state) {
  for (auto _ : state) {
    auto e = make_engine(external());
    malloc_trim(0);
    const std::size_t heap = heap_bytes();
    const std::size_t resident = resident_bytes();
    for (std::int64_t i = 0; i < state.range(0); ++i) (void)*e->start("order", start_variables());
    const auto n = static_cast<double>(state.range(0));
    state.counters["heap_bytes_per_instance"] = static_cast<double>(heap_bytes() - heap) / n;
    state.counters["resident_bytes_per_instance"] = static_cast<double>(resident_bytes() - resident) / n;
  }
}

// Start to completed with a worker that waits: one instance at a time.
void StartToCompleted(benchmark::State& state) {
  auto e = make_engine(external());
  std::atomic<bool> stop{false};
  std::thread worker([&] {
    while (!stop) {
      auto jobs = e->dispatcher().fetch_and_lock(request("w", 1), Duration::millis(50));
      if (!jobs.ok()) return;
      for (const jobs::LockedJob& j : *jobs) {
        (void)e->dispatcher().report({j.job.key, j.worker, j.epoch}, jobs::ReportComplete{output_variables(), {}});
      }
    }
  });
  std::vector<double> us;
  for (auto _ : state) {
    for (int i = 0; i < 2'000; ++i) {
      const auto begin = std::chrono::steady_clock::now();
      const InstanceRef instance = *e->start("order", start_variables());
      const auto waiter = e->start_wait(instance, engine::Until::Ended);
      while (!waiter->wait(Duration::millis(100))) {
      }
      us.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count());
    }
  }
  stop = true;
  worker.join();
  std::sort(us.begin(), us.end());
  state.counters["p50_us"] = us[us.size() / 2];
  state.counters["p99_us"] = us[us.size() * 99 / 100];
  state.SetItemsProcessed(static_cast<std::int64_t>(us.size()));
}

double min_of(const std::vector<double>& v) { return *std::min_element(v.begin(), v.end()); }
double max_of(const std::vector<double>& v) { return *std::max_element(v.begin(), v.end()); }

void figures(benchmark::internal::Benchmark* b) {
  b->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime()->UseRealTime()->Iterations(1)->Repetitions(5);
  b->ComputeStatistics("min", min_of)->ComputeStatistics("max", max_of)->DisplayAggregatesOnly(true);
}

BENCHMARK(InProcessInline)->Apply(figures);
BENCHMARK(InProcessPooled)->Apply(figures);
BENCHMARK(ExternalRoundTrip)->Apply(figures);
BENCHMARK(ExternalFullBundleTrusted)->Apply(figures);
BENCHMARK(ExternalFullBundleAuthoritative)->Apply(figures);
BENCHMARK(ExternalOneThread)->Apply(figures);
BENCHMARK(ExternalOneThreadAmongWaiting)->Arg(0)->Arg(1'000'000)->Apply(figures);
BENCHMARK(ParkedBytes)->Arg(100'000)->Arg(1'000'000)->Iterations(1)->Unit(benchmark::kMillisecond);
BENCHMARK(StartToCompleted)->Apply(figures);

}  // namespace
}  // namespace headrace::bench

BENCHMARK_MAIN();
