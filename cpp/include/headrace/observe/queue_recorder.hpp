#pragma once
// A bounded queue of records between the engine's threads and one that may wait: Python's logging is fed by a drain thread,
// because a record made on an engine thread must never take the GIL. All methods are safe from any thread.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "headrace/observe/recorder.hpp"

namespace headrace::observe {

class QueueRecorder final : public Recorder {
 public:
  // `capacity` records at most (0 counts as 1). When it is full the oldest one gives way: what happened last explains most.
  explicit QueueRecorder(std::size_t capacity = 65'536);
  ~QueueRecorder() override;

  void record(Record) override;  // after close() it is dropped and counted

  // The oldest record, waiting up to `wait` of real time for one. False: none came, or the queue is closed and empty.
  bool pop(Record&, Duration wait);
  // Appends up to `max` records to `out`, in order, waiting up to `wait` for the first. Returns how many.
  std::size_t pop_many(std::vector<Record>& out, std::size_t max, Duration wait);

  // Wakes every waiting pop; what is in the queue can still be taken. Idempotent.
  void close();
  bool closed() const;
  std::size_t size() const;
  std::uint64_t dropped() const;  // records lost to a full or closed queue so far

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace headrace::observe
