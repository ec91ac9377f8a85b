#pragma once
// The local worker pool (SRD-036 FR-2): handlers in this process, by topic, each with threads up to its parallelism.

#include <mutex>
#include <thread>
#include <vector>

#include "local_core.hpp"

namespace headrace::runtime {

class LocalPool {
 public:
  LocalPool(LocalDispatcher& queue, std::shared_ptr<LocalCore> core) : queue_(queue), core_(std::move(core)) {}
  ~LocalPool() { stop(); }

  void add(const Topic&, LocalDispatcher::Handler, int parallelism, const WorkerId&);
  std::size_t run_once();
  void start();
  void stop();

 private:
  struct Entry {
    jobs::FetchRequest request;
    LocalDispatcher::Handler handler;
    int parallelism = 1;
    int running = 0;  // threads
  };
  void spawn(const std::shared_ptr<Entry>&);  // mutex held
  void work(const std::shared_ptr<Entry>&);
  void run(const Entry&, const jobs::LockedJob&);
  // The next fetch of a thread, unless the pool is being stopped.
  std::shared_ptr<FetchWaiter> next_fetch(const Entry&);

  LocalDispatcher& queue_;
  std::shared_ptr<LocalCore> core_;
  std::mutex mutex_;
  bool running_ = false;
  bool stopping_ = false;
  std::vector<std::shared_ptr<Entry>> entries_;
  std::vector<std::thread> threads_;
};

}  // namespace headrace::runtime
