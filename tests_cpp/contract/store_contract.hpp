#pragma once
// What every store promises (headrace/store/store.hpp), as tests. A program instantiates the suite with factories of its stores:
//   INSTANTIATE_TEST_SUITE_P(Memory, StoreContract, ::testing::Values(StoreFactory{"keeping", make}), name_of_store);
// and, where its stores keep state, KeepingStoreContract in the same way.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "headrace/core/state_codec.hpp"
#include "headrace/core/step.hpp"
#include "headrace/store/store.hpp"
#include "support/driver.hpp"

namespace headrace::testing {

struct StoreFactory {
  std::string name;
  std::shared_ptr<store::Store> (*make)();
  bool keeps = true;        // load() shows what was committed, sequences are checked
  bool may_refuse = false;  // fails now and then without a reason: the suite tries again
};
inline std::string name_of_store(const ::testing::TestParamInfo<StoreFactory>& p) { return p.param.name; }

using store::CommitOutcome;

// One root as an engine would hold it: an instance and what its next commit is.
class Root {
 public:
  explicit Root(std::uint64_t id) : id_(id), definition_(straight(external())) {
    run(core::StartInstance{id, definition_, {}, {}, {}});
  }

  // A step more for the next commit.
  void step() { run(core::SetVariables{vars({{"x", static_cast<std::int64_t>(inst_.sequence)}})}); }
  store::Delta delta() const { return {id_, committed_ + 1, inst_.sequence, buffer_.events, &inst_}; }
  void committed() {
    committed_ = inst_.sequence;
    buffer_.clear();
  }
  std::uint64_t id() const { return id_; }
  const core::Instance& state() const { return inst_; }
  std::string bytes() const { return core::encode_state(inst_); }

 private:
  void run(core::Action action) {
    core::Undo undo;
    const Status done = core::step(inst_, {std::move(action), Driver::kStart, 0, ""}, buffer_, undo);
    if (!done.ok()) ADD_FAILURE() << done.error().message;
  }
  std::uint64_t id_;
  model::DefinitionPtr definition_;
  core::Instance inst_;
  core::StepBuffer buffer_;
  std::uint64_t committed_ = 0;
};

class StoreContract : public ::testing::TestWithParam<StoreFactory> {
 protected:
  std::vector<CommitOutcome> commit(const std::vector<store::Delta>& deltas) {
    std::vector<CommitOutcome> got;
    int answers = 0;
    store_->commit(deltas, [&](std::span<const CommitOutcome> outcomes) {
      got.assign(outcomes.begin(), outcomes.end());
      ++answers;
    });
    while (store_->pump()) {
    }
    EXPECT_EQ(answers, 1) << "commit() answers exactly once";
    EXPECT_EQ(got.size(), deltas.size()) << "one outcome a delta";
    got.resize(deltas.size(), CommitOutcome::Unknown);
    return got;
  }
  // Commits what the root holds; a store that may refuse is asked until it takes it, as the engine does.
  void must_commit(Root& root) {
    for (int tries = 0; tries < 1000; ++tries) {
      if (commit({root.delta()})[0] == CommitOutcome::Committed || load(root.id()).sequence == root.state().sequence) {
        root.committed();
        return;
      }
      if (!GetParam().may_refuse) break;
    }
    FAIL() << "the store does not take a delta that follows the stored one";
  }
  store::LoadedRoot load(std::uint64_t root) { return load_all({root})[0]; }
  std::vector<store::LoadedRoot> load_all(const std::vector<std::uint64_t>& roots) {
    std::vector<store::LoadedRoot> got;
    int answers = 0;
    store_->load(roots, [&](std::vector<store::LoadedRoot> found) {
      got = std::move(found);
      ++answers;
    });
    while (store_->pump()) {
    }
    EXPECT_EQ(answers, 1) << "load() answers exactly once";
    EXPECT_EQ(got.size(), roots.size());
    got.resize(roots.size());
    return got;
  }

