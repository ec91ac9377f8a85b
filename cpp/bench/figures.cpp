#include "bench/figures.hpp"

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "headrace/base/codec.hpp"

namespace headrace::bench {
namespace {

using engine::Engine;
using engine::EngineOptions;
using engine::InstanceRef;

constexpr int kBatch = 100;

// Written anew for each instance, as a caller has them: from data of its own, into the codec's bytes.
VariableBlock start_variables() {
  static const std::string kOrder(276, 'x');
  thread_local codec::Writer w;
  w.clear();
  const std::size_t map = w.begin_map();
  w.key("order");
  w.string(kOrder);
  w.key("orderId");
  w.string("o-12345");
  w.end(map, 2);
  return VariableBlock::from_payload(w.take());
}
VariableBlock output_variables() {
  static const std::string kLog(240, 'y');
  thread_local codec::Writer w;
  w.clear();
  const std::size_t map = w.begin_map();
  w.key("log");
  w.string(kLog);
  w.key("ok");
  w.boolean(true);
  w.key("receiptId");
  w.string("r-12345");
  w.end(map, 3);
  return VariableBlock::from_payload(w.take());
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

model::ServiceTaskConfig external(Bundle bundle) {
  model::ServiceTaskConfig c;
  c.locus = model::Locus::Worker;
  c.topic = "charge-card";
  c.operation = charge();
  c.options.output = policy::OutputMapping{{{*expr::JsonPath::parse("$.receiptId"), "receiptId", false}}};
  if (bundle != Bundle::Plain) {
    c.options.trust = bundle == Bundle::Trusted ? policy::Trust::WorkerTrusted : policy::Trust::EngineAuthoritative;
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
    for (const jobs::LockedJob& j : *jobs)
      reports.emplace_back(jobs::ReportTarget{j.job.key, j.worker, j.epoch}, output_variables());
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

std::size_t heap_bytes() {
  const struct mallinfo2 m = mallinfo2();
  return m.uordblks + m.hblkhd;
}
std::size_t resident_bytes() {
  std::FILE* f = std::fopen("/proc/self/statm", "r");
  unsigned long total = 0;
  unsigned long resident = 0;
  if (f == nullptr || std::fscanf(f, "%lu %lu", &total, &resident) != 2) std::abort();
  std::fclose(f);
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

std::unique_ptr<Engine> in_process_engine(bool inline_safe) { return make_engine(in_process(inline_safe), 2); }
std::unique_ptr<Engine> external_engine(Bundle bundle) { return make_engine(external(bundle), 1); }

void run_in_process(Engine& e, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) (void)*e.start("order", start_variables());
  while (e.metrics().instances_completed < static_cast<std::uint64_t>(n)) std::this_thread::yield();  // pooled ones
  expect_completed(e, static_cast<std::uint64_t>(n));
}

void park(Engine& e, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) {
    if (!e.start("order", start_variables()).ok()) std::abort();
  }
}

void run_external(Engine& e, std::int64_t n, int starters, int workers) {
  std::atomic<std::uint64_t> done{0};
  std::vector<std::thread> threads;
  const auto total = static_cast<std::uint64_t>(n);
  for (int w = 0; w < workers; ++w) threads.emplace_back([&, w] { work(e, "w" + std::to_string(w), total, done); });
  for (int s = 1; s < starters; ++s) threads.emplace_back([&] { park(e, n / starters); });
  park(e, n - n / starters * (starters - 1));
  for (std::thread& t : threads) t.join();
  expect_completed(e, total);
}

void run_one_thread(Engine& e, std::int64_t n, std::uint64_t before) {
  std::atomic<std::uint64_t> done{0};
  park(e, n);
  work(e, "w", static_cast<std::uint64_t>(n), done);
  expect_completed(e, before + static_cast<std::uint64_t>(n));
}

std::vector<double> latencies(Engine& e, int n) {
  std::atomic<bool> stop{false};
  std::thread worker([&] {
    while (!stop) {
      auto jobs = e.dispatcher().fetch_and_lock(request("w", 1), Duration::millis(50));
      if (!jobs.ok()) return;
      for (const jobs::LockedJob& j : *jobs) {
        if (!e.dispatcher().report({j.job.key, j.worker, j.epoch}, jobs::ReportComplete{output_variables(), {}}).ok())
          std::abort();
      }
    }
  });
  std::vector<double> us;
  for (int i = 0; i < n; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    const InstanceRef instance = *e.start("order", start_variables());
    const auto waiter = e.start_wait(instance, engine::Until::Ended);
    while (!waiter->wait(Duration::millis(100))) {
    }
    us.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count());
  }
  stop = true;
  worker.join();
  return us;
}

Memory parked_memory(std::int64_t n) {
  auto e = external_engine();
  malloc_trim(0);
  const std::size_t heap = heap_bytes();
  const std::size_t resident = resident_bytes();
  park(*e, n);
  const auto count = static_cast<double>(n);
  return {static_cast<double>(heap_bytes() - heap) / count, static_cast<double>(resident_bytes() - resident) / count};
}

}  // namespace headrace::bench
