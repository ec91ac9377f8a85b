#pragma once
// A fetch that waits and that another thread may call off: for the threads of a worker and for asyncio.

#include <atomic>
#include <memory>
#include <vector>

#include "headrace/runtime/local_dispatcher.hpp"
#include "host.hpp"

namespace headrace::bindings {

class Fetch {
 public:
  Fetch(HostPtr host, jobs::FetchRequest request) : host_(std::move(host)), request_(std::move(request)) {}
  ~Fetch();  // needs the GIL; jobs that nobody took go back
  Fetch(const Fetch&) = delete;
  Fetch& operator=(const Fetch&) = delete;

  bool start();  // false with a Python error
  // Waits up to `timeout`: 1 ready, 0 not (or called off), -1 with a Python error.
  int wait(Duration timeout);
  bool ready() const { return waiter_ ? waiter_->ready() : !got_.empty(); }
  // The jobs; false with a Python error. Empty once called off.
  bool take(std::vector<jobs::LockedJob>& out);
  void cancel();
  // Writes to an eventfd when it is ready, from any thread, without the GIL.
  void notify(int fd);
  const HostPtr& host() const { return host_; }

 private:
  const HostPtr host_;
  const jobs::FetchRequest request_;
  std::shared_ptr<runtime::FetchWaiter> waiter_;  // null with another dispatcher than ours
  std::vector<jobs::LockedJob> got_;              // of another dispatcher
  std::atomic<bool> over_{false};                 // taken or called off
};

}  // namespace headrace::bindings
