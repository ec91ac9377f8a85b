#pragma once
// A shard: the single writer of its roots (design 1.4). Items go into a mailbox; a caller that finds the shard idle drains it on
// its own thread. A drain makes one batch of commit units (at most 64 commands of one root), commits it, and only then performs
// effects and answers callers.

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <vector>

#include "headrace/core/state_codec.hpp"
#include "headrace/store/store.hpp"
#include "runtime/cell.hpp"
#include "runtime/patience.hpp"
#include "runtime/root_map.hpp"

namespace headrace::runtime {

// What a shard needs of its engine. Called on the draining thread, without locks.
class ShardHost {
 public:
  virtual ~ShardHost() = default;
  virtual void perform(Cell&, core::Effect&) = 0;
  // After a commit, before effects: the events of the steps, for records and counters.
  virtual void committed(Cell&, std::span<const core::Event>, std::uint64_t steps, Instant at) = 0;
  virtual void undone(Cell&, std::uint64_t steps, bool conflict) = 0;
  virtual const core::Definitions& definitions() const = 0;
  // Asks another thread (of the pool) to call pick_up(), false when none is free.
  virtual bool hand_over(class Shard&) = 0;
};

// The steps of one root in one commit.
struct Unit {
  CellPtr cell;
  core::StepBuffer buffer;
  core::Undo undo;
  std::uint64_t first_sequence = 0;
  bool fresh = false;  // begun by a start: undone by dropping the instance
  struct Entry {
    Item item;
    Status result = Ok{};
  };
  std::vector<Entry> entries;
};

struct Flight;

// Held by what the store answers later: an answer that comes when the shard is gone is dropped.
struct Life {
  std::shared_mutex mutex;
  bool over = false;
};

class Shard {
 public:
  Shard(ShardHost&, store::Store&, std::size_t keep_ended);
  ~Shard();

  // Any thread. Drains on this thread when the shard is idle; `done` and `look` may so be called before it returns.
  void submit(Item&&);
  // Drains what is in the mailbox (after hand_over).
  void drain();
  // Goes on with a drain that was handed over; nothing when somebody has.
  void pick_up();
  // No answer of the store is taken from now on; waits for those that are being taken.
  void shut();
  // True on a thread that is inside a drain of any shard: a blocking call there would wait for itself.
  static bool inside();

  // In the drain only.
  CellPtr find(std::uint64_t root) const;
  template <class F>
  void each(F f) {
    cells_.each([&](const CellPtr& cell) { f(*cell, cell); });
  }

 private:
  bool enter(Item& item);
  void drain_rest(std::size_t done);
  bool give_away();
  void run_batch(std::vector<Item>&);
  void take(Item&&);
  void step_into(Cell&, Item&&);
  void commit();
  void land(Flight&);
  void settle(std::unique_ptr<Unit>, store::CommitOutcome);
  void publish(Unit&);
  void take_back(std::unique_ptr<Unit>, store::CommitOutcome);
  void look_again(std::unique_ptr<Unit>);
  void start_load(const CellPtr&);
  void loaded(const CellPtr&, store::LoadedRoot);
  void release(const CellPtr&);
  void ended(const CellPtr&);
  void evict(Cell&);
  std::unique_ptr<Unit> new_unit();

  ShardHost& host_;
  store::Store& store_;
  const store::Traits traits_;
  const std::size_t keep_ended_;
  const std::shared_ptr<Life> life_ = std::make_shared<Life>();

  BriefMutex mutex_;
  std::vector<Item> inbox_;
  bool draining_ = false;
  std::atomic<bool> handed_{false};

  // the drainer's
  RootMap cells_;
  std::deque<std::uint64_t> ended_;
  std::vector<std::unique_ptr<Unit>> units_, spare_;
  std::vector<Item> batch_;
  std::vector<Item> again_;
  std::vector<store::Delta> deltas_;
  std::vector<store::CommitOutcome> outcomes_;
};

}  // namespace headrace::runtime
