#pragma once
// The store port: where instances are kept. Asynchronous, a result per item, so that one slow or refused item does not fail its
// neighbours (design 1.4, 1.11).
//
// Contract (tests_cpp/contract/store_contract.hpp is its proof):
// - commit() takes a batch of deltas, at most one a root, and calls `done` exactly once with one outcome per delta, in their
// order; at once or later,
//   on any thread. Deltas of one root are committed in the order of their sequence; a batch is not atomic as a whole, each delta
//   is.
// - Committed: the delta is there, at the level the store promises, and load() shows it. Conflict: somebody else has moved the
// root on; nothing of the delta is
//   there. Refused: the store cannot take it (full, read-only); nothing of it is there. Unknown: it may or may not be there; the
//   caller loads the root to see.
// - A delta whose first sequence is not the stored sequence + 1 is a Conflict; a stale owner's commit changes nothing.
// - load() answers each root with its latest committed state and sequence, or nothing.
// Calls come from many threads, for one root from one at a time.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "headrace/base/result.hpp"
#include "headrace/base/small_function.hpp"
#include "headrace/core/event.hpp"

namespace headrace::store {

enum class CommitOutcome : std::uint8_t { Committed, Conflict, Refused, Unknown };

// What one commit changes of one root: the events of its steps, and the state after them.
struct Delta {
  std::uint64_t root = 0;
  std::uint64_t first_sequence = 0;  // of the first step in it
  std::uint64_t last_sequence = 0;
  std::span<const core::Event> events;
  const core::Instance* state = nullptr;  // after the steps; valid until `done` is called
};

struct LoadedRoot {
  std::uint64_t root = 0;
  std::optional<std::string> state;  // core/state_codec.hpp bytes; nullopt: unknown root
  std::uint64_t sequence = 0;
};

// Decides how the engine treats it.
struct Traits {
  bool keeps_state = false;                                // load() can bring an instance back: it may be evicted
  bool evict_after_commit = false;                         // tests: evict at every chance
  std::string durability = "none: ends with the process";  // printed at start
};

class Store {
 public:
  virtual ~Store() = default;
  using CommitDone = UniqueFunction<void(std::span<const CommitOutcome>)>;
  using LoadDone = UniqueFunction<void(std::vector<LoadedRoot>)>;
  virtual void commit(std::span<const Delta> deltas, CommitDone done) = 0;
  // Stores that can answer at once do it here: outcomes, one per delta, and true. The others leave it to commit().
  virtual bool commit_now(std::span<const Delta>, std::span<CommitOutcome>) { return false; }
  virtual void load(std::span<const std::uint64_t> roots, LoadDone done) = 0;
  virtual Traits traits() const = 0;
  // Stores that answer later on the caller's thread (fakes): performs what is outstanding; true when something was done.
  virtual bool pump() { return false; }
};

}  // namespace headrace::store
