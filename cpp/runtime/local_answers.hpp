#pragma once
// Where reporters wait for the engine's answers.

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "headrace/jobs/classify.hpp"
#include "headrace/jobs/outcome.hpp"

namespace headrace::runtime {

// Where a reporter waits for the engine. Mostly the answer is there before the sink returns: then nothing blocks. Kept per thread
// and shared with the callback, which may still be inside when the reporter goes on.
struct Answers {
  std::atomic<std::size_t> open{0};
  std::vector<Status> status;
  std::mutex mutex;
  std::condition_variable changed;

  void expect(std::size_t n) {
    status.assign(n, Status(Ok{}));
    open.store(n, std::memory_order_relaxed);
  }
  void give(std::size_t i, Status s) {
    status[i] = std::move(s);
    if (open.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    const std::lock_guard lock(mutex);
    changed.notify_all();
  }
  void wait(jobs::JobCompletionSink* sink) {
    while (open.load(std::memory_order_acquire) != 0 && sink != nullptr && sink->help()) {
    }
    for (int spin = 0; spin < 100; ++spin) {
      if (open.load(std::memory_order_acquire) == 0) return;
    }
    std::unique_lock lock(mutex);
    changed.wait(lock, [this] { return open.load(std::memory_order_acquire) == 0; });
  }
};

inline std::shared_ptr<Answers> my_answers() {
  thread_local std::shared_ptr<Answers> mine = std::make_shared<Answers>();
  if (mine.use_count() > 1) return std::make_shared<Answers>();  // a report inside a report
  return mine;
}

// What a step says of its failure names conditions, variables and targets of the model. An untrusted worker reads none of it
// (design 4.8): it hears that the step was undone, and the rest goes to the log.
inline bool hidden_from_worker(const policy::Policy& policy, const Error& error) {
  if (jobs::shows_policy(policy)) return false;
  switch (error.code) {
    case ErrorCode::JobNotFound:
    case ErrorCode::InstanceNotFound:
    case ErrorCode::InstanceSuspended:
    case ErrorCode::Conflict:
    case ErrorCode::Overloaded:
    case ErrorCode::WouldDeadlock:
    case ErrorCode::Store:
    case ErrorCode::StoreBusy:
    case ErrorCode::Closed:
      return false;
    default:
      return true;
  }
}
inline Error undone_step(ErrorCode code) {
  return {code, "expected the step behind the report to succeed, but it failed and was undone: job and lock are as before"};
}

// A body that is inline_safe runs inside the step of its instance: what waits for a step there waits for itself.
inline Error inside_a_step() {
  return {ErrorCode::WouldDeadlock, "expected a call from outside a step, but this one would wait for the step it is made in"};
}

inline Error closed_engine() { return {ErrorCode::Closed, "the engine is closed"}; }
inline Error no_sink() { return {ErrorCode::Closed, "expected a dispatcher that is bound to an engine, found none"}; }

}  // namespace headrace::runtime
