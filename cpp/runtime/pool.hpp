#pragma once
// Task threads: where host code runs (in-process operations, conditions, custom dispatchers), never on a shard, committer or
// timer thread (design 1.8). With 0 threads tasks wait until run_one() is called. Safe from any thread.

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "headrace/base/small_function.hpp"

namespace headrace::runtime {

class Pool {
 public:
  using Task = UniqueFunction<void()>;
  Pool(int threads, int max_replacements);
  ~Pool();

  // False when the pool stops: the task is dropped.
  bool post(Task);
  // Only when a thread is free for it at this moment, so that it never waits behind stuck ones.
  bool offer(Task);
  // Runs one waiting task on this thread; false when there is none.
  bool run_one();
  // A thread of the pool is stuck or about to wait: another one takes its place, up to the limit (false above it).
  bool replace_one();
  // The stuck thread came back, or the wait is over: one thread too many now.
  void replacement_over();
  int replacements() const;
  static bool on_pool_thread();
  bool hand_driven() const { return threads_wanted_ == 0; }
  // Finishes running tasks, drops waiting ones, joins. Threads that do not come back within `grace_ms` are left behind.
  void stop(int grace_ms = 2'000);

 private:
  void spawn();

  const int threads_wanted_;
  const int max_replacements_;
  struct Shared;
  std::shared_ptr<Shared> shared_;
};

}  // namespace headrace::runtime
