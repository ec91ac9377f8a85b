#include <mutex>
#include <unordered_map>

#include "headrace/core/state_codec.hpp"
#include "headrace/store/memory.hpp"

namespace headrace::store {

namespace {

class PlainMemoryStore final : public Store {
 public:
  bool commit_now(std::span<const Delta>, std::span<CommitOutcome> outcomes) override {
    for (CommitOutcome& o : outcomes) o = CommitOutcome::Committed;
    return true;
  }
  void commit(std::span<const Delta> deltas, CommitDone done) override {
    const std::vector<CommitOutcome> all(deltas.size(), CommitOutcome::Committed);
    done(all);
  }
  void load(std::span<const std::uint64_t> roots, LoadDone done) override {
    std::vector<LoadedRoot> none;
    for (std::uint64_t root : roots) none.push_back({root, std::nullopt, 0});
    done(std::move(none));
  }
  Traits traits() const override { return {}; }
};

class KeepingMemoryStore final : public Store {
 public:
  void commit(std::span<const Delta> deltas, CommitDone done) override {
    std::vector<CommitOutcome> outcomes;
    {
      const std::lock_guard lock(mutex_);
      for (const Delta& d : deltas) outcomes.push_back(commit_one(d));
    }
    done(outcomes);
  }
  void load(std::span<const std::uint64_t> roots, LoadDone done) override {
    std::vector<LoadedRoot> found;
    {
      const std::lock_guard lock(mutex_);
      for (std::uint64_t root : roots) {
        const auto it = kept_.find(root);
        found.push_back(it == kept_.end() ? LoadedRoot{root, std::nullopt, 0}
                                          : LoadedRoot{root, it->second.state, it->second.sequence});
      }
    }
    done(std::move(found));
  }
  Traits traits() const override {
    return {.keeps_state = true, .evict_after_commit = false, .durability = "none: ends with the process"};
  }

 private:
  struct Kept {
    std::string state;
    std::uint64_t sequence = 0;
  };
  CommitOutcome commit_one(const Delta& d) {
    const auto it = kept_.find(d.root);
    const std::uint64_t stored = it == kept_.end() ? 0 : it->second.sequence;
    if (d.first_sequence != stored + 1) return CommitOutcome::Conflict;
    kept_[d.root] = Kept{core::encode_state(*d.state), d.last_sequence};
    return CommitOutcome::Committed;
  }
  std::mutex mutex_;
  std::unordered_map<std::uint64_t, Kept> kept_;
};

}  // namespace

std::shared_ptr<Store> make_memory_store(MemoryOptions options) {
  if (options.keep_state) return std::make_shared<KeepingMemoryStore>();
  return std::make_shared<PlainMemoryStore>();
}

}  // namespace headrace::store
