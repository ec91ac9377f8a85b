#pragma once
// The fake store of design 1.11: what a slow, remote, contended store does, on one thread and from a seed. It keeps states in a
// memory store, answers only in pump(), in another order than it was asked, and says Conflict once in ten although nothing was
// wrong (nothing is written then).

#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "headrace/store/memory.hpp"
#include "support/dice.hpp"

namespace headrace::testing {

struct FakeStoreOptions {
  std::uint64_t seed = 1;
  std::uint32_t conflict_one_in = 10;  // 0: never
  std::uint32_t refused_one_in = 0;
  std::uint32_t unknown_one_in = 0;  // half of them done
};

class FakeStore final : public store::Store {
 public:
  explicit FakeStore(FakeStoreOptions options = {}) : options_(options), dice_(options.seed) {}

  void commit(std::span<const store::Delta> deltas, CommitDone done) override {
    const std::lock_guard lock(mutex_);
    Call call;
    call.deltas.assign(deltas.begin(), deltas.end());
    call.committed = std::move(done);
    waiting_.push_back(std::move(call));
  }
  void load(std::span<const std::uint64_t> roots, LoadDone done) override {
    const std::lock_guard lock(mutex_);
    Call call;
    call.roots.assign(roots.begin(), roots.end());
    call.loaded = std::move(done);
    waiting_.push_back(std::move(call));
  }
  store::Traits traits() const override {
    return {.keeps_state = true, .evict_after_commit = true, .durability = "none: a fake"};
  }

  // One call that waits, whichever; the answer comes from inside.
  bool pump() override {
    Call call;
    std::vector<store::CommitOutcome> verdicts;
    {
      const std::lock_guard lock(mutex_);
      if (waiting_.empty()) return false;
      const auto at = waiting_.begin() + static_cast<std::ptrdiff_t>(dice_.below(static_cast<std::uint32_t>(waiting_.size())));
      call = std::move(*at);
      waiting_.erase(at);
      for (std::size_t i = 0; i < call.deltas.size(); ++i) verdicts.push_back(verdict());
    }
    if (call.loaded) {
      kept_->load(call.roots, std::move(call.loaded));
    } else {
      answer(call, verdicts);
    }
    return true;
  }

  std::size_t conflicts() const { return conflicts_; }  // made up ones
  std::size_t waiting() const {
    const std::lock_guard lock(mutex_);
    return waiting_.size();
  }

 private:
  struct Call {
    std::vector<store::Delta> deltas;
    CommitDone committed;
    std::vector<std::uint64_t> roots;
    LoadDone loaded;
  };

  bool falls(std::uint32_t one_in) { return one_in != 0 && dice_.one_in(one_in); }
  // Committed: ask the memory store. Unknown, by chance after it did or did not.
  store::CommitOutcome verdict() {
    if (falls(options_.conflict_one_in)) return store::CommitOutcome::Conflict;
    if (falls(options_.refused_one_in)) return store::CommitOutcome::Refused;
    if (falls(options_.unknown_one_in)) return store::CommitOutcome::Unknown;
    return store::CommitOutcome::Committed;
  }
  store::CommitOutcome keep(const store::Delta& delta) {
    store::CommitOutcome outcome = store::CommitOutcome::Unknown;
    kept_->commit({&delta, 1}, [&](std::span<const store::CommitOutcome> one) { outcome = one[0]; });
    return outcome;
  }
  void answer(Call& call, std::vector<store::CommitOutcome>& verdicts) {
    for (std::size_t i = 0; i < call.deltas.size(); ++i) {
      store::CommitOutcome& v = verdicts[i];
      if (v == store::CommitOutcome::Conflict) ++conflicts_;
      if (v == store::CommitOutcome::Committed) v = keep(call.deltas[i]);
      if (v == store::CommitOutcome::Unknown && (++unknowns_ % 2) == 1) (void)keep(call.deltas[i]);
    }
    call.committed(verdicts);
  }

  FakeStoreOptions options_;
  mutable std::mutex mutex_;
  Dice dice_;
  std::vector<Call> waiting_;
  std::shared_ptr<store::Store> kept_ = store::make_memory_store({.keep_state = true});
  std::size_t conflicts_ = 0;
  std::size_t unknowns_ = 0;
};

}  // namespace headrace::testing
