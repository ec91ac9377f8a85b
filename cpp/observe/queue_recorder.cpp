#include "headrace/observe/queue_recorder.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <utility>

namespace headrace::observe {

struct QueueRecorder::State {
  explicit State(std::size_t most) : capacity(most) {}

  const std::size_t capacity;
  mutable std::mutex mutex;
  std::condition_variable filled;
  std::deque<Record> records;
  std::uint64_t dropped = 0;
  bool closed = false;

  // Unbounded waits and such beyond a day are cut: wait_for would overflow, and every caller looks again anyway.
  void wait_for_one(std::unique_lock<std::mutex>& lock, Duration wait) {
    const std::int64_t us = std::clamp<std::int64_t>(wait.us, 0, Duration::hours(24).us);
    filled.wait_for(lock, std::chrono::microseconds(us), [&] { return closed || !records.empty(); });
  }
};

QueueRecorder::QueueRecorder(std::size_t capacity) : state_(std::make_unique<State>(std::max<std::size_t>(capacity, 1))) {}
QueueRecorder::~QueueRecorder() = default;

void QueueRecorder::record(Record record) {
  Record lost;  // freed after the lock
  {
    const std::lock_guard lock(state_->mutex);
    if (state_->closed) {
      ++state_->dropped;
      return;
    }
    if (state_->records.size() == state_->capacity) {
      lost = std::move(state_->records.front());
      state_->records.pop_front();
      ++state_->dropped;
    }
    state_->records.push_back(std::move(record));
  }
  state_->filled.notify_one();
}

bool QueueRecorder::pop(Record& out, Duration wait) {
  std::unique_lock lock(state_->mutex);
  state_->wait_for_one(lock, wait);
  if (state_->records.empty()) return false;
  out = std::move(state_->records.front());
  state_->records.pop_front();
  return true;
}

std::size_t QueueRecorder::pop_many(std::vector<Record>& out, std::size_t max, Duration wait) {
  if (max == 0) return 0;
  std::unique_lock lock(state_->mutex);
  state_->wait_for_one(lock, wait);
  const std::size_t count = std::min(max, state_->records.size());
  for (std::size_t i = 0; i < count; ++i) {
    out.push_back(std::move(state_->records.front()));
    state_->records.pop_front();
  }
  return count;
}

void QueueRecorder::close() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->closed = true;
  }
  state_->filled.notify_all();
}

bool QueueRecorder::closed() const {
  const std::lock_guard lock(state_->mutex);
  return state_->closed;
}

std::size_t QueueRecorder::size() const {
  const std::lock_guard lock(state_->mutex);
  return state_->records.size();
}

std::uint64_t QueueRecorder::dropped() const {
  const std::lock_guard lock(state_->mutex);
  return state_->dropped;
}

}  // namespace headrace::observe
