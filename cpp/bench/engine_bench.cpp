// The engine's figures under Google Benchmark. Run it with --benchmark_format=json; each benchmark reports median, min and max of
// 5 repetitions and the CPU time of the whole process (items_per_second is the rate, CPU / items the cost of one operation).

#include <benchmark/benchmark.h>

#include <algorithm>

#include "bench/figures.hpp"

namespace headrace::bench {
namespace {

constexpr std::int64_t kInstances = 50'000;

// `make` and what is destroyed at the end are not timed.
template <class Make, class Run>
void figure(benchmark::State& state, Make make, Run run) {
  for (auto _ : state) {
    state.PauseTiming();
    auto e = make();
    state.ResumeTiming();
    run(*e);
    state.PauseTiming();
    e.reset();
    state.ResumeTiming();
  }
  state.SetItemsProcessed(state.iterations() * kInstances);
}

void InProcessInline(benchmark::State& s) {
  figure(s, [] { return in_process_engine(true); }, [](engine::Engine& e) { run_in_process(e, kInstances); });
}
void InProcessPooled(benchmark::State& s) {
  figure(s, [] { return in_process_engine(false); }, [](engine::Engine& e) { run_in_process(e, kInstances); });
}
void ExternalRoundTrip(benchmark::State& s) {
  figure(s, [] { return external_engine(); }, [](engine::Engine& e) { run_external(e, kInstances, 1, 1); });
}
void ExternalTwoAndTwo(benchmark::State& s) {
  figure(s, [] { return external_engine(); }, [](engine::Engine& e) { run_external(e, kInstances, 2, 2); });
}
void ExternalFullBundleTrusted(benchmark::State& s) {
  figure(s, [] { return external_engine(Bundle::Trusted); }, [](engine::Engine& e) { run_external(e, kInstances, 1, 1); });
}
void ExternalFullBundleAuthoritative(benchmark::State& s) {
  figure(s, [] { return external_engine(Bundle::Authoritative); }, [](engine::Engine& e) { run_external(e, kInstances, 1, 1); });
}
void ExternalOneThread(benchmark::State& s) {
  figure(s, [] { return external_engine(); }, [](engine::Engine& e) { run_one_thread(e, kInstances); });
}
// With that many more jobs waiting on the topic.
void ExternalAmongWaiting(benchmark::State& s) {
  figure(
      s,
      [&] {
        auto e = external_engine();
        park(*e, s.range(0));
        return e;
      },
      [](engine::Engine& e) { run_one_thread(e, kInstances); });
}
void ParkedBytes(benchmark::State& s) {
  for (auto _ : s) {
    const Memory m = parked_memory(s.range(0));
    s.counters["heap_bytes_per_instance"] = m.heap;
    s.counters["resident_bytes_per_instance"] = m.resident;
  }
}
void StartToCompleted(benchmark::State& s) {
  auto e = external_engine();
  std::vector<double> us;
  for (auto _ : s) us = latencies(*e, 5'000);
  std::sort(us.begin(), us.end());
  s.counters["p50_us"] = us[us.size() / 2];
  s.counters["p99_us"] = us[us.size() * 99 / 100];
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
BENCHMARK(ExternalTwoAndTwo)->Apply(figures);
BENCHMARK(ExternalFullBundleTrusted)->Apply(figures);
BENCHMARK(ExternalFullBundleAuthoritative)->Apply(figures);
BENCHMARK(ExternalOneThread)->Apply(figures);
BENCHMARK(ExternalAmongWaiting)->Arg(1'000'000)->Apply(figures);
BENCHMARK(ParkedBytes)->Arg(100'000)->Arg(1'000'000)->Iterations(1)->Unit(benchmark::kMillisecond);
BENCHMARK(StartToCompleted)->Apply(figures);

}  // namespace
}  // namespace headrace::bench

BENCHMARK_MAIN();
