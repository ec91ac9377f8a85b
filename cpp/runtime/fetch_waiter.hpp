#pragma once
// One waiting fetch. Its place is in the lines of LocalCore; the answer is handed over under the core's mutex and signalled after
// it.

#include <condition_variable>
#include <list>
#include <mutex>

#include "local_core.hpp"

namespace headrace::runtime {

class Waiter final : public FetchWaiter, public std::enable_shared_from_this<Waiter> {
 public:
  Waiter(std::shared_ptr<LocalCore> core, jobs::FetchRequest request) : core_(std::move(core)), request_(std::move(request)) {}
  ~Waiter() override { cancel(); }

  bool wait(Duration slice) override;
  bool ready() const override;
  Result<std::vector<jobs::LockedJob>> take() override;
  void cancel() override;
  void on_ready(UniqueFunction<void()>) override;

  const jobs::FetchRequest& request() const { return request_; }
  // Core's mutex held. The jobs are the waiter's from now on.
  void answer(Result<std::vector<jobs::LockedJob>>);
  // Without locks, once after answer().
  void signal();
  // Jobs that nobody took, for the core to queue again.
  std::vector<jobs::LockedJob> give_up();

 private:
  friend class LocalCore;
  std::shared_ptr<LocalCore> core_;
  const jobs::FetchRequest request_;
  std::vector<std::list<Waiter*>::iterator> places_;  // one in the line of each topic, while in_line_; core's mutex
  std::uint64_t arrival_ = 0;                         // counts up; core's mutex
  bool in_line_ = false;                              // core's mutex

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<bool> answered_{false};  // set under the mutex
  Result<std::vector<jobs::LockedJob>> answer_ = std::vector<jobs::LockedJob>();
  UniqueFunction<void()> callback_;
};

}  // namespace headrace::runtime
