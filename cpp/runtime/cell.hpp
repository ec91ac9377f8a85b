#pragma once
// A root instance in memory, what waits for it, and the unit of commit its steps form. Everything here but the atomics belongs to the thread that drains the
// root's shard.

#include <atomic>
#include <memory>
#include <vector>

#include "headrace/base/small_function.hpp"
#include "headrace/core/step.hpp"

namespace headrace::runtime {

class Cell;
using CellPtr = std::shared_ptr<Cell>;
struct Unit;

// What goes into a shard's mailbox: a command for a root with who wants the answer, or a look at a root in committed state.
struct Item {
  CellPtr cell;            // null: found by `root`
  std::uint64_t root = 0;
  core::Command command;   // unless `look` is set
  UniqueFunction<void(Cell*)> look;  // gets null for an unknown root
  UniqueFunction<void(Status)> done; // once: after the commit, or with why not
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
  bool busy = false;    // a commit or a load is under way
  bool loaded = true;   // false: evicted, the store has it
  int conflicts = 0;    // commits in a row that others won
  bool known = false;   // committed at least once: it counts as started
  Unit* unit = nullptr; // of the batch that is being made
  std::unique_ptr<CellExtra> extra;
  core::Instance inst;

  CellExtra& with_extra() {
    if (!extra) extra = std::make_unique<CellExtra>();
    return *extra;
  }
};

}  // namespace headrace::runtime
