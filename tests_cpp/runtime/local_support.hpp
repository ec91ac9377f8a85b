#pragma once
// A LocalDispatcher with a manual clock, a sink and a recorder that tests can look into.

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <latch>
#include <mutex>
#include <thread>
#include <vector>

#include "headrace/runtime/local_dispatcher.hpp"
#include "jobs/support.hpp"

namespace headrace::runtime::test {

using namespace jobs::test;  // NOLINT(google-build-using-namespace)

class HandClock final : public Clock {
 public:
  Instant now() const override { return {us_.load()}; }
  bool manual() const override { return true; }
  void set(Instant t) { us_.store(t.us); }

 private:
  std::atomic<std::int64_t> us_{kStart.us};
};

// Real time from kStart on.
class RunningClock final : public Clock {
 public:
  Instant now() const override {
    const auto since = std::chrono::steady_clock::now() - start_;
    return kStart + Duration::micros(std::chrono::duration_cast<std::chrono::microseconds>(since).count());
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

class NoChance final : public Random {
 public:
  double next() override { return 0.0; }
};

class ListRecorder final : public observe::Recorder {
 public:
  void record(observe::Record r) override {
    const std::lock_guard lock(mutex_);
    records_.push_back(std::move(r));
  }
  std::vector<observe::Record> all() const {
    const std::lock_guard lock(mutex_);
    return records_;
  }
  std::size_t count(observe::What what) const {
    std::size_t n = 0;
    for (const observe::Record& r : all()) n += r.what == what ? 1 : 0;
    return n;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<observe::Record> records_;
};

// Answers at once what it is told to; or keeps the answers until release().
class ListSink final : public jobs::JobCompletionSink {
 public:
  void report_job_completion(jobs::WorkerOutcome outcome, UniqueFunction<void(Status)> done) override {
    Status answer = Ok{};
    {
      const std::lock_guard lock(mutex_);
      told_.push_back(std::move(outcome));
      answer = answer_;
      if (holding_) {
        held_.push_back(std::move(done));
        arrived_.notify_all();
        return;
      }
    }
    done(answer);
  }
  void answer(Status s) {
    const std::lock_guard lock(mutex_);
    answer_ = std::move(s);
  }
  void hold() {
    const std::lock_guard lock(mutex_);
    holding_ = true;
  }
  void wait_for_held(std::size_t n) {
    std::unique_lock lock(mutex_);
    arrived_.wait(lock, [&] { return held_.size() >= n; });
  }
  void release() {
    std::vector<UniqueFunction<void(Status)>> held;
    Status answer = Ok{};
    {
      const std::lock_guard lock(mutex_);
      holding_ = false;
      held.swap(held_);
      answer = answer_;
    }
    for (auto& done : held) done(answer);
  }
  std::vector<jobs::WorkerOutcome> told() const {
    const std::lock_guard lock(mutex_);
    return told_;
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable arrived_;
  std::vector<jobs::WorkerOutcome> told_;
  std::vector<UniqueFunction<void(Status)>> held_;
  Status answer_ = Ok{};
  bool holding_ = false;
};

template <class ClockType>
struct Queue {
  explicit Queue(LocalDispatcherOptions options = {}) : queue(clock, std::make_shared<NoChance>(), recorder, options) {
    queue.bind_sink(&sink);
  }
  std::shared_ptr<ClockType> clock = std::make_shared<ClockType>();
  std::shared_ptr<ListRecorder> recorder = std::make_shared<ListRecorder>();
  ListSink sink;
  LocalDispatcher queue;

  void enqueue(std::uint64_t root, const std::string& topic = "t", policy::Policy p = exact_policy()) {
    EXPECT_TRUE(queue.enqueue(job(root, service(topic, std::move(p)), clock->now())).ok());
  }
  Roots fetch(const jobs::FetchRequest& r, Duration wait = {}) {
    auto found = queue.fetch_and_lock(r, wait);
    EXPECT_TRUE(found.ok()) << (found.ok() ? "" : found.error().message);
    return found ? roots_of(*found) : Roots{};
  }
  static Roots roots_of(const std::vector<jobs::LockedJob>& jobs) {
    Roots roots;
    for (const jobs::LockedJob& j : jobs) roots.push_back(j.job.key.root);
    return roots;
  }
  Status complete(const std::string& worker, std::uint64_t root) {
    return queue.report(by(worker, root), jobs::ReportComplete{});
  }
  jobs::JobState state(std::uint64_t root) const {
    const auto info = queue.find(key(root));
    return info ? info->state : jobs::JobState::Completed;
  }
  jobs::TopicMetrics metrics(const std::string& topic = "t") const {
    for (const jobs::TopicMetrics& m : queue.metrics().topics) {
      if (m.topic == topic) return m;
    }
    return {};
  }
};
using HandQueue = Queue<HandClock>;
using RealQueue = Queue<RunningClock>;

}  // namespace headrace::runtime::test
