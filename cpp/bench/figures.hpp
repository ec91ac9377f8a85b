#pragma once
// What the benchmarks run, through the public Engine API: the same code under Google Benchmark (engine_bench.cpp) and behind
// `headrace bench`. One instance has 2 start variables and a 300-byte input; a worker's output has 300 bytes, of which one field
// is bound; each job's expiry is armed; an instance counts when it is completed. Each function aborts the program when not all
// instances end as they should.

#include <cstdint>
#include <memory>
#include <vector>

#include "headrace/engine/engine.hpp"

namespace headrace::bench {

enum class Bundle : std::uint8_t {
  Plain,
  Trusted,
  Authoritative
};  // output mapping alone, or mapper + mapping + retry in both trust modes

// An engine with the process deployed.
std::unique_ptr<engine::Engine> in_process_engine(bool inline_safe);
std::unique_ptr<engine::Engine> external_engine(Bundle = Bundle::Plain);

// Starts n instances; returns when all are completed.
void run_in_process(engine::Engine&, std::int64_t n);
// `starters` threads start n instances in all while `workers` threads fetch and complete in batches of 100.
void run_external(engine::Engine&, std::int64_t n, int starters, int workers);
// One thread starts n instances and then fetches and completes n jobs. `before`: instances completed before.
void run_one_thread(engine::Engine&, std::int64_t n, std::uint64_t before = 0);
// Parks n instances.
void park(engine::Engine&, std::int64_t n);
// Microseconds from start to completed, with a waiting worker, one instance at a time.
std::vector<double> latencies(engine::Engine&, int n);

struct Memory {
  double heap = 0;      // bytes per instance, from the allocator
  double resident = 0;  // bytes per instance, from the system
};
Memory parked_memory(std::int64_t n);

}  // namespace headrace::bench
