#pragma once
// A root instance in memory, what waits for it, and the unit of commit its steps form. Everything here but the atomics belongs to
// the thread that drains the root's shard.

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "headrace/base/small_function.hpp"
#include "headrace/core/step.hpp"

namespace headrace::runtime {

class Cell;
using CellPtr = std::shared_ptr<Cell>;
struct Unit;

// The answer of a command for a caller that waits on its own stack.
class Answer {
 public:
  void give(Status s) {
    if (std::this_thread::get_id() == asker_) {  // most: the caller drained the shard itself
      status_ = std::move(s);
      ready_.store(true, std::memory_order_relaxed);
      here_ = true;
      return;
    }
    const std::lock_guard lock(mutex_);
    status_ = std::move(s);
    ready_.store(true, std::memory_order_release);
    wake_.notify_one();  // with the lock held: the waiter destroys us as soon as it has it
  }
  bool ready() const { return ready_.load(std::memory_order_acquire); }
  // Waits and takes the answer. By the thread that made it.
  Status take() {
    if (here_) return std::move(status_);
    std::unique_lock lock(mutex_);
    wake_.wait(lock, [this] { return ready(); });
    return std::move(status_);
  }

 private:
  const std::thread::id asker_ = std::this_thread::get_id();
  bool here_ = false;  // given by the asking thread itself: read and written by no other
  std::mutex mutex_;
  std::condition_variable wake_;
  std::atomic<bool> ready_{false};
  Status status_ = Ok{};
};

// What goes into a shard's mailbox: a command for a root with who wants the answer, or a look at a root in committed state.
struct Item {
  CellPtr cell;  // null: found by `root`
  std::uint64_t root = 0;
  core::Command command;              // unless `look` is set
  UniqueFunction<void(Cell*)> look;   // gets null for an unknown root
  UniqueFunction<void(Status)> done;  // once: after the commit, or with why not
  Answer* answer = nullptr;           // the same for a caller that waits

  void reply(Status s) {
    if (answer != nullptr) {
      answer->give(std::move(s));
    } else if (done) {
      done(std::move(s));
    }
  }
};

// Told once when it is over; see Engine::start_wait.
class CellWatch {
 public:
  virtual ~CellWatch() = default;
  // True when satisfied: the watch is dropped then.
  virtual bool look(const Cell&) = 0;
};

// What only busy or watched cells need.
struct CellExtra {
  std::vector<Item> queue;  // while a commit or a load is under way
  std::vector<std::shared_ptr<CellWatch>> watches;
};

class Cell {
 public:
  explicit Cell(std::uint64_t root_id) : root(root_id) {}
  const std::uint64_t root;
  std::atomic<core::InstanceState> state{core::InstanceState::Active};  // committed
  bool busy = false;                                                    // a commit or a load is under way
  bool loaded = true;                                                   // false: evicted, the store has it
  int conflicts = 0;                                                    // commits in a row that others won
  bool known = false;                                                   // committed at least once: it counts as started
  Unit* unit = nullptr;                                                 // of the batch that is being made
  std::unique_ptr<CellExtra> extra;
  core::Instance inst;

  CellExtra& with_extra() {
    if (!extra) extra = std::make_unique<CellExtra>();
    return *extra;
  }
};

}  // namespace headrace::runtime