  std::shared_ptr<store::Store> store_ = GetParam().make();
};

// What only a store that keeps state promises: instantiate it for those.
class KeepingStoreContract : public StoreContract {};

TEST_P(StoreContract, CommitsAFirstDelta) {
  // given
  Root root(1);
  // when / then
  must_commit(root);
}

TEST_P(StoreContract, AnEmptyBatchIsAnsweredToo) {
  // given / when
  const std::vector<CommitOutcome> outcomes = commit({});
  // then
  EXPECT_TRUE(outcomes.empty());
}

TEST_P(KeepingStoreContract, LoadShowsTheLatestStateAndItsSequence) {
  // given
  Root root(1);
  must_commit(root);
  root.step();
  root.step();
  // when
  must_commit(root);
  // then
  const store::LoadedRoot loaded = load(1);
  EXPECT_EQ(loaded.root, 1U);
  EXPECT_EQ(loaded.sequence, 3U);
  ASSERT_TRUE(loaded.state.has_value());
  EXPECT_EQ(*loaded.state, root.bytes());
}

TEST_P(StoreContract, AnUnknownRootIsLoadedAsNothing) {
  // given / when
  const store::LoadedRoot loaded = load(99);
  // then
  EXPECT_EQ(loaded.root, 99U);
  EXPECT_FALSE(loaded.state.has_value());
  EXPECT_EQ(loaded.sequence, 0U);
}

TEST_P(StoreContract, LoadAnswersInTheOrderAsked) {
  // given
  Root root(5);
  must_commit(root);
  // when
  const std::vector<store::LoadedRoot> loaded = load_all({7, 5, 6});
  // then
  EXPECT_EQ(loaded[0].root, 7U);
  EXPECT_EQ(loaded[1].root, 5U);
  EXPECT_EQ(loaded[2].root, 6U);
  EXPECT_EQ(loaded[1].state.has_value(), GetParam().keeps);
}

TEST_P(KeepingStoreContract, AWrongSequenceIsAConflictAndChangesNothing) {
  // given: a root, and a stale owner that missed a step
  Root root(1);
  Root stale(1);
  must_commit(root);
  root.step();
  must_commit(root);
  stale.committed();
  stale.step();
  // when
  const CommitOutcome outcome = commit({stale.delta()})[0];
  // then
  EXPECT_NE(outcome, CommitOutcome::Committed);
  if (!GetParam().may_refuse) {
    EXPECT_EQ(outcome, CommitOutcome::Conflict);
  }
  EXPECT_EQ(load(1).sequence, 2U);
  EXPECT_EQ(load(1).state, root.bytes());
}

TEST_P(KeepingStoreContract, AGapIsAConflict) {
  // given
  Root root(1);
  must_commit(root);
  root.step();
  root.committed();
  root.step();
  // when
  const CommitOutcome outcome = commit({root.delta()})[0];
  // then
  EXPECT_NE(outcome, CommitOutcome::Committed);
  EXPECT_EQ(load(1).sequence, 1U);
}

TEST_P(KeepingStoreContract, ADeltaIsCommittedOnce) {
  // given
  Root root(1);
  Root twin(1);
  must_commit(root);
  // when
  const CommitOutcome again = commit({twin.delta()})[0];
  // then
  EXPECT_NE(again, CommitOutcome::Committed);
}

TEST_P(KeepingStoreContract, AnItemThatConflictsDoesNotFailItsNeighbours) {
  for (std::uint64_t round = 0; round < 20; ++round) {
    // given
    Root good(3 * round + 1);
    Root bad(3 * round + 2);
    Root other(3 * round + 3);
    bad.committed();
    bad.step();
    // when
    const std::vector<CommitOutcome> outcomes = commit({good.delta(), bad.delta(), other.delta()});
    // then: each outcome is its own item's
    EXPECT_NE(outcomes[1], CommitOutcome::Committed);
    EXPECT_FALSE(load(bad.id()).state.has_value());
    for (const auto& [root, outcome] : {std::pair{&good, outcomes[0]}, std::pair{&other, outcomes[2]}}) {
      if (!GetParam().may_refuse) {
        EXPECT_EQ(outcome, CommitOutcome::Committed);
      }
      if (outcome != CommitOutcome::Unknown) {
        EXPECT_EQ(load(root->id()).state.has_value(), outcome == CommitOutcome::Committed);
      }
    }
  }
}

TEST_P(KeepingStoreContract, TheStateOfADeltaIsNotNeededAfterItsAnswer) {
  // given
  std::string bytes;
  {
    Root root(1);
    must_commit(root);
    bytes = root.bytes();
  }
  // when / then
  EXPECT_EQ(load(1).state, bytes);
}

TEST_P(StoreContract, SaysWhatItPromises) {
  // given / when
  const store::Traits traits = store_->traits();
  // then
  EXPECT_EQ(traits.keeps_state, GetParam().keeps);
  EXPECT_FALSE(traits.durability.empty());
  EXPECT_TRUE(!traits.evict_after_commit || traits.keeps_state) << "what is evicted must come back";
}

}  // namespace headrace::testing
