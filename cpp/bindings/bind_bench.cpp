// `headrace bench`: the runs of cpp/bench behind one function. The GIL is released while one runs.

#include <chrono>
#include <ctime>
#include <functional>
#include <stdexcept>

#include "bench/figures.hpp"
#include "face.hpp"
#include "pybind.hpp"

namespace headrace::bindings {

namespace {

// One timed run by name; what is made before and destroyed after it is not timed.
double timed(const std::function<void()>& run) {
  const auto begin = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double cpu_seconds() {
  struct timespec t = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

// (wall seconds, CPU seconds of the process) of n operations. `waiting`: jobs that stand before them, where the run is about
// that.
std::pair<double, double> bench_run(const std::string& name, std::int64_t n, std::int64_t waiting) {
  const GilReleased nogil;
  std::unique_ptr<engine::Engine> e;
  std::function<void()> run;
  if (name == "in_process_inline" || name == "in_process_pooled") {
    e = bench::in_process_engine(name == "in_process_inline");
    run = [&] { bench::run_in_process(*e, n); };
  } else if (name == "external" || name == "external_trusted" || name == "external_authoritative") {
    e = bench::external_engine(name == "external"           ? bench::Bundle::Plain
                               : name == "external_trusted" ? bench::Bundle::Trusted
                                                            : bench::Bundle::Authoritative);
    run = [&] { bench::run_external(*e, n, 1, 1); };
  } else if (name == "external_one_thread" || name == "external_among_waiting") {
    e = bench::external_engine();
    if (name == "external_among_waiting") bench::park(*e, waiting);
    run = [&] { bench::run_one_thread(*e, n); };
  } else {
    throw std::invalid_argument("expected the name of a benchmark, found '" + name + "'");
  }
  const double cpu = cpu_seconds();
  const double wall = timed(run);
  return {wall, cpu_seconds() - cpu};
}

std::vector<double> bench_latencies(int n) {
  const GilReleased nogil;
  return bench::latencies(*bench::external_engine(), n);
}

std::pair<double, double> bench_parked(std::int64_t n) {
  const GilReleased nogil;
  const bench::Memory m = bench::parked_memory(n);
  return {m.heap, m.resident};
}

}  // namespace

void bind_bench(py::module_& m) {
  m.def("bench_run", &bench_run, py::arg("name"), py::arg("n"), py::arg("waiting") = 1'000'000);
  m.def("bench_latencies", &bench_latencies, py::arg("n"));
  m.def("bench_parked", &bench_parked, py::arg("n"));
}

}  // namespace headrace::bindings
